#!/usr/bin/env bash
# Run once by PostgreSQL's image, in an empty cluster: the role that the service connects as, with its password. The
# first migration finds it there and gives it its rights.
set -euo pipefail

psql --no-psqlrc --quiet --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 \
    --set password="$(cat /run/secrets/wallet_service_password)" <<'SQL'
CREATE ROLE wallet_service LOGIN PASSWORD :'password';
SQL
