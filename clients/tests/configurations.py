"""The configurations whose documents are looked at. `None` is the built-in address book."""

KINDS = """
[[collection]]
name = "things"
unique = [["title"], ["size", "done"]]
unique_verbs = ["GET", "PUT", "PATCH", "DELETE"]
[collection.fields]
title  = { type = "string", required = true }
size   = { type = "integer", required = true }
weight = { type = "float", required = true }
done   = { type = "boolean", required = true }
note   = { type = "string" }
stock  = { type = "integer" }
price  = { type = "float" }
sold   = { type = "boolean" }
made   = { type = "date" }
seen   = { type = "datetime" }
mail   = { type = "string", format = "email" }
phone  = { type = "string", format = "phone" }
site   = { type = "string", format = "url", max_length = 100 }
state  = { type = "string", required = true, choices = ["new", "used"], default = "new" }
[collection.pagination]
page_size  = 7
offset_key = "first"
count_key  = "limit"

[[collection]]
name = "parts"
show_id = false
[collection.fields]
thing = { type = "integer", references = "things", required = true, on_delete = "cascade" }
label = { type = "string" }
"""

GUARDED = """
[[collection]]
name = "vault"
[collection.fields]
title = { type = "string", required = true }
[collection.pagination]
page_size = 20
[collection.access]
authentication = true
authorization = true
[collection.rate_limit]
quota = 1000000
interval = 3600

[[collection]]
name = "guests"
[collection.fields]
name = { type = "string" }
vault = { type = "integer", references = "vault", on_delete = "set_null" }
[collection.access]
authentication = true
[collection.rate_limit]
quota = 20
interval = 1
"""

VERBS = """
[[collection]]
name = "journal"
list_verbs = ["POST"]
unique_verbs = []
[collection.fields]
line = { type = "string", required = true }

[[collection]]
name = "archive"
list_verbs = ["GET"]
unique_verbs = ["GET"]
[collection.fields]
line = { type = "string" }
"""

BOOK = """
[[collection]]
name = "address"
show_id = false
[collection.fields]
country = { type = "string", required = true }
city    = { type = "string", required = true, searchable = true }
street  = { type = "string", required = true, searchable = true }
number  = { type = "integer", required = true }
[collection.pagination]
page_size = 20

[[collection]]
name = "users"
unique = [["first_name", "last_name"]]
[collection.fields]
first_name = { type = "string", required = true, searchable = true }
last_name  = { type = "string", required = true, searchable = true }
address    = { type = "integer", references = "address" }
[collection.pagination]
page_size = 20
"""

GUARDED_BOOK = BOOK.replace(
    "page_size = 20\n", "page_size = 20\n[collection.access]\nauthentication = true\nauthorization = true\n"
)

# Fields that are called like parameters of lists, and like an operator of another field where its dot is an underscore.
LOOKALIKES = """
[[collection]]
name = "things"
[collection.fields]
sort    = { type = "string" }
after   = { type = "string" }
size    = { type = "integer" }
size_lt = { type = "integer" }
[collection.pagination]
page_size = 20
"""

RENAMED_KEY = '[access]\nparameter = "token"\n'
BARE = "[server]\nmetrics = false\nconsole = false\n"

# Keys that nobody knows are presented all the time.
PATIENT = "[access]\nunknown_keys_per_minute = 0\n"

EVERYTHING = PATIENT + BOOK + KINDS + GUARDED + VERBS

ALL: dict[str, str | None] = {
    "built-in": None,
    "every type of field, unique rules, renamed pages, no pages": KINDS,
    "access keys and rate limits": GUARDED,
    "another name for the key": RENAMED_KEY + GUARDED,
    "few verbs": VERBS,
    "no metrics, no console": BARE + BOOK,
    "fields that are called like parameters": LOOKALIKES,
    "all of it": EVERYTHING,
}
