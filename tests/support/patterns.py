"""Every regular expression of the package, how it is used, and strings that would make a careless one slow.

The strings come from the expressions themselves: for each repetition a way to it and what it repeats, so that a new
pattern is attacked without anybody thinking of it.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from re import _parser  # the standard library's own parser of patterns
from typing import NamedTuple

import regex

import aggregator

METHODS = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
SCANNING = frozenset(METHODS) - {"match", "fullmatch"}
WHOLE = Path(aggregator.__file__).parent
Pattern = re.Pattern[str] | re.Pattern[bytes] | regex.Pattern[str]

GENERIC = (
    *(" ", "\n", "\t", "a", "Z", "1", "-", "_", ".", "/", "<", ">", "&", "[", "]", "(", ")", "*", "#", ":", ",", "'"),
    *('"', "\\", "{", "%", "@", "=", "!", "?", "|", "é", "字", "…", "\u00a0", "\u200b", "\ufffd"),
    *("a ", "a-", "a.", "1:", "1 ", " \n", "-\n", "](", "[(", "<a ", "a='", "&a", ". ", "..", "**", "a_", "%2F", "a\n"),
)

AROUND = (("", ""), ("", "\0"), ("a", "a"), ("a ", " a"), ("\0", "\u0101"))
"""What stands before and behind a repeated string: nothing, or what ends a run of letters, of blanks or of signs."""


def named() -> dict[str, Pattern]:
    """The compiled patterns that stand in the package's modules, by module and name, in tuples and mappings too."""
    found: dict[str, Pattern] = {}
    seen: set[int] = set()
    for info in pkgutil.walk_packages([str(WHOLE)], "aggregator."):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            for path, pattern in _within(value):
                if id(pattern) not in seen:
                    seen.add(id(pattern))
                    found[f"{info.name.removeprefix('aggregator.')}.{name}{path}"] = pattern
    return found


def _within(value: object, depth: int = 0) -> Iterator[tuple[str, Pattern]]:
    if isinstance(value, re.Pattern | regex.Pattern):
        yield "", value
    elif depth < 3 and isinstance(value, tuple | list | frozenset | set):
        for number, each in enumerate(value):
            yield from ((f"[{number}]{path}", pattern) for path, pattern in _within(each, depth + 1))
    elif depth < 3 and isinstance(value, Mapping):
        for key, each in value.items():
            yield from ((f"[{key!r}]{path}", pattern) for path, pattern in _within(each, depth + 1))


def inline() -> dict[str, tuple[Pattern, frozenset[str]]]:
    """The patterns written where they are used, as in ``re.sub(r"...", ...)``, with their method."""
    found = {}
    for path, node in _calls("re"):
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re":
            first = node.args[0] if node.args else None
            if function.attr in METHODS and isinstance(first, ast.Constant) and isinstance(first.value, str | bytes):
                name = f"{path.relative_to(WHOLE)}:{node.lineno}"
                found[name] = (re.compile(first.value), frozenset({function.attr}))
    return found


@cache
def used() -> dict[str, frozenset[str]]:
    """The methods that are called on each pattern, by its module and name, anywhere in the package."""
    found: dict[str, set[str]] = {}
    for path, node in _calls(""):
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in METHODS:
            found.setdefault(_owner(path, function.value), set()).add(function.attr)
    return {name: frozenset(methods) for name, methods in found.items()}


def _owner(path: Path, value: ast.expr) -> str:
    """The pattern that is meant, as ``module.NAME``: one of this file, or one that it imports."""
    if isinstance(value, ast.Subscript):
        return _owner(path, value.value)
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
        return f"{_imports(path).get(value.value.id, value.value.id)}.{value.attr}"
    if isinstance(value, ast.Name):
        here = ".".join(path.relative_to(WHOLE).with_suffix("").parts)
        return _imports(path).get(value.id, f"{here}.{value.id}")
    return ""


@cache
def _imports(path: Path) -> dict[str, str]:
    """What the names mean that a file imports from the package."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}".removeprefix("aggregator.")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def _calls(of: str) -> Iterator[tuple[Path, ast.Call]]:
    """Each call in the files in which one of the methods is called of that name, empty for any."""
    wanted = re.compile(rf"{of}\.(?:{'|'.join(METHODS)})\(")
    for path in sorted(WHOLE.rglob("*.py")):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if wanted.search(text) else ():
            if isinstance(node, ast.Call):
                yield path, node


class Attack(NamedTuple):
    """A string that can be made of any length: a start, what is repeated, and an end."""

    start: str
    repeated: str
    end: str

    def text(self, size: int) -> str:
        """Return the string, of about that many characters."""
        return self.start + self.repeated * (size // len(self.repeated)) + self.end


def attacks(pattern: Pattern) -> Iterator[Attack]:
    """Yield each repetition pumped after a way to it, and what upsets most patterns, between several surroundings."""
    tree = _parse(pattern)
    told = dict.fromkeys(GENERIC)
    pieces = dict.fromkeys(("", pump) for pump in told)
    for before, pump in _pumps(tree, ""):
        pieces |= dict.fromkeys((("", pump), (before, pump), ("", before + pump), ("", pump + before)))
    pieces |= dict.fromkeys(("", text) for text in (_sample(tree), _sample(tree)[:-1]))
    # The package regex first looks for a string that every match has: here it stands behind what does not match.
    around = (*AROUND, ("", f"\0{_sample(tree)}")) if isinstance(pattern, regex.Pattern) else AROUND
    for start, pump in pieces:
        if pump:
            yield from (Attack(left + start, pump, right) for left, right in around)


def _parse(pattern: Pattern) -> object:
    """Return the parts of a pattern; what only the package regex has is left out or becomes a character."""
    if isinstance(pattern, re.Pattern):
        return _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    text = re.sub(r"(?:--|&&)\[(?:\\.|[^\]\\])*\]|\\K", "", pattern.pattern)
    text = re.sub(r"\(\?<(?=\w)\w+>", "(", text)
    text = re.sub(r"\\[pP]\{[^}]*\}", lambda found: next(filter(regex.compile(found[0]).match, "😀👍字éa1- ")), text)
    return _parser.parse(text, pattern.flags & (re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE))


def _pumps(tree: object, before: str) -> Iterator[tuple[str, str]]:
    """Each repetition without a near end: a string that leads to it, and one that it repeats."""
    for operation, argument in tree:
        word = str(operation)
        if word in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            _, most, body = argument
            if int(most) > 64:
                for sample in _samples(body):
                    yield before, sample
            yield from _pumps(body, before)
        elif word == "SUBPATTERN":
            yield from _pumps(argument[3], before)
        elif word == "ATOMIC_GROUP":
            yield from _pumps(argument, before)
        elif word == "BRANCH":
            for branch in argument[1]:
                yield from _pumps(branch, before)
        elif word in {"ASSERT", "ASSERT_NOT"}:
            yield from _pumps(argument[1], before)
        before += _sample([(operation, argument)])


def _sample(tree: object) -> str:
    return "".join(_one(operation, argument, 0) for operation, argument in tree)


def _samples(tree: object) -> list[str]:
    """A few different strings that the body of a repetition matches."""
    return list(dict.fromkeys("".join(_one(*part, turn) for part in tree) for turn in range(4)))


def _one(operation: object, argument: object, turn: int) -> str:  # noqa: PLR0911 - a table of the operations
    word = str(operation)
    if word == "LITERAL":
        return chr(argument)
    if word == "NOT_LITERAL":
        return next(letter for letter in "a 1-." if ord(letter) != argument)
    if word == "ANY":
        return "a 1-"[turn]
    if word == "IN":
        return _member(argument, turn)
    if word in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
        least, most, body = argument
        return _turned(body, turn) * max(int(least), min(1, int(most)) if turn % 2 == 0 else 0)
    if word == "SUBPATTERN":
        return _turned(argument[3], turn)
    if word == "ATOMIC_GROUP":
        return _turned(argument, turn)
    if word == "BRANCH":
        branches = argument[1]
        return _turned(branches[turn % len(branches)], turn)
    return ""


def _turned(tree: object, turn: int) -> str:
    return "".join(_one(operation, argument, turn) for operation, argument in tree)


CATEGORIES = {
    "CATEGORY_DIGIT": "1", "CATEGORY_NOT_DIGIT": "a", "CATEGORY_SPACE": " ", "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_WORD": "a", "CATEGORY_NOT_WORD": " ",
}  # fmt: skip


def _member(parts: list[tuple[object, object]], turn: int) -> str:
    """A character of the set, another one for another turn."""
    if str(parts[0][0]) == "NEGATE":
        text = "a 1-.<(é\n"
        held = re.compile(f"[{''.join(_set(part) for part in parts)}]")
        inside = [letter for letter in text if held.match(letter)] or ["\u0101"]
        return inside[turn % len(inside)]
    operation, argument = parts[turn % len(parts)]
    if str(operation) == "RANGE":
        return chr(argument[0])
    return CATEGORIES[str(argument)] if str(operation) == "CATEGORY" else chr(argument)


def _set(part: tuple[object, object]) -> str:
    operation, argument = part
    word = str(operation)
    if word == "NEGATE":
        return "^"
    if word == "RANGE":
        return f"{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}"
    if word == "CATEGORY":
        names = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
        name = str(argument).removeprefix("CATEGORY_")
        return names[name.removeprefix("NOT_")].upper() if name.startswith("NOT_") else names[name]
    return re.escape(chr(argument))
