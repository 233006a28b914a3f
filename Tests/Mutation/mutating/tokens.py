"""Splits the body of an SQL or PL/pgSQL function into tokens, each with its depth in parentheses and CASEs."""
import re
from dataclasses import dataclass

PATTERN = re.compile(
    r"""
    (?P<space>\s+)
    | (?P<comment>--[^\n]*|/\*.*?\*/)
    | (?P<string>[eE]?'(?:[^']|'')*')
    | (?P<quoted>"(?:[^"]|"")*")
    | (?P<number>\d+(?:\.\d+)?(?!\w))
    | (?P<word>[A-Za-z_$][\w$]*)
    | (?P<sign><=|>=|<>|!=|:=|=>|\|\||::|->>|->|\.\.|@>|<@|[-+*/%<>=(),;.\[\]?!|&~^#:])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int
    depth: int

    @property
    def upper(self):
        return self.text.upper() if self.kind == "word" else self.text


def body_range(text):
    """Returns the range of a function's body: after the first $$ and before the last."""
    return text.index("$$") + 2, text.rindex("$$")


def tokens(text):
    """Returns the tokens of a function's body. CASE opens a level that its END closes."""
    found = []
    open_levels = []
    place, end = body_range(text)
    while place < end:
        match = PATTERN.match(text, place, end)
        if match is None:
            raise ValueError(f"cannot read {text[place:place + 20]!r}")
        place = match.end()
        kind, word = match.lastgroup, match.group()
        if kind in ("space", "comment"):
            continue
        upper = word.upper()
        if word in (")", "]") or (upper == "END" and open_levels and open_levels[-1] == "case"):
            open_levels.pop()
        found.append(Token(kind, word, match.start(), match.end(), len(open_levels)))
        if word in ("(", "["):
            open_levels.append("parenthesis")
        elif kind == "word" and upper == "CASE" and not (len(found) > 1 and found[-2].upper == "END"):
            open_levels.append("case")
    return found
