"""Types of the values in config.yaml, with their checks and messages."""

from __future__ import annotations

import ipaddress
import re
from datetime import datetime
from typing import Annotated, Final, Self, TypeVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict

from aggregator.config.suggestions import suggest
from aggregator.model.categories import CATEGORY_NAMES
from aggregator.text.times import durations
from aggregator.text.times.cron import find_fault
from aggregator.text.times.zones import find_zone
from aggregator.text.urls import is_web

_T = TypeVar("_T")

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_FILE_ENDINGS = (".xml", ".atom", ".json", ".opml", ".html", ".css", ".gz", ".br", ".part")
"""Endings of published files, which a web server may take for a file's even if a folder has them."""
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # RFC 9110, section 5.1
_OWN_HEADERS = frozenset(
    {
        *("host", "user-agent", "accept", "accept-encoding", "connection", "content-length", "transfer-encoding"),
        *("if-none-match", "if-modified-since", "range", "te", "upgrade", "proxy-authorization"),
    }
)
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}|\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_BUCKET = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[A-Za-z0-9._-]+)*/?")
_QUEUE = re.compile(r"^rediss?://")
_PASSWORD = re.compile(r"^scrypt\$[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{88}$")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


class Keys(BaseModel):
    """A mapping of known keys; any other key is an error. Numbers are accepted as text."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True, str_strip_whitespace=True)

    def __deepcopy__(self, memo: dict[int, object] | None = None) -> Self:
        """Return the keys themselves, which never change: pydantic copies each default, for each mapping."""
        return self


def _check_web(text: str) -> str:
    if not is_web(text):
        raise ValueError(f'"{text}" is not an http or https address')
    return text


def _check_proxy(text: str) -> str:
    if not text.startswith("http://"):
        raise ValueError("the URL of a proxy begins with http://, such as http://proxy.example:3128")
    return _check_web(text)


def _check_queue(text: str) -> str:
    if not _QUEUE.match(text):
        raise ValueError(f'"{text}" is not the address of a Redis, such as redis://localhost')
    return text


def _check_password(text: str) -> str:
    if not _PASSWORD.fullmatch(text):  # the message must not have it
        raise ValueError("it is not the hash of a password: write what aggregator serve --hash-password prints")
    return text


def _check_network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text))
    except ValueError as error:
        if "host bits" in str(error):
            raise ValueError(f'"{text}" has host bits set; write a network as 10.0.0.0/8') from error
        raise ValueError(f'"{text}" is not a network, such as 10.0.0.0/8') from error


def _check_cron(text: str) -> str:
    if fault := find_fault(text):
        raise ValueError(f'"{text}" is not a cron expression ({fault}); write five fields, such as "17 * * * *"')
    return text


def _check_zone(text: str) -> str:
    find_zone(text)
    return text


def _check_category(text: str) -> str:
    if text not in CATEGORY_NAMES:
        raise ValueError(f'"{text}" is not a category of Apple Podcasts; {suggest(text, CATEGORY_NAMES)}')
    return text


def _check_language(text: str) -> str:
    if not _LANGUAGE.fullmatch(text):
        raise ValueError(f'"{text}" is not a language tag, such as "en" or "pt-BR"')
    return text


def _check_guid(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError as error:
        raise ValueError(f'"{text}" is not a UUID') from error


def _check_email(text: str) -> str:
    if not _EMAIL.fullmatch(text):
        raise ValueError(f'"{text}" is not an e-mail address')
    return text


LONGEST_NAME = 64
"""Characters of the name of a feed or a source."""

RESERVED_NAMES = ("desk", "api", "websub")
"""Names that no feed may have: the paths of the desk, the API and what hubs call."""


def _check_pair(names: list[str]) -> list[str]:
    if len(set(names)) != 2:  # noqa: PLR2004 - a decision is about two
        raise ValueError("name two different entries or items, each by its id or guid")
    return names


def _check_feed_name(name: str) -> str:
    if name.endswith(_FILE_ENDINGS):
        raise ValueError(f'"{name}" is the name of a file; a feed is a folder: leave out the ending')
    if name in RESERVED_NAMES:
        raise ValueError(f'"{name}" is a path of serve itself; take another name')
    return name


def _check_header_name(name: str) -> str:
    if not _HEADER_NAME.fullmatch(name):
        raise ValueError(f'"{name}" is not the name of a header field')
    if name.lower() in _OWN_HEADERS:
        raise ValueError(f"{name} is set by the program; leave it out")
    return name


PUBLIC: Final = "none"
"""In place of a token: the feed is public, also if it was private before."""


def is_token(text: str) -> bool:
    """Return whether a text can be a token itself."""
    return _TOKEN.fullmatch(text) is not None and not text.startswith("$")


def _check_token(text: str) -> str:
    if text != PUBLIC and not _TOKEN.fullmatch(text):  # the message must not have it
        raise ValueError("a token has 16 to 64 letters, digits, dashes or underscores, or is ${NAME}, or none")
    return text


def _check_api_token(text: str) -> str:
    if not _TOKEN.fullmatch(text):  # the message must not have it
        raise ValueError("a token has 16 to 64 letters, digits, dashes or underscores, or is ${NAME}")
    return text


def _to_text(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _check_length(text: str) -> str:
    if durations.parse(text) is None:
        raise ValueError(f'"{text}" is not a length, such as "20 min" or "1:30:00"')
    return text


def _check_day(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f'"{text}" is not a date, such as "2024-05-01"') from error
    return text


def _make_list(value: object) -> object:
    return value if isinstance(value, list) else [value]


def _allow_single(schema: JsonDict) -> None:
    """Allow a value alone in place of a list of one."""
    items = schema.pop("items")
    schema.pop("type")
    schema["anyOf"] = [items, {"type": "array", "items": items, "minItems": 1}]


def _check_contact(text: str) -> str:
    if not re.fullmatch(r"mailto:[!-?A-~]+@[!-?A-~]+", text) and not is_web(text):
        raise ValueError(f'"{text}" is not an http or https address, and not mailto: with an address behind it')
    return text


def _check_output(text: str) -> str:
    if "://" in text and not _BUCKET.fullmatch(text):
        raise ValueError(f'"{text}" is not a folder and not s3://bucket/prefix')
    return text


def _check_pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f'"{text}" is not a regular expression: {error.msg} at position {error.pos or 0}') from error
    return text


Text = Annotated[str, Field(min_length=1)]
OutputPlace = Annotated[Text, AfterValidator(_check_output)]
WebAddress = Annotated[str, AfterValidator(_check_web), Field(json_schema_extra={"pattern": "^https?://"})]
ContactAddress = Annotated[
    str, AfterValidator(_check_contact), Field(json_schema_extra={"pattern": "^(https?://|mailto:.+@)"})
]
ProxyAddress = Annotated[str, AfterValidator(_check_proxy), Field(json_schema_extra={"pattern": "^http://"})]
QueueAddress = Annotated[str, AfterValidator(_check_queue), Field(json_schema_extra={"pattern": _QUEUE.pattern})]
HashedPassword = Annotated[
    str, AfterValidator(_check_password), Field(json_schema_extra={"pattern": _PASSWORD.pattern})
]
Network = Annotated[str, AfterValidator(_check_network)]
Cron = Annotated[str, AfterValidator(_check_cron), Field(json_schema_extra={"examples": ["17 * * * *", "@hourly"]})]
Zone = Annotated[str, AfterValidator(_check_zone), Field(json_schema_extra={"examples": ["Europe/Berlin"]})]
Category = Annotated[str, AfterValidator(_check_category), Field(json_schema_extra={"enum": list(CATEGORY_NAMES)})]
Language = Annotated[str, AfterValidator(_check_language), Field(json_schema_extra={"examples": ["en", "pt-BR"]})]
Guid = Annotated[str, AfterValidator(_check_guid), Field(json_schema_extra={"format": "uuid"})]
Email = Annotated[str, AfterValidator(_check_email), Field(json_schema_extra={"format": "email"})]
Pair = Annotated[list[str], AfterValidator(_check_pair), Field(json_schema_extra={"minItems": 2, "maxItems": 2})]
Plain = Annotated[str, BeforeValidator(_to_text), Field(json_schema_extra={"type": ["string", "number", "boolean"]})]
Pattern = Annotated[str, AfterValidator(_check_pattern), Field(min_length=1, json_schema_extra={"format": "regex"})]
Length = Annotated[str, AfterValidator(_check_length), Field(json_schema_extra={"examples": ["20 min", "1:30:00"]})]
Day = Annotated[str, AfterValidator(_check_day), Field(json_schema_extra={"examples": ["2024-05-01"]})]
OneOrMore = Annotated[list[_T], BeforeValidator(_make_list), Field(min_length=1, json_schema_extra=_allow_single)]
FeedName = Annotated[
    str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=LONGEST_NAME), AfterValidator(_check_feed_name)
]
SourceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=LONGEST_NAME)]
Token = Annotated[
    str, AfterValidator(_check_token), Field(json_schema_extra={"pattern": f"^({PUBLIC}|{_TOKEN.pattern})$"})
]
ApiToken = Annotated[
    str, AfterValidator(_check_api_token), Field(json_schema_extra={"pattern": f"^({_TOKEN.pattern})$"})
]
HeaderName = Annotated[str, AfterValidator(_check_header_name)]
Whole = Annotated[int, Field(strict=True, ge=1)]
