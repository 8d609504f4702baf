"""Read fields of foreign JSON by name and type: a value of another type counts as missing and raises no error."""

from __future__ import annotations

import re
from collections.abc import Mapping

_LONGEST_ID = 400  # characters
_MAX_NUMBER = 2**53
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})?")


class JsonObject:
    """A JSON object; what is none is an empty one.

    Each method takes several names, and returns the first value that fits, ``None`` if none does.
    """

    def __init__(self, value: object = None) -> None:
        """Take any JSON value."""
        self._fields: Mapping[str, object] = value if isinstance(value, Mapping) else {}

    def __bool__(self) -> bool:
        """Return whether the object has any field."""
        return bool(self._fields)

    def get(self, name: str) -> object:
        """Return a field as it is."""
        return self._fields.get(name)

    def text(self, *names: str) -> str | None:
        """Return text that is not blank, stripped."""
        values = map(self.get, names)
        return next((value.strip() for value in values if isinstance(value, str) and value.strip()), None)

    def id(self, *names: str) -> str | None:
        """Return text or a whole number, as text."""
        for value in map(self.get, names):
            if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MAX_NUMBER:
                return str(value)
            if isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST_ID:
                return value.strip()
        return None

    def number(self, *names: str) -> float | None:
        """Return a number or the text of one, not less than 0."""
        for given in map(self.get, names):
            value = float(given) if isinstance(given, str) and _NUMBER.fullmatch(given.strip()) else given
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MAX_NUMBER:
                return value
        return None

    def integer(self, *names: str) -> int | None:
        """Return a whole number or the text of one, not less than 0."""
        for found in map(self.id, names):
            if found and found.isascii() and found.isdecimal() and len(found) < len(str(_MAX_NUMBER)):
                return int(found)
        return None

    def boolean(self, *names: str) -> bool | None:
        """Return true or false."""
        return next((value for value in map(self.get, names) if isinstance(value, bool)), None)

    def inner(self, *path: str) -> JsonObject:
        """Return the object at the end of the path, an empty one if there is none."""
        found = self
        for name in path:
            found = JsonObject(found.get(name))
        return found

    def objects(self, *path: str) -> tuple[JsonObject, ...]:
        """Return the objects in the list at the end of the path, none if there is no list."""
        return list_objects(self.inner(*path[:-1]).get(path[-1]))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the texts in a list, each once; of objects their ``name``."""
        listed = self.get(name)
        items = listed if isinstance(listed, list) else []
        named = (JsonObject(one).text("name") if isinstance(one, Mapping) else one for one in items)
        return tuple(dict.fromkeys(one.strip() for one in named if isinstance(one, str) and one.strip()))

    def values(self) -> tuple[object, ...]:
        """Return the values of all fields."""
        return tuple(self._fields.values())


def list_objects(value: object) -> tuple[JsonObject, ...]:
    """Return the objects in a list, none if it is no list."""
    return tuple(JsonObject(one) for one in value if isinstance(one, Mapping)) if isinstance(value, list) else ()
