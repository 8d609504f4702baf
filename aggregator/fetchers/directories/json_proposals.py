"""Propose paths for an unknown JSON value: its lists of objects, and the meaning of their fields."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from aggregator.fetchers.directories.element_fields import is_media
from aggregator.fetchers.directories.element_proposals import Options
from aggregator.fetchers.directories.json_paths import parse_date
from aggregator.fetchers.parsing import html_page
from aggregator.text.times import durations
from aggregator.text.urls import is_web

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DEEPEST_LIST, _DEEPEST_FIELD = 8, 3
_MOST_ROWS = 50
_LEAST_BY_ID = 2
_TYPE = "__typename"  # of each object in GraphQL
_MAX_PROPOSALS = 5
_DISTINCT_SHARE, _LEAST_DISTINCT = 0.9, 0.4  # of the values of a field; of titles that are repeated
_MAX_LENGTH = 10**9  # milliseconds of eleven days

# The names of each field, the likeliest first; a name is found at the end of a path, in any writing of its words.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "headline", "trackname", "heading", "name", "titre", "titel", "titulo", "subject"),
    "date": (
        *("published", "publishedat", "pubdate", "datepublished", "publishdate", "publicationdate", "releasedate"),
        *("releasedat", "airdate", "aired", "released", "broadcastdate", "uploaddate", "dategmt", "date", "datum"),
        *("fecha", "time", "timestamp", "createdat", "created", "datecreated", "postedat", "posted"),
    ),
    "audio": (
        *("audiourl", "audio", "contenturl", "enclosureurl", "enclosure", "mediaurl", "mp3", "streamurl", "fileurl"),
        *("downloadurl", "playurl", "listenurl", "url", "src"),
        *("href", "file"),
    ),
    "length": (
        *("duration", "length", "runtime", "timerequired", "seconds", "millis", "ms", "minutes", "dauer"),
        *("duree", "duracion"),
    ),
    "link": ("link", "permalink", "weburl", "pageurl", "canonicalurl", "url", "href", "path"),
    "text": (
        *("description", "contenthtml", "content", "body", "shownotes", "summary", "excerpt", "abstract", "text"),
        *("blurb", "articlebody", "beschreibung", "resume", "descripcion"),
    ),
    "image": ("image", "imageurl", "artwork", "artworkurl", "thumbnail", "thumbnailurl", "cover", "coverurl"),
    "id": ("id", "uid", "uuid", "guid", "identifier", "episodeid", "key", "slug"),
    "season": ("season", "seasonnumber"),
    "episode": ("episode", "episodenumber", "number"),
}  # fmt: skip
_OTHER_AUDIO = re.compile(r"preview|teaser|trailer|snippet|sample|jingle", re.IGNORECASE)
_AUDIO_NAMES = re.compile(r"audio|enclosure|mp3|m4a|stream|download|(?<!dis)play|listen|media(?!type)", re.IGNORECASE)
_NO_AUDIO_NAMES = re.compile(r"image|img|thumb|cover|artwork|poster|video|page|playlist|transcript", re.IGNORECASE)
_OTHER_FILES = re.compile(
    r"\.(?:jpe?g|png|gif|webp|svg|html?|xml|rss|json|pdf|vtt|srt|m3u8?|zip)(?:[?#]|$)", re.IGNORECASE
)
_UNIT = re.compile(r"(?:in)?(?:milliseconds|millis|seconds|secs|sec|ms|minutes|mins)$")
_PARTS = frozenset({"hours", "minutes", "seconds"})
_MINUTES = re.compile(r"min(?:ute)?s$", re.IGNORECASE)
_WRAPPERS = frozenset({"rendered", "text", "plain", "html", "href", "url", "src", "label", "value", "raw"})
_STEP = re.compile(r'[A-Za-z_]\w*|"[^"\\]*"')
_DIGIT = re.compile(r"\d")
_FULL_DATE = re.compile(r"(?:19|20)\d\d|^1\d{9}(?:\d{3})?$")
_CODE = re.compile(r"[a-z0-9]+(?:[-_.:/][a-z0-9]+)*|[0-9A-F-]{8,}")
_NEXT = re.compile(r"next(?:page|url|href|link)?")
_OTHER_TYPES = re.compile(  # what a page lists beside its entries
    r"(?:(?:User|Critic|Employer|Media)?Review|(?:Music|Social|Education|Business|Theater|Comedy)?Event|"
    r"(?:Aggregate)?Rating|Comment|Question|Answer|Person|Organization|Offer|Product|ImageObject)"
)
_TYPES = re.compile(r"(?:Podcast|Radio)?Episode|BlogPosting|(?:News)?Article|(?:Audio|Video)Object")


def propose(value: object) -> tuple[Options, ...]:
    """Return the options for each list that has titles and dates or audio, those with the most entries first.

    Lists that are named as related or recommended ones come last.
    """
    following = _find_next(value)
    found: list[tuple[bool, int, Options]] = []
    for path, rows in _find_lists(value, "", _DEEPEST_LIST):
        fields = _find_fields(rows[:_MOST_ROWS])
        if "title" in fields and ("date" in fields or "audio" in fields) and _is_of_entries(rows, fields):
            unit = {"unit": "minutes"} if _MINUTES.search(fields.get("length", "")) else {}
            options = fields | {"items": path or "@"} | unit | ({"next": following} if following else {})
            found.append((html_page.is_name_beside(path), -len(rows) * len(fields), tuple(sorted(options.items()))))
    found.sort(key=lambda each: each[:2])
    return tuple(options for *_, options in found[:_MAX_PROPOSALS])


def find_title(value: object, options: Options) -> str | None:
    """Return the title of the object that has the list of these options, or of one around it; ``None`` for none."""
    title, steps = None, iter(_STEP.findall(dict(options)["items"]))
    while isinstance(value, dict):
        names = (value.get(name) for name in ("title", "name"))
        title = next((each.strip() for each in names if isinstance(each, str) and _is_title(each)), title)
        value = value.get(next(steps, "").strip('"'))
    return title


def _is_of_entries(rows: Sequence[Mapping[str, object]], fields: Mapping[str, str]) -> bool:
    """Return whether the fields are of one object: one object may have the title and the date of two others."""
    title, other = (fields[what].rpartition(".")[0] for what in ("title", "date" if "date" in fields else "audio"))
    return len(rows) > 1 or not title or title.split(".")[0] == other.split(".")[0]


def _find_lists(value: object, path: str, depth: int) -> Iterator[tuple[str, list[Mapping[str, object]]]]:
    """Yield every list of objects with its path; lists within lists together."""
    if isinstance(value, list):
        if any(isinstance(each, list) for each in value):
            value = [one for each in value for one in (each if isinstance(each, list) else [each])]
            path = f"{path}[]"
        rows: list[Mapping[str, object]] = [each for each in value if isinstance(each, dict)]
        flat = f"{path}[]" if "[]" in path else path  # within a projection each list would stand by itself
        kinds = {kind for each in rows if isinstance(kind := each.get("@type"), str)}
        for kind in sorted(kinds):
            if _TYPES.fullmatch(kind):
                chosen = [each for each in rows if each.get("@type") == kind]
                yield f"{flat} | [?\"@type\"=='{kind}']".removeprefix(" | "), chosen
        is_one_list = len(kinds) < 2  # noqa: PLR2004 - several types are not one list
        if rows and is_one_list and not any(map(_OTHER_TYPES.fullmatch, kinds)):
            yield flat, rows
        if depth and rows:
            yield from _find_lists_within(rows, f"{path}[]", depth - 1)
        if len(rows) == 1:
            yield from _find_objects_by_id(rows[0], f"{path}[]")
    elif isinstance(value, dict) and depth:
        yield from _find_objects_by_id(value, path)
        yield from _find_lists_within([value], path, depth - 1)


def _find_objects_by_id(value: Mapping[str, object], path: str) -> Iterator[tuple[str, list[Mapping[str, object]]]]:
    """Yield the objects in an object whose keys are their ids, or those of each type of a GraphQL API, or days."""
    rows: list[Mapping[str, object]] = [each for each in value.values() if isinstance(each, dict)]
    by_id = f"{path}.* | []" if "[]" in path else f"{path}.*".removeprefix(".")
    if len(rows) == len(value) > _LEAST_BY_ID and _are_alike(rows):
        yield by_id, rows
    if len(value) > _LEAST_BY_ID and all(isinstance(each, list) and _DIGIT.search(key) for key, each in value.items()):
        days: list[Mapping[str, object]] = [
            one for each in value.values() if isinstance(each, list) for one in each if isinstance(one, dict)
        ]
        yield f"{by_id} | []", days
    for kind, count in Counter(str(each.get(_TYPE, "")) for each in rows).items():
        if count > _LEAST_BY_ID and _PLAIN.fullmatch(kind):
            yield f"{by_id} | [?{_TYPE}=='{kind}']", [each for each in rows if each.get(_TYPE) == kind]


def _are_alike(rows: Sequence[Mapping[str, object]]) -> bool:
    """Return whether objects have most of their fields in common."""
    names = [frozenset(each) for each in rows]
    return 2 * len(frozenset.intersection(*names)) > len(frozenset.union(*names))


def _find_lists_within(
    objects: Sequence[Mapping[str, object]], path: str, depth: int
) -> Iterator[tuple[str, list[Mapping[str, object]]]]:
    """Yield the lists in the fields of objects that stand at one path."""
    for name in dict.fromkeys(name for each in objects for name in each):
        values = [each[name] for each in objects if isinstance(each.get(name), list | dict)]
        lists: list[object] = [each for each in values if isinstance(each, list)]
        place = path
        if 0 < len(lists) < len(values):  # of several objects one has a list here, others an object
            values, place = lists, f"{path} | [?type({_join('', name)})=='array']"
        joined: object = values[0] if values else None
        if len(values) > 1:
            joined = [one for each in values for one in (each if isinstance(each, list) else [each])]
        yield from _find_lists(joined, _join(place, name), depth)


def _join(path: str, name: str) -> str:
    quoted = name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    return f"{path}.{quoted}" if path else quoted


def _find_fields(rows: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """Return the path of each field that most of the rows have."""
    flat = [dict(_flatten(row, "", _DEEPEST_FIELD)) for row in rows]
    paths = dict.fromkeys(path for row in flat for path in row)
    columns = {path: [row[path] for row in flat if row.get(path) is not None] for path in paths}
    fields: dict[str, str] = {}
    for what, (test, share) in _TESTS.items():
        good = [
            path
            for path, values in columns.items()
            if _rank(what, path) is not None
            and path not in fields.values()
            and not (what == "audio" and _OTHER_AUDIO.search(path))
            and not (what == "length" and _is_part(path, columns))
            and sum(map(test, values)) >= share * len(rows)
            and (what not in _DISTINCT or _are_distinct(values))
        ]
        if what == "title" and not good:
            good = [path for path, values in columns.items() if _is_repeated_title(path, values, share * len(rows))]
        if what == "audio" and not good:
            good = [path for path, values in columns.items() if _is_named_audio(path, values, share * len(rows))]
        if good:
            fields[what] = min(good, key=lambda path: (_rank(what, path), path.count(".")))
    return fields | _guess_by_values(columns, fields, len(rows))


def _is_part(path: str, paths: Iterable[str]) -> bool:
    """Return whether a field is one part of a length that is written as hours, minutes and seconds."""
    parent, dot, name = path.rpartition(".")
    return name in _PARTS and any(f"{parent}{dot}{other}" in paths for other in _PARTS - {name})


def _guess_by_values(columns: Mapping[str, Sequence[object]], named: Mapping[str, str], rows: int) -> dict[str, str]:
    """Return the paths of fields that are found by their values alone: their names are unknown words."""
    fields: dict[str, str] = {}
    for what, test in _VALUE_TESTS.items():
        if what in named:
            continue
        used = {*named.values(), *fields.values()}
        fitting = [
            path
            for path, values in columns.items()
            if path not in used
            and not (what == "audio" and _OTHER_AUDIO.search(path))
            and sum(map(test, values)) >= _TESTS[what][1] * rows
            and _are_distinct(values)
        ]
        if fitting:
            fields[what] = max(fitting, key=lambda path: len(str(columns[path]))) if what == "text" else fitting[0]
    return fields


def _flatten(value: object, path: str, depth: int) -> Iterator[tuple[str, object]]:
    """Yield the plain values in an object with their paths; of a list the first, but none of several dated objects."""
    if isinstance(value, dict) and depth >= 0:
        for name, below in value.items():
            yield from _flatten(below, _join(path, name), depth - 1)
    elif isinstance(value, list):
        if len(value) == 1 or (value and not _is_dated(value[0])):
            yield from _flatten(value[0], f"{path}[0]", depth - 1)
    elif path:
        yield path, value


def _is_dated(value: object) -> bool:
    """Return whether a value in a list is an entry of its own, an object with a date."""
    return isinstance(value, dict) and any(map(_VALUE_TESTS["date"], value.values()))


def _rank(what: str, path: str) -> tuple[int, int] | None:
    """Return how well the name at the end of a path fits the field, the best least; ``None`` if it does not."""
    words = [re.sub(r"[^a-z0-9]", "", step.lower()) for step in re.sub(r"\[\d+\]", "", path).split(".")]
    if what == "length":
        words[-1] = _UNIT.sub("", words[-1]) or words[-1]
    names = _NAMES[what]
    if words[-1] in names:
        return names.index(words[-1]), 0
    if len(words) > 1 and words[-1] in _WRAPPERS and words[-2] in names:
        return names.index(words[-2]), 1
    ends = (place for place, name in enumerate(names) if len(name) > 2 and words[-1].endswith(name))  # noqa: PLR2004
    place = next(ends, None)
    return None if place is None else (place, 2)


def _are_distinct(values: Sequence[object], least: float = _DISTINCT_SHARE) -> bool:
    return len({str(each) for each in values}) >= least * len(values)


def _is_title(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) < 300 and not is_web(value)  # noqa: PLR2004


def _is_date(value: object) -> bool:
    found = parse_date(value)
    return found is not None and found.precision != "year" and found.at.year > 1990  # noqa: PLR2004


def _is_length(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    return 0 < value < _MAX_LENGTH if isinstance(value, int | float) else durations.parse(value) is not None


def _is_audio(value: object) -> bool:
    return isinstance(value, str) and is_media(value)


def _is_repeated_title(path: str, values: Sequence[object], least: float) -> bool:
    """Return whether a field of the entry itself is named as the title, such as "Episode 8" of each season."""
    is_named = "." not in path and _rank("title", path) is not None
    return is_named and sum(map(_is_title, values)) >= least and _are_distinct(values, _LEAST_DISTINCT)


def _is_named_audio(path: str, values: Sequence[object], least: float) -> bool:
    """Return whether a field holds audio by its name: addresses without an ending, each another one."""
    addresses = [value for value in values if _is_link(value) and not _OTHER_FILES.search(str(value))]
    named = _AUDIO_NAMES.search(path) and not (_NO_AUDIO_NAMES.search(path) or _OTHER_AUDIO.search(path))
    return bool(named and _rank("audio", path)) and len(addresses) >= max(least, 1) and _are_distinct(values)


def _is_link(value: object) -> bool:
    return isinstance(value, str) and (is_web(value) or value.startswith("/")) and not is_media(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) > 20 and not is_web(value)  # noqa: PLR2004


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and str(value) != ""


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 100_000  # noqa: PLR2004


_TESTS: Mapping[str, tuple[Callable[[object], bool], float]] = {
    "title": (_is_title, 0.8),
    "date": (_is_date, 0.8),
    "audio": (_is_audio, 0.5),
    "length": (_is_length, 0.5),
    "link": (_is_link, 0.8),
    "text": (_is_text, 0.5),
    "image": (_is_link, 0.5),
    "id": (_is_id, 1.0),
    "season": (_is_count, 0.8),
    "episode": (_is_count, 0.8),
}
"""What a value of each field is, and in which share of the entries it must be found."""

_VALUE_TESTS: Mapping[str, Callable[[object], bool]] = {
    "audio": _is_audio,
    "date": lambda value: _is_date(value) and _FULL_DATE.search(str(value)) is not None,
    "text": lambda value: _is_text(value) and " " in str(value).strip(),
    "title": lambda value: (
        _is_title(value) and not (_CODE.fullmatch(str(value)) or _is_audio(value) or _is_date(value))
    ),
}
"""What the values of a field are that is found without its name; in this order."""

_DISTINCT = frozenset({"title", "audio", "link", "id"})


def _find_next(value: object) -> str | None:
    for path, found in _flatten(value if isinstance(value, dict) else {}, "", _DEEPEST_FIELD):
        words = [re.sub(r"[^a-z0-9]", "", step.lower()) for step in path.split(".")]
        if any(_NEXT.fullmatch(word) for word in words[-2:]) and _is_link(found):
            return path
    return None
