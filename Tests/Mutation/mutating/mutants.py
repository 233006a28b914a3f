"""Makes the mutants of a function: each is the function's part of its file with one small fault in it."""
import hashlib
from dataclasses import dataclass

from .tokens import tokens

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "<>": "=", "=": "<>"}
SWAPS = {"GREATEST": "least", "LEAST": "greatest", "TRUE": "FALSE", "FALSE": "TRUE"}
UNITS = {"'credit'": "'visit'", "'visit'": "'credit'"}
# The words that end a condition at the same depth.
ENDS = {
    "AND", "OR", "THEN", "LOOP", "ORDER", "GROUP", "LIMIT", "RETURNING", "FOR", "UNION", "WHERE", "ELSE", "WHEN",
    "LEFT", "INNER", "CROSS", "JOIN", "ON", "HAVING", "SET", "DO", "AS", "FROM", "INTO", ",", ";",
}
OPENERS = {"WHERE", "ON", "WHEN", "IF", "ELSIF", "HAVING"}
LOCKS = ("UPDATE", "NO KEY UPDATE", "SHARE", "KEY SHARE")


@dataclass(frozen=True)
class Mutant:
    function: str
    kind: str
    line: int
    before: str
    after: str
    text: str
    number: int = 0

    @property
    def id(self):
        """An id that depends on the line's text, not on its place in the file."""
        said = "\0".join([self.function, self.before, self.after, str(self.number)])
        return hashlib.sha1(said.encode()).hexdigest()[:8]


class Mutations:
    """Finds the places in one function's part of a file where a fault can be inserted."""

    def __init__(self, function, source):
        self.function, self.text, self.first_line = function, source.text, source.line
        self.tokens = tokens(source.text)
        self.edits = []

    def mutants(self):
        for index, token in enumerate(self.tokens):
            self._signs(index, token)
            self._constants(token)
            self._absence(index, token)
            self._conditions(index, token)
            self._locks(index, token)
            self._orders(index, token)
            self._statements(index, token)
        return self._made()

    def _made(self):
        found, seen, numbers = [], {self.text}, {}
        for start, end, replacement, kind in sorted(self.edits, key=lambda edit: edit[:3]):
            text = self.text[:start] + replacement + self.text[end:]
            if text in seen:
                continue
            seen.add(text)
            first = self.text.rfind("\n", 0, start) + 1
            last = self.text.find("\n", end)
            before = " ".join(self.text[first:last].split())
            after = " ".join((self.text[first:start] + replacement + self.text[end:last]).split())
            number = numbers[before, after] = numbers.get((before, after), -1) + 1
            line = self.text.count("\n", 0, start) + self.first_line
            found.append(Mutant(self.function, kind, line, before, after, text, number))
        return found

    def _edit(self, kind, start, end, replacement):
        self.edits.append((start, end, replacement, kind))

    def _replace(self, kind, token, replacement):
        self._edit(kind, token.start, token.end, replacement)

    def _at(self, index):
        return self.tokens[index] if 0 <= index < len(self.tokens) else None

    def _word(self, index):
        token = self._at(index)
        return token.upper if token else ""

    # Comparisons and arithmetic

    def _signs(self, index, token):
        if token.kind != "sign":
            return
        if token.text in COMPARISONS and not self._assigns(index) and not self._joins(index):
            self._replace("comparison", token, COMPARISONS[token.text])
        before = self._at(index - 1)
        is_binary = before is not None and (
            before.kind in ("number", "string", "quoted") or before.text in (")", "]")
            or (before.kind == "word" and before.upper not in {"RETURN", "THEN", "ELSE", "WHEN", "SELECT", "AND", "OR"})
        )
        if token.text == "-":
            self._replace("sign", token, "+" if is_binary else "")
        elif token.text == "+":
            self._replace("sign", token, "-")
        elif token.text == "*" and is_binary and before.text != "." and self._word(index - 1) != "SELECT":
            self._replace("sign", token, "+")
        elif token.text == "/":
            self._replace("sign", token, "*")

    def _assigns(self, index):
        """Whether an equals sign assigns a value: RAISE … USING x =, UPDATE … SET x =."""
        if self.tokens[index].text != "=":
            return False
        if self._word(index - 1) in ("ERRCODE", "MESSAGE", "DETAIL", "HINT"):
            return True
        if self._word(index - 2) == "SET":
            return True
        if self._word(index - 2) != ",":
            return False
        depth = self.tokens[index].depth
        for other in reversed(self.tokens[: index - 2]):
            if other.depth < depth or (other.depth == depth and other.upper in ("WHERE", ";", "SELECT", "THEN")):
                return False
            if other.depth == depth and other.upper == "SET":
                return True
        return False

    def _joins(self, index):
        """Whether an equals sign is a query's condition. Such a condition is dropped, which is harder to detect."""
        if self.tokens[index].text != "=":
            return False
        depth = self.tokens[index].depth
        for token in reversed(self.tokens[:index]):
            if token.depth < depth:
                return False
            if token.depth == depth and token.upper in ("WHERE", "ON"):
                return True
            if token.depth == depth and token.upper in ("IF", "ELSIF", "WHEN", "SELECT", "RETURN", ":=", ";", "("):
                return False
        return False

    # Constants

    def _constants(self, token):
        if token.kind == "number" and "." not in token.text:
            self._replace("constant", token, str(int(token.text) + 1))
        elif token.kind == "word" and token.upper in SWAPS:
            self._replace("constant" if token.upper in ("TRUE", "FALSE") else "extreme", token, SWAPS[token.upper])
        elif token.text in UNITS:
            self._replace("constant", token, UNITS[token.text])
        elif token.kind == "string" and token.text[1:2].isdigit():
            count, space, unit = token.text[1:-1].partition(" ")
            if space and count.isdigit() and unit.rstrip("s") in ("minute", "hour", "day", "second", "month"):
                self._replace("constant", token, f"'{int(count) + 1} {unit}'")

    # NULL, FOUND, EXISTS, DISTINCT

    def _absence(self, index, token):
        word, follower = token.upper, self._at(index + 1)
        if word == "IS" and self._word(index + 1) == "NULL":
            self._edit("comparison", token.start, follower.end, "IS NOT NULL")
        elif word == "IS" and self._word(index + 1) == "NOT" and self._word(index + 2) == "NULL":
            self._edit("comparison", token.start, self._at(index + 2).end, "IS NULL")
        elif word == "IS" and self._word(index + 1) == "DISTINCT":
            self._replace("comparison", follower, "NOT DISTINCT")
        elif word == "IS" and self._word(index + 1) == "NOT" and self._word(index + 2) == "DISTINCT":
            self._edit("comparison", follower.start, self._at(index + 2).end, "DISTINCT")
        elif word == "NOT" and self._word(index + 1) in ("FOUND", "EXISTS"):
            self._edit("comparison", token.start, follower.start, "")
        elif word in ("FOUND", "EXISTS") and self._word(index - 1) != "NOT":
            self._edit("comparison", token.start, token.start, "NOT ")

    # Conditions

    def _end_of_condition(self, index, depth):
        """Returns the index of the token that ends the condition at an index: the first of ENDS that is no deeper."""
        between = False
        while index < len(self.tokens):
            token = self.tokens[index]
            if token.depth < depth:
                return index
            if token.depth == depth:
                if token.upper == "BETWEEN":
                    between = True
                elif token.upper == "AND" and between:
                    between = False
                elif token.upper == "FROM" and self._word(index - 1) == "DISTINCT":
                    pass
                elif token.upper in ENDS:
                    return index
            index += 1
        return index

    def _is_between(self, index):
        """Whether an AND belongs to a BETWEEN."""
        depth = self.tokens[index].depth
        for place in range(index - 1, -1, -1):
            token = self.tokens[place]
            if token.depth < depth or (token.depth == depth and token.upper in ENDS):
                return False
            if token.depth == depth and token.upper == "BETWEEN":
                return True
        return False

    def _conditions(self, index, token):
        if token.upper in ("AND", "OR") and token.kind == "word" and not self._is_between(index):
            end = self._end_of_condition(index + 1, token.depth)
            if end < len(self.tokens):
                self._edit("condition", token.start, self.tokens[end - 1].end, "")
        if token.upper in OPENERS and token.kind == "word":
            self._first_condition(index, token)

    def _first_condition(self, index, token):
        if self._word(index - 1) == "END" or self._word(index + 1) == "CONFLICT":
            return
        if token.upper == "ON" and self._word(index + 1) in ("CONFLICT", "TRUE"):
            return
        end = self._end_of_condition(index + 1, token.depth)
        if end >= len(self.tokens) or end == index + 1:
            return
        first, last = self.tokens[index + 1], self.tokens[end - 1]
        if self._word(end) in ("AND", "OR"):
            self._edit("condition", first.start, self.tokens[end + 1].start, "")
        elif token.upper in ("WHERE", "HAVING"):
            self._edit("condition", first.start, last.end, "TRUE")
        elif token.upper in ("IF", "ELSIF"):
            self._edit("condition", first.start, last.end, "FALSE")
        elif token.upper == "WHEN" and self._word(index - 1) in ("EXIT", "CONTINUE"):
            self._edit("condition", first.start, last.end, "FALSE")

    # Locks and orders

    def _locks(self, index, token):
        if token.upper != "FOR":
            return
        words = [self._word(index + step) for step in range(1, 4)]
        for lock in sorted(LOCKS, key=len, reverse=True):
            parts = lock.split()
            if words[: len(parts)] != parts:
                continue
            last = index + len(parts)
            while self._word(last + 1) in ("OF", "SKIP", "LOCKED", "NOWAIT") or self._word(last) == "OF":
                last += 1
            self._edit("lock", token.start, self.tokens[last].end, "")
            if self._word(last) in ("LOCKED", "NOWAIT"):
                first = last - (self._word(last) == "LOCKED")
                self._edit("lock", self.tokens[first].start, self.tokens[last].end, "")
            return

    def _orders(self, index, token):
        if token.upper != "ORDER" or self._word(index + 1) != "BY":
            return
        end = index + 2
        key = None
        while end < len(self.tokens) and not (
            self.tokens[end].depth < token.depth
            or (self.tokens[end].depth == token.depth and self.tokens[end].upper in ENDS - {","})
        ):
            if key is None and self.tokens[end].depth == token.depth and self.tokens[end].upper in (",", "DESC"):
                key = end
            end += 1
        key = end if key is None else key
        self._edit("order", token.start, self.tokens[end - 1].end, "")
        if self._word(key) == "DESC":
            self._replace("order", self.tokens[key], "")
        else:
            place = self.tokens[key - 1].end
            self._edit("order", place, place, " DESC")

    # Statements

    def _statements(self, index, token):
        is_first = self._word(index - 1) in ("", ";", "THEN", "ELSE", "LOOP", "BEGIN")
        if not is_first or token.upper not in ("PERFORM", "RAISE", "RETURN"):
            return
        end = index
        while end < len(self.tokens) and self.tokens[end].text != ";":
            end += 1
        if end >= len(self.tokens):
            return
        called = self._word(index + 3) if self._word(index + 2) == "." else ""
        if token.upper == "PERFORM":
            kind = "lock" if called.startswith("LOCK_") else "call"
        else:
            kind = "refusal"
        # A function without its last RETURN always fails, so this mutant would prove nothing.
        if token.upper == "RETURN" and self._word(end + 1) == "END" and self._word(end + 2) == ";" and end + 3 >= len(
            self.tokens
        ):
            return
        self._edit(kind, token.start, self.tokens[end].end, "NULL;")


def mutants_of(function, source):
    return Mutations(function, source).mutants()
