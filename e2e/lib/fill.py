"""fill.py FILE USERS: that many users at a thousand addresses, in the plain tables of a stopped server."""

import sqlite3
import sys

file, users = sys.argv[1], int(sys.argv[2])
book = sqlite3.connect(file)
book.execute("PRAGMA synchronous = OFF")
# One by one, each row would go into every index by itself.
indexes = book.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").fetchall()
for name, _ in indexes:
    book.execute(f'DROP INDEX "{name}"')
numbers = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)"
book.execute(f"INSERT INTO address (id, country, city, street, number) {numbers} SELECT n, 'France', 'Paris', 'quai de Valmy', n FROM numbers", [1000])
book.execute(f"INSERT INTO users (id, first_name, last_name, address) {numbers} SELECT n, 'First' || n, 'Last' || (n % 50), n % 1000 + 1 FROM numbers", [users])
for _, sql in indexes:
    book.execute(sql)
book.commit()
book.close()
