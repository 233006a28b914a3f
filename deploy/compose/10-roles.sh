#!/usr/bin/env bash
# PostgreSQL's image runs this once, in an empty cluster. It creates the role that the service connects as, with its
# password. The first migration finds the role and grants its rights.
set -euo pipefail

psql --no-psqlrc --quiet --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 \
    --set password="$(cat /run/secrets/wallet_service_password)" <<'SQL'
CREATE ROLE wallet_service LOGIN PASSWORD :'password';
SQL
