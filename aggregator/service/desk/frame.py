"""The frame of every page: what views are given, what they answer, and how that becomes HTML or JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from msgspec import Struct
from msgspec.structs import replace

from aggregator.config.load import load
from aggregator.config.scalars import is_token
from aggregator.config.settings import Config, DeskAccess
from aggregator.corrections import DecidedError, Terms
from aggregator.errors import AggregatorError, ChangedError, ConfigError, FetchError, StoreError
from aggregator.fetchers import credentials
from aggregator.generator.content.sanitize import clean_line
from aggregator.generator.pages import subscribe, wording
from aggregator.model.entry import Moment
from aggregator.model.feed import Plan
from aggregator.service.desk import charts
from aggregator.service.desk.access import Sessions
from aggregator.service.desk.errors import BusyError, MissingError, RefusedError
from aggregator.service.desk.jobs import Jobs
from aggregator.service.desk.visitor_cache import VisitorCache
from aggregator.service.desk.words import WORDS
from aggregator.store import connection, database
from aggregator.store.database import Store
from aggregator.text.times.zones import format_time
from aggregator.translation.locale import ENGLISH, NAMES, SOURCE, Locale
from aggregator.translation.marks import N_, nN_
from aggregator.translation.sentences import translate_sentence
from aggregator.version import VERSION

_SHORTEST_SECRET: Final = 8
_LONGEST_NUMBER: Final = 7
_Row = TypeVar("_Row")


class Button(Struct, frozen=True):
    """A form of one button: its words, where it is sent, its hidden fields, and the key that presses it, if any."""

    label: str
    action: str
    fields: Mapping[str, str] = {}
    key: str = ""


class ActResult(Struct, frozen=True):
    """The result of an act: the page to show next, a line to show on it, and the button that undoes it, if any.

    ``page`` is its path below the desk, with a query. It has a fragment only where there is no line.
    """

    page: str
    message: str = ""
    undo: Button | None = None


class PageRequest(Struct, frozen=True):
    """A request: the names in its address, its query, the fields and files of its form, and the id of its visitor.

    ``locale`` is that of the answer: English for programs.
    """

    names: Mapping[str, str]
    query: Mapping[str, str] = {}
    form: Mapping[str, str] = {}
    files: Mapping[str, bytes] = {}
    visitor: str = ""
    locale: Locale = ENGLISH

    def find(self, name: str) -> str:
        """Return a field of the form; raise RefusedError if it was not sent."""
        if not (value := self.form.get(name, "").strip()):
            raise RefusedError(N_("the form lacks the field %(field)s"), field=name)
        return value


class Desk:
    """State that all pages share: the config as its file is now, commands under way, sessions, and cached values."""

    root: Final = "/desk"

    def __init__(self, config: Config, *, password: str | None = None) -> None:
        """Begin with a config that was read already; the hash of a ``password`` counts before that of the config."""
        self._password = password
        self.jobs = Jobs(config.path, self.hide)
        self.sessions = Sessions()
        self.cache = VisitorCache()
        self.mistakes = ""
        self._config, self._mark = config, (0, 0)
        self._lock = Lock()

    @property
    def config(self) -> Config:
        """Return the config, read again if its file changed; a wrong one is not used, and ``mistakes`` says why."""
        with self._lock:
            try:
                state = self._config.path.stat()
                mark = (state.st_mtime_ns, state.st_size)
                if mark != self._mark:
                    self._mark = mark
                    self._config, self.mistakes = load(self._config.path), ""
            except OSError as error:
                self._mark = (0, 0)  # the same file may come back
                self.mistakes = f"{self._config.path}: cannot be read: {error.strerror}"
            except ConfigError as error:
                self.mistakes = str(error)
            return self._config

    def make_locale(self, language: str = SOURCE) -> Locale:
        """Return a language with the time zone of the config."""
        return Locale(language, self.config.timezone)

    def hide(self, text: str) -> str:
        """Return a text without the tokens of private feeds and the values of header fields that may be secrets."""
        for plan in self._config.plans:
            text = plan.channel.hide_token(text)
            own = (value for source in plan.sources for _, value in source.headers)
            secrets_ = (self._config.api_token, plan.channel.token, *own)
            for secret in secrets_:
                text = text.replace(secret, "…") if len(secret) >= _SHORTEST_SECRET else text
        return text

    @property
    def titles(self) -> Mapping[str, str]:
        """Return the titles of the feeds of the config, by their names."""
        return {plan.name: plan.channel.title for plan in self.config.plans}

    @property
    def access(self) -> DeskAccess:
        """Return who may enter."""
        given = self.config.desk
        return replace(given, password=self._password) if self._password else given

    def read_api_token(self) -> str:
        """Return the token of the API, empty if the config has none; raise ConfigError if its secret is missing."""
        token = self.config.api_token
        if not token.startswith("$"):
            return token
        try:
            ((_, value),) = credentials.read_named_secrets(token)
        except FetchError as error:
            raise ConfigError(f"api.token: {error}") from error
        if not is_token(value):
            raise ConfigError(f"api.token: the value of {token} is not 16 to 64 letters, digits, - or _")
        return value

    def open_folder(self, plan: Plan) -> Path:
        """Return the folder of this machine that has the published files of a feed."""
        return self.config.output.open_folder(plan.channel.folder)

    def find_plan(self, request: PageRequest) -> Plan:
        """Return the feed that the address names; raise MissingError."""
        name = request.names["feed"]
        for plan in self.config.plans:
            if plan.name == name:
                return plan
        raise MissingError(N_("the config has no feed %(feed)s"), feed=name)

    @contextmanager
    def open_store(self) -> Iterator[Store]:
        """Open a snapshot of the store, to read it; raise MissingError if there is none yet."""
        with self._open_store() as store, database.reading(store) as snapshot:
            yield replace(store, connection=snapshot)

    @contextmanager
    def open_terms(self, request: PageRequest) -> Iterator[Terms]:
        """Open the store to correct the feed that the address names, if what is decided is what the form has seen."""
        with self._open_store() as store:
            yield Terms(store, self.find_plan(request), now(), request.form.get("seen") or None)

    @contextmanager
    def _open_store(self) -> Iterator[Store]:
        """Open the store if there is one: none is made by looking."""
        state = self.config.state
        if not connection.has_content(state):
            raise MissingError(N_("there is no store yet: refresh a feed first"))
        with database.open_store(state) as store:
            yield store


_Gather = Callable[[Desk, PageRequest], Struct]
_Do = Callable[[Desk, PageRequest], ActResult]


class Page(Struct, frozen=True):
    """A page: its path below the desk, the template that shows it, and the function that gathers what it shows.

    ``headers`` take the place of those of other pages. ``is_slow`` is whether the function runs a command to its end.
    ``needs`` and ``takes`` describe the query by name: what must be in it, and what may. ``in_api`` is whether
    programs get it, too: the first line of the function's docstring then describes it to them.
    """

    path: str
    template: str
    gather: _Gather
    headers: Mapping[str, str] = {}
    is_slow: bool = False
    needs: Mapping[str, str] = {}
    takes: Mapping[str, str] = {}
    in_api: bool = True


class Act(Struct, frozen=True):
    """An act: the path that its forms are sent to, and the function that does it.

    The rest is as in `Page`, but ``needs`` and ``takes`` describe the fields of the form. ``*`` stands for any others.
    """

    path: str
    do: _Do
    is_slow: bool = False
    needs: Mapping[str, str] = {}
    takes: Mapping[str, str] = {}
    in_api: bool = True


SEEN: Final = {"seen": "The state that the page showed as `seen`: the act is refused if another decision came since."}
"""The field by which two people's acts do not undo each other."""

PAGE: Final = {"page": "The number of the page, from 1."}
"""The query of a list that has pages."""


class MenuCounts(Struct, frozen=True):
    """The numbers in the menu: sources that fail, and pairs to decide, in all feeds."""

    failing: int = 0
    pairs: int = 0


class Frame(Struct, frozen=True):
    """The surroundings of a page: the prefix of its links, the token of its forms, and the notice of the last act.

    ``waiting`` is ``None`` for one who may not enter: there is no menu. ``here`` is the address of the page, to which
    the choice of another language leads back. ``titles`` are those of the feeds of the config.
    """

    root: str
    token: str
    waiting: MenuCounts | None
    notice: ActResult | None = None
    can_log_out: bool = False
    locale: Locale = ENGLISH
    here: str = ""
    titles: Mapping[str, str] = {}
    version: str = VERSION

    def name_feed(self, name: str) -> str:
        """Return the title of a feed, its name if the config does not have it any more."""
        return self.titles.get(name, name)


_STATUS: Final[Mapping[type[AggregatorError], int]] = {
    MissingError: 404,
    DecidedError: 409,
    ChangedError: 409,
    BusyError: 409,
    StoreError: 503,
}


def find_status(error: AggregatorError) -> int:
    """Return the status of the answer to an act or a page that ended with this error."""
    return next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 422)


def parse_number(text: str) -> int:
    """Return a number of a query, 0 for anything else.

    >>> parse_number("12"), parse_number("-1"), parse_number("9" * 5000)
    (12, 0, 0)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _LONGEST_NUMBER else 0


def paginate(rows: Sequence[_Row], request: PageRequest, size: int) -> tuple[Sequence[_Row], int, int]:
    """Return the rows of the page that the query asks for, its number, from 1, and how many pages there are."""
    pages = max(1, -(-len(rows) // size))
    page = min(max(1, parse_number(request.query.get("page", ""))), pages)
    return rows[(page - 1) * size : page * size], page, pages


def now() -> datetime:
    """Return the time in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


def to_json(gathered: object) -> bytes:
    """Return what a page shows as JSON."""
    return msgspec.json.format(msgspec.json.encode(gathered, enc_hook=str), indent=2)


def render(template: str, page: Any, frame: Frame) -> str:
    """Return a page as HTML, in the language of its frame."""
    words = frame.locale.make_words()
    return _ENVIRONMENT.get_template(template).render(page=page, frame=frame, languages=NAMES, **words)


def format_exact(at: datetime, locale: Locale, *, seconds: bool = False) -> str:
    """Return a time: in English, which programs read too, in the order of ISO 8601, else as the language has it."""
    if locale.language == SOURCE:
        return format_time(at, locale.timezone, seconds=seconds)
    return locale.format_time(at)


def _quote(value: object, most: int = 300) -> Markup:
    """Return a text of a source on one line, cut and isolated, so that it changes nothing around it."""
    return Markup("<bdi>{}</bdi>").format(clean_line(str(value), most))


@pass_context
def _translate_sentence(context: Context, value: object, most: int = 300) -> Markup:
    """Return a line of the program in the language of the page; one that is not known is marked as English."""
    locale: Locale = context["locale"]
    translated = str(value) if locale.language == SOURCE else translate_sentence(str(value), locale)
    if translated or not value:
        return _quote(translated or "", most)
    return Markup('<bdi lang="en">{}</bdi>').format(clean_line(str(value), most))


def _mark_code(text: str) -> Markup:
    """Return a text whose words between backquotes are commands or keys."""
    return Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped


_UNITS: Final = ((86_400, 172_800), (3600, 3600), (60, 60))
"""Seconds of a day, an hour and a minute, and those from which on it is the unit."""

_AGO: Final[Mapping[int, tuple[str, str]]] = {
    86_400: nN_("%(count)s day ago", "%(count)s days ago"),
    3600: nN_("%(count)s h ago", "%(count)s h ago"),
    60: nN_("%(count)s min ago", "%(count)s min ago"),
}
_AHEAD: Final[Mapping[int, tuple[str, str]]] = {
    86_400: nN_("in %(count)s day", "in %(count)s days"),
    3600: nN_("in %(count)s h", "in %(count)s h"),
    60: nN_("in %(count)s min", "in %(count)s min"),
}


@pass_context
def _format_ago(context: Context, at: datetime | None) -> Markup:
    """Return a time for people, with the exact one beside it."""
    locale: Locale = context["locale"]
    if at is None:
        return escape(locale.gettext("never"))
    return _show_distance(at, int((now() - at).total_seconds()), locale)


@pass_context
def _format_due(context: Context, at: datetime) -> Markup:
    """Return a time at which something is due: now if it is over."""
    return _show_distance(at, min(-1, int((now() - at).total_seconds())), context["locale"])


def _show_distance(at: datetime, seconds: int, locale: Locale) -> Markup:
    shown, exact = _format_distance(seconds, locale), format_exact(at, locale, seconds=True)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(at.isoformat(), exact, shown)


def _format_distance(seconds: int, locale: Locale) -> str:
    """Return how long ago a time was, or, if it is negative, when it will be, in its largest unit.

    >>> [_format_distance(seconds, ENGLISH) for seconds in (30, 90, 7200, 200_000, -90, -30)]
    ['now', '1 min ago', '2 h ago', '2 days ago', 'in 1 min', 'now']
    >>> _format_distance(200_000, Locale("fr")), _format_distance(-90, Locale("ja"))
    ('il y a 2 jours', '1分後')
    """
    size = next((size for size, least in _UNITS if abs(seconds) >= least), 0)
    if not size:
        return locale.pgettext("past", "now") if seconds >= 0 else locale.pgettext("future", "now")
    forms = (_AGO if seconds >= 0 else _AHEAD)[size]
    return locale.ngettext(*forms, abs(seconds) // size)


@pass_context
def _format_day(context: Context, day: datetime | date | str) -> str:
    """Return a day, given as itself or as ISO 8601 has it; empty if it is."""
    locale: Locale = context["locale"]
    if not day:
        return ""
    at = day if isinstance(day, datetime) else datetime.fromisoformat(str(day))
    return locale.format_day(Moment(at, "day"))


@pass_context
def _translate(context: Context, word: str) -> Markup:
    """Return a word of a record in the language of the page; one that is not known there is marked as English."""
    locale: Locale = context["locale"]
    is_known = word in WORDS or locale.gettext(word) != word
    return locale.gettext_markup(word) if is_known else _translate_sentence(context, word, 400)


@pass_context
def _format_size(context: Context, size: int) -> str:
    return wording.format_size(size, context["locale"])


def _make_environment() -> Environment:
    """Make the template engine: values are escaped, and an undefined name is an error."""
    made = Environment(
        loader=PackageLoader("aggregator.service.desk"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "quote": _quote,
        "code": _mark_code,
        "sentence": _translate_sentence,
        "bars": charts.draw_bars,
        "tile": subscribe.draw_tile,
    }
    made.filters |= {
        "ago": _format_ago,
        "due": _format_due,
        "day": _format_day,
        "size": _format_size,
        "word": _translate,
    }
    made.filters["count"] = wording.format_count
    return made


_ENVIRONMENT = _make_environment()
