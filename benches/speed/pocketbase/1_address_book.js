// The address book as a careful user of PocketBase would declare it: the same collections and fields, open
// to everybody as carnet's are, an index on each field that is filtered, and no request log on disk.
migrate((app) => {
  const settings = app.settings();
  settings.logs.maxDays = 0;
  app.save(settings);

  // Without one, each start would open a browser to ask for it.
  const superuser = new Record(app.findCollectionByNameOrId("_superusers"));
  superuser.setEmail("bench@example.org");
  superuser.setRandomPassword();
  app.save(superuser);

  app.delete(app.findCollectionByNameOrId("users"));

  const open = { listRule: "", viewRule: "", createRule: "", updateRule: "", deleteRule: "" };
  const address = new Collection({
    type: "base",
    name: "address",
    ...open,
    fields: [
      { type: "text", name: "country", required: true },
      { type: "text", name: "city", required: true },
      { type: "text", name: "street", required: true },
      { type: "number", name: "number", onlyInt: true },
    ],
  });
  app.save(address);
  app.save(new Collection({
    type: "base",
    name: "users",
    ...open,
    fields: [
      { type: "text", name: "first_name", required: true },
      { type: "text", name: "last_name", required: true },
      { type: "relation", name: "address", collectionId: address.id, maxSelect: 1 },
    ],
    indexes: [
      "CREATE INDEX users_first_name ON users (first_name)",
      "CREATE INDEX users_last_name ON users (last_name)",
      "CREATE INDEX users_address ON users (address)",
    ],
  }));
});
