"""The frame of every page: what views are given, what they answer, and how that becomes HTML or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from aggregator.config.load import load
from aggregator.config.scalars import is_token
from aggregator.config.settings import Config, DeskAccess
from aggregator.corrections import CorrectionContext, DecidedError
from aggregator.errors import AggregatorError, ChangedError, ConfigError, FetchError, StoreError
from aggregator.fetchers import credentials
from aggregator.model.feed import Plan
from aggregator.service.desk.access import Sessions
from aggregator.service.desk.errors import BusyError, MissingError, RefusedError
from aggregator.service.desk.filters import ENVIRONMENT
from aggregator.service.desk.jobs import Jobs
from aggregator.service.desk.visitor_cache import VisitorCache
from aggregator.store import connection, database
from aggregator.store.database import Store
from aggregator.translation.locale import ENGLISH, NAMES, SOURCE, Locale
from aggregator.translation.marks import N_
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
    def open_context(self, request: PageRequest) -> Iterator[CorrectionContext]:
        """Open the store to correct the feed that the address names, if what is decided is what the form has seen."""
        with self._open_store() as store:
            yield CorrectionContext(store, self.find_plan(request), now(), request.form.get("seen") or None)

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
    return ENVIRONMENT.get_template(template).render(page=page, frame=frame, languages=NAMES, **words)
