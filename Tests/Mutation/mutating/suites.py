"""Finds the test files for a function, and runs them."""
import functools
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
FUNCTIONS = ROOT / "sql/functions"
TESTS = ROOT / "sql/tests"
SHARED = TESTS / "support/isolation.sql"
CALL = re.compile(r"\b(wallet|pg_temp|admin)\.(\w+)")
TRIGGER = re.compile(r"\bON ((?:admin|wallet)\.\w+)\b[^;]*?EXECUTE FUNCTION wallet\.(\w+)")
# These test how functions are written or who may call them, not what they do.
BLIND = {
    "definers", "forbidden_statements", "house", "plpgsql_check", "rights", "rights_list", "rooms", "scans",
    "service_login",
}
# A mutant may loop for ever. A test gets ten times as long as it takes without a mutant, but at least so many seconds.
SECONDS = 60
# The time limit of a test without a mutant, also on a machine that is busy with other work.
PATIENCE = 1500
# On Debian, psql in the PATH is a script that chooses a version; that takes longer than many of the tests.
BINARIES = pathlib.Path(subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True).stdout.strip())


START = re.compile(r"^CREATE (?:OR REPLACE )?FUNCTION wallet\.(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Source:
    """A function's part of a file: its header, its definition and what follows up to the next function's header."""

    path: pathlib.Path
    text: str
    line: int


def sources_in(path):
    """Returns the functions of a file with their parts of it."""
    text = path.read_text()
    starts = []
    for match in START.finditer(text):
        header = re.search(r"(?:^--[^\n]*\n)*\Z", text[: match.start()], re.MULTILINE)
        starts.append((match.group(1), header.start() if starts else 0))
    ends = [start for _, start in starts[1:]] + [len(text)]
    return {
        name: Source(path, text[start:end], text.count("\n", 0, start) + 1)
        for (name, start), end in zip(starts, ends)
    }


@functools.cache
def sources():
    """Returns the parts of all files by function; function names are unique across files."""
    return {name: source for path in sorted(FUNCTIONS.rglob("*.sql")) for name, source in sources_in(path).items()}


def source_of(function):
    if function not in sources():
        sys.exit(f"mutation: sql/functions has no function {function}")
    return sources()[function]


def calls(text):
    return {name if schema == "wallet" else f"{schema}.{name}" for schema, name in CALL.findall(text)}


def with_includes(path):
    """Returns a test's text with the tests that it includes. Functions of support/ are found by name instead."""
    text = path.read_text()
    included = re.findall(r"^\\ir ((?:\.\./(?!support|\.\.)\w+/)?\w+\.sql)$", text, re.MULTILINE)
    return "\n".join([text, *((path.parent / name).read_text() for name in included)])


class Map:
    """The calls that the sources contain: in tests, helpers under tests/support, triggers, and functions."""

    def __init__(self):
        self.sources = sources()
        self.calls = {name: calls(source.text) - {name} for name, source in self.sources.items()}
        for path in sorted((TESTS / "support").glob("*.sql")):
            for name, body in re.findall(r"CREATE FUNCTION pg_temp\.(\w+)(.*?)\$\$;", path.read_text(), re.DOTALL):
                self.calls[f"pg_temp.{name}"] = calls(body) - {f"pg_temp.{name}"}
        # The functions and views that all isolation specs share have no schema.
        found = re.findall(r"^CREATE (?:FUNCTION|VIEW) (\w+)(.*?)(?=^CREATE |\Z)", SHARED.read_text(), re.M | re.S)
        self._shared = {name for name, _ in found}
        for name, body in found:
            self.calls[f"spec.{name}"] = self._called_in_spec(body) - {f"spec.{name}"}
        for path in sorted((ROOT / "sql").rglob("*.sql")):
            if TESTS not in path.parents:
                for target, name in TRIGGER.findall(path.read_text()):
                    self.calls.setdefault(target.removeprefix("wallet."), set()).add(name)
        self.files = sorted(
            path for path in TESTS.rglob("*.sql") if path.parent.name != "support" and path.stem not in BLIND
        )
        self.specs = sorted((TESTS / "isolation").rglob("*.spec"))
        texts = {path: with_includes(path) for path in self.files + self.specs}
        self._tops = {path: "\n".join(text.splitlines()[:3]) for path, text in texts.items()}
        self._distances = {
            path: self._distances_from(self._called_in_spec(text) if path in self.specs else calls(text))
            for path, text in texts.items()
        }

    def _called_in_spec(self, text):
        return calls(text) | {f"spec.{name}" for name in self._shared.intersection(re.findall(r"\w+", text))}

    def _distances_from(self, wave):
        """Returns the number of calls between a test and each function; the test calls the functions of the wave."""
        distances, distance = {}, 1
        while wave:
            for name in wave:
                distances[name] = distance
            wave = {called for name in wave for called in self.calls.get(name, ())} - distances.keys()
            distance += 1
        return distances

    def callers(self, function):
        return sorted(name for name, called in self.calls.items() if function in called and "." not in name)

    def ranked(self, function, paths):
        """Returns the tests that can reach a function, the nearest first: its own test, tests that name the function in
        their first lines or that its file names, tests of its callees and callers, then by the number of calls."""
        source = self.sources[function].text
        beside = self.calls[function] | set(self.callers(function))

        def place(path):
            is_named = f"tests/{path.name}" in source or re.search(rf"\b{function}\b", self._tops[path]) is not None
            distance = self._distances[path].get(function, 0)
            return path.stem != function, not is_named, path.stem not in beside, distance, path.name

        reaching = [path for path in paths if function in self._distances[path] or path.stem == function]
        return sorted(reaching, key=place)


class Clone:
    """A clone of the template database, in which one function may be replaced by a mutant."""

    def __init__(self, template, name):
        self.template, self.name = template, name

    def make(self, mutant=None):
        """Makes the clone again; returns whether PostgreSQL accepts the mutant."""
        self.drop()
        run([str(BINARIES / "createdb"), "--strategy", "file_copy", "--template", self.template, self.name])
        return mutant is None or psql(self.name, ["-1", "-f", "-"], mutant).returncode == 0

    def drop(self):
        run([str(BINARIES / "dropdb"), "--if-exists", "--force", self.name])

    def passes(self, path, mutant=None, seconds=PATIENCE):
        """Returns whether a pgTAP file passes in time.

        It runs in a new clone: where other files filled and emptied the tables, plans differ, and some files take ten
        times as long.
        """
        self.make(mutant)
        try:
            result = psql(self.name, ["-f", str(path.relative_to(ROOT))], seconds=seconds)
        except subprocess.TimeoutExpired:
            return False
        return (
            result.returncode == 0
            and re.search(r"^1\.\.\d+", result.stdout, re.MULTILINE) is not None
            and re.search(r"^not ok(?!.*# TODO)", result.stdout, re.MULTILINE) is None
        )


def passes_spec(template, database, text, path, seconds):
    """Returns whether an isolation spec passes in time with a mutant, in a separate database."""
    makefiles = pathlib.Path(run(["pg_config", "--pgxs"]).stdout.strip()).parent
    tester = makefiles / "../../src/test/isolation/isolationtester"
    clone = Clone(template, database)
    try:
        clone.make(text)
        psql(database, ["-f", str(SHARED)])
        result = subprocess.run(
            [str(tester), f"dbname={database}"], stdin=path.open(), capture_output=True, text=True, timeout=seconds
        )
        expected = (path.parent / "expected" / f"{path.stem}.out").read_text()
        return result.returncode == 0 and result.stdout + result.stderr == expected
    except subprocess.TimeoutExpired:
        return False
    finally:
        clone.drop()


def psql(database, arguments, text=None, seconds=PATIENCE):
    # The server cancels statements of mutants that would never end.
    environment = os.environ | {"PGOPTIONS": f"-c statement_timeout={seconds - 20:.0f}s"}
    return subprocess.run(
        [str(BINARIES / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", database, *arguments],
        cwd=ROOT, env=environment, input=text, capture_output=True, text=True, timeout=seconds,
    )


def run(command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
