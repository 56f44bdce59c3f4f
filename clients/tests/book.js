// The address book as a configuration, for the clients' tests: two collections behind access keys.

/** The text of the two collections. `more` is added to each of them. */
export const book = (pageSize, more = '') => {
  const common = `[collection.pagination]\npage_size = ${pageSize}\n[collection.access]\nauthentication = true\nauthorization = true\n${more}`;
  return `
[[collection]]
name = "address"
show_id = false
[collection.fields]
country = { type = "string", required = true }
city    = { type = "string", required = true, searchable = true }
street  = { type = "string", required = true, searchable = true }
number  = { type = "integer", required = true }
${common}
[[collection]]
name = "users"
unique = [["first_name", "last_name"]]
[collection.fields]
first_name = { type = "string", required = true, searchable = true }
last_name  = { type = "string", required = true, searchable = true }
address    = { type = "integer", references = "address" }
${common}`;
};
