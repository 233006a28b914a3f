"""Kinds of database servers, with their roles, privileges and existing objects."""

import os
import pathlib
import re
import subprocess

from . import processes, tokens
from .postgres import DATABASE, Postgres
from .service import PATIENCE

GUIDE = pathlib.Path(__file__).resolve().parents[3] / "deploy/supabase.md"


class Host(Postgres):
    """A self-hosted server: a superuser migrates."""

    superuser = owner = "postgres"
    # SQL that runs in the server's own database, and then in the wallet's, before the migration.
    prepare_server, prepare_database = "", ""
    strangers, extensions = (), ()
    # The section of the guide for apps on Supabase that describes such a server, and its number of commands and of SQL
    # statements before and after the migration.
    section, counts = None, (0, 0, 0)

    def __enter__(self):
        super().__enter__()
        if self.prepare_server:
            self.psql("-c", self.prepare_server, database="postgres")
        self.create_database()
        if self.prepare_database:
            self.psql("-c", self.prepare_database)
        for name in self.extensions:
            if self.has_extension(name):
                self.psql("-c", f'CREATE EXTENSION "{name}" SCHEMA extensions')
        return self

    def create_database(self):
        self.psql("-c", f"CREATE DATABASE {DATABASE} OWNER {self.owner}", database="postgres")

    def guide_text(self):
        return re.search(rf"^## {self.section}$(.*?)^## ", GUIDE.read_text(), re.S | re.M)[1]

    def guide(self):
        """Returns the guide's commands, and its SQL before and after the migration."""
        text = self.guide_text()
        commands = re.findall(r'^ +DATABASE_URL="[^"]+" (credit-wallet .+)$', text, re.M)
        statements = [found.replace("…", "a password") for found in re.findall(r"`((?:CREATE|ALTER|SELECT) [^`]+)`", text)]
        before = [statement for statement in statements if statement.startswith("CREATE")]
        return commands, before, statements[len(before):]

    def has_extension(self, name):
        return bool(self.rows(f"SELECT FROM pg_available_extensions WHERE name = '{name}'"))

    def check_strangers(self, tally):
        """Checks that other roles of this database have no access to the wallet's objects."""
        for role in self.strangers:
            open_to_it = self.psql("-c", f"""
                SELECT n.nspname::text FROM pg_catalog.pg_namespace AS n
                WHERE n.nspname IN ('wallet', 'admin') AND has_schema_privilege('{role}', n.oid, 'USAGE, CREATE')
                UNION ALL
                SELECT c.oid::regclass::text FROM pg_catalog.pg_class AS c
                WHERE c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
                    AND CASE
                        WHEN c.relkind = 'S' THEN has_sequence_privilege('{role}', c.oid, 'USAGE, SELECT, UPDATE')
                        WHEN c.relkind NOT IN ('i', 'I') THEN
                            has_table_privilege('{role}', c.oid, 'DELETE, TRUNCATE, TRIGGER')
                            OR has_any_column_privilege('{role}', c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
                    END
                UNION ALL
                SELECT p.oid::regprocedure::text FROM pg_catalog.pg_proc AS p
                WHERE p.pronamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
                    AND has_function_privilege('{role}', p.oid, 'EXECUTE')""")
            tally.check(f"{role} reaches nothing", not open_to_it, open_to_it[:200])
            answer = self.attempt("SELECT count(*) FROM wallet.balances", role)
            tally.check(f"{role} is refused when it asks", "permission denied for schema wallet" in answer, answer[:200])

    def attempt(self, statement, role):
        """Returns the result of a statement as a role, or its error."""
        done = subprocess.run(
            [f"{self.bin}/psql", "-XAtq", "-d", self.url(), "-c", f'SET ROLE "{role}"', "-c", statement],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        return done.stdout.strip()

    def check_warnings(self, tally, binary, settings):
        """Checks that the service warns if it is connected as a role that could change the books."""
        for role, warned in ((self.owner, True), ("wallet_service", False)):
            done = subprocess.run(
                [binary, "serve", "--check"], cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env={"PATH": os.environ["PATH"], **PATIENCE, **tokens.environment(), **settings,
                     "DATABASE_URL": self.url(role), "HTTP_PORT": str(processes.free_port())},
            )
            tally.check(f"connected as {role} it {'warns' if warned else 'does not warn'}",
                        done.returncode == 0 and ("connect as wallet_service" in done.stdout) == warned,
                        done.stdout[-400:] if done.returncode else "")


class Owned(Host):
    """A managed server: the given user owns the database and creates roles, and is no superuser."""

    owner = "wallet_migrator"
    section, counts = "Beside it: in a separate database", (2, 2, 1)

    def create_database(self):
        for statement in self.guide()[1]:
            self.psql("-c", statement, database="postgres")


class Supabase(Host):
    """A project of Supabase: its roles, its extension schema, its event triggers, its privileges in schema public."""

    superuser, owner = "supabase_admin", "postgres"
    section, counts = "In your project's own database", (1, 0, 2)
    strangers = ("anon", "authenticated", "authenticator", "service_role")
    # Only the extensions that the server has are used.
    extensions = ("uuid-ossp", "pgcrypto")
    prepare_server = """
        CREATE ROLE postgres LOGIN CREATEDB CREATEROLE REPLICATION BYPASSRLS;
        CREATE ROLE anon NOLOGIN NOINHERIT;
        CREATE ROLE authenticated NOLOGIN NOINHERIT;
        CREATE ROLE service_role NOLOGIN NOINHERIT BYPASSRLS;
        CREATE ROLE authenticator LOGIN NOINHERIT;
        GRANT anon, authenticated, service_role TO authenticator;
        GRANT anon, authenticated, service_role TO postgres WITH ADMIN OPTION;
        ALTER ROLE postgres SET search_path = "$user", public, extensions;
        ALTER ROLE anon SET statement_timeout = '3s';
        ALTER ROLE authenticated SET statement_timeout = '8s';
        """
    prepare_database = """
        CREATE SCHEMA extensions;
        GRANT USAGE ON SCHEMA extensions, public TO postgres, anon, authenticated, service_role;
        GRANT CREATE ON SCHEMA extensions, public TO postgres;
        ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public
            GRANT ALL ON TABLES TO postgres, anon, authenticated, service_role;
        ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public
            GRANT ALL ON FUNCTIONS TO postgres, anon, authenticated, service_role;
        CREATE FUNCTION extensions.pgrst_ddl_watch() RETURNS event_trigger LANGUAGE plpgsql AS $$
        DECLARE
            v_command RECORD;
        BEGIN
            FOR v_command IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP
                IF v_command.schema_name IS DISTINCT FROM 'pg_temp' THEN
                    NOTIFY pgrst, 'reload schema';
                END IF;
            END LOOP;
        END;
        $$;
        CREATE FUNCTION extensions.pgrst_drop_watch() RETURNS event_trigger LANGUAGE plpgsql AS $$
        DECLARE
            v_object RECORD;
        BEGIN
            FOR v_object IN SELECT * FROM pg_event_trigger_dropped_objects() LOOP
                IF NOT v_object.is_temporary THEN
                    NOTIFY pgrst, 'reload schema';
                END IF;
            END LOOP;
        END;
        $$;
        CREATE EVENT TRIGGER pgrst_ddl_watch ON ddl_command_end EXECUTE FUNCTION extensions.pgrst_ddl_watch();
        CREATE EVENT TRIGGER pgrst_drop_watch ON sql_drop EXECUTE FUNCTION extensions.pgrst_drop_watch();
        """


KINDS = {"superuser": Host, "owner": Owned, "supabase": Supabase}
