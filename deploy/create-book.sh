#!/bin/sh
# Creates the role and the database of carnet, where there are none: once, by the superuser. The role owns its database and is
# nothing else; docs/postgresql.md goes further. Needs CARNET_PASSWORD; POSTGRES_USER is the superuser's name.
set -eu

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\getenv password CARNET_PASSWORD
CREATE ROLE carnet LOGIN PASSWORD :'password';
CREATE DATABASE book OWNER carnet ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE book FROM PUBLIC;
SQL
