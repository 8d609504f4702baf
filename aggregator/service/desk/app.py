"""The desk as an application: its pages and acts, and what protects them.

A page is only looked at: no act is done by GET. An act is a form that carries the token of its visitor.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib import resources
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from anyio import CapacityLimiter, to_thread
from msgspec import Struct, field
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aggregator.errors import AggregatorError
from aggregator.service.desk import (
    access,
    add,
    changes,
    choose,
    command,
    feeds,
    find,
    item,
    moves,
    review,
    settings,
    source,
    system,
)
from aggregator.service.desk.errors import DeskError, MissingError
from aggregator.service.desk.forms import OF_STRANGERS, Form, FormError, Forms
from aggregator.service.desk.frame import (
    Act,
    ActResult,
    Desk,
    Frame,
    MenuCounts,
    Page,
    PageRequest,
    find_status,
    parse_number,
    render,
    to_json,
)
from aggregator.service.desk.inbox import count_waiting
from aggregator.service.desk.jobs import Job
from aggregator.service.negotiation import choose_language
from aggregator.translation.locale import NAMES, SOURCE, Locale, find_language
from aggregator.translation.marks import N_

_SUBJECTS: Final[Any] = (feeds, command, system, add, choose, source, moves, find, settings, changes, review, item)
PAGES: Final[tuple[Page, ...]] = tuple(page for subject in _SUBJECTS for page in subject.PAGES)
ACTS: Final[tuple[Act, ...]] = tuple(act for subject in _SUBJECTS for act in getattr(subject, "ACTS", ()))

_LONGEST_EVENTS_SECONDS: Final = 50
_SECONDS_BETWEEN_LINES: Final = 0.3

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}

_NOTICE: Final = "notice"
"""The name in the query of a page of the number under which the line of an act is kept."""

_LANGUAGE: Final = "aggregator_desk_language"
"""The name of the cookie that keeps the language that a visitor chose."""

_LANGUAGE_SECONDS: Final = 365 * 24 * 3600

_STATIC: Final[Mapping[str, str]] = {
    "desk.css": "text/css; charset=utf-8",
    "outline.css": "text/css; charset=utf-8",
    "desk.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


class _Waiting(Struct, eq=False):
    """A try of a password that waits, and how many wrong ones were given before by the same client."""

    wrong: int
    is_refused: asyncio.Event = field(default_factory=asyncio.Event)


class _Turn(Struct):
    """Tries of passwords that wait, and the lock with which they are then tested one at a time."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: list[_Waiting] = field(default_factory=list)

    async def wait(self, wrong: int, seconds: float) -> bool:
        """Wait so long, and return true; false if there are too many, and others gave fewer ``wrong`` ones before."""
        own = _Waiting(wrong)
        self.waiting.append(own)
        if len(self.waiting) > access.MOST_WAITING:
            worst = max(reversed(self.waiting), key=lambda each: each.wrong)
            self.waiting.remove(worst)
            worst.is_refused.set()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await own.is_refused.wait()
            return not own.is_refused.is_set()
        finally:
            if own in self.waiting:
                self.waiting.remove(own)


def mount(desk: Desk) -> tuple[BaseRoute, ...]:
    """Return the routes of the desk, for the server that it stands in."""

    def redirect(_: Request) -> Response:
        return RedirectResponse(f"{desk.root}/", 308)

    def refuse(request: Request, error: Any) -> Response:
        return _refuse(desk, request, error.status, desk.make_locale(request.state.language).gettext(str(error)))

    def explain_missing(request: Request, _: Exception) -> Response:
        return _explain(desk, request, MissingError(N_("the desk has no such page")))

    handlers: dict[Any, Any] = {FormError: refuse, 404: explain_missing}
    inner = Starlette(routes=_make_routes(desk), exception_handlers=handlers)
    inside = Mount(desk.root, app=_protect(desk, inner))
    return Route(desk.root, redirect), inside


def mount_closed() -> tuple[BaseRoute, ...]:
    """Return the routes of a desk that nobody may enter: each answers how to open it, in the visitor's language."""

    def answer(request: Request) -> Response:
        locale = Locale(_find_language(request))
        text = " ".join(map(locale.gettext, (N_("The desk is closed."), access.HOW_TO_OPEN)))
        headers = {"cache-control": "no-store", "content-language": locale.language, "vary": "accept-language, cookie"}
        return PlainTextResponse(f"{text}\n", 403, headers)

    return tuple(Route(path, answer, methods=["GET", "POST"]) for path in (Desk.root, f"{Desk.root}/{{path:path}}"))


def _make_routes(desk: Desk) -> list[Route]:
    # Threads of the server: readers of feeds have the others, and pages do not wait for those that run a command.
    limiters = {False: CapacityLimiter(4), True: CapacityLimiter(2)}
    pages = [
        Route(f"{page.path}{ending}", partial(_show, desk, page, limiters[page.is_slow]), methods=["GET"])
        for page in PAGES
        for ending in (".json", "")
    ]
    forms, small_forms = Forms(), Forms(OF_STRANGERS)
    acts = [Route(act.path, partial(_do, desk, forms, act, limiters[act.is_slow]), methods=["POST"]) for act in ACTS]
    return [
        Route("/", partial(_show, desk, PAGES[0], limiters[False]), methods=["GET"]),
        Route("/static/{name}", _show_static, methods=["GET"]),
        Route("/login", partial(_log_in, desk, small_forms, {False: _Turn(), True: _Turn()}), methods=["POST"]),
        Route("/logout", partial(_log_out, desk, small_forms), methods=["POST"]),
        Route("/language", partial(_set_language, desk, small_forms), methods=["POST"]),
        Route("/system/backups/{name}", partial(_download, desk), methods=["GET"]),
        Route("/jobs/{number:int}/events", partial(_stream, desk), methods=["GET"]),
        *acts,
        *pages,
    ]


async def _show(desk: Desk, page: Page, limiter: CapacityLimiter, request: Request) -> Response:
    """Answer with a page, as HTML or as JSON."""
    is_json = request.url.path.endswith(".json")
    locale = desk.make_locale(SOURCE if is_json else request.state.language)
    query, visitor = dict(request.query_params), request.state.visitor
    page_request = PageRequest(request.path_params, query, visitor=visitor, locale=locale)

    def answer() -> Response:
        gathered = page.gather(desk, page_request)
        if is_json:
            return Response(to_json(gathered), media_type="application/json")
        frame = replace(_frame(desk, request, count_waiting(desk)), locale=locale)
        return HTMLResponse(render(page.template, gathered, frame), headers=page.headers)

    try:
        return await to_thread.run_sync(answer, limiter=limiter)
    except AggregatorError as error:
        return _explain(desk, request, error)


async def _do(desk: Desk, forms: Forms, act: Act, limiter: CapacityLimiter, request: Request) -> Response:
    """Do an act, and lead to the page that shows its outcome."""
    try:
        async with _read_form(desk, forms, request) as form:
            query, locale = dict(request.query_params), desk.make_locale(request.state.language)
            page_request = PageRequest(request.path_params, query, *form, request.state.visitor, locale)
            result = await to_thread.run_sync(partial(act.do, desk, page_request), limiter=limiter)
    except AggregatorError as error:
        return _explain(desk, request, error)
    path = desk.root + result.page
    if result.message:
        path += ("&" if "?" in path else "?") + urlencode({_NOTICE: desk.cache.add(page_request.visitor, result)})
    return RedirectResponse(path, 303)


@asynccontextmanager
async def _read_form(desk: Desk, forms: Forms, request: Request) -> AsyncIterator[Form]:
    """Yield the fields and the files of a form that this desk gave to this visitor; raise FormError."""
    if access.read_facts(request).is_foreign:
        raise FormError(403, N_("The form was sent from another site."))
    async with forms.read(request) as (fields, files):
        if not desk.sessions.is_token(request.state.visitor, fields.pop("token", "")):
            raise FormError(403, N_("The form is too old. Go back and reload the page."))
        yield fields, files


async def _log_in(desk: Desk, forms: Forms, turns: Mapping[bool, _Turn], request: Request) -> Response:
    """Begin a session for the one who gives the password.

    Passwords are tested one at a time. Known browsers do not wait for strangers.
    """
    async with _read_form(desk, forms, request) as form:
        fields, _ = form
    hashed, given, wanted = desk.access.password or "", fields.get("password", ""), fields.get("then", "")
    who = access.name_client(hashed, request.cookies.get(access.KNOWN, ""), access.read_facts(request).peer)
    turn, locale = turns[access.is_known(who)], desk.make_locale(request.state.language)
    begun = desk.sessions.begin_try(who)
    if begun is None:
        return _refuse(
            desk, request, 429, locale.gettext("Too many wrong passwords: wait ten minutes."), retry_after="600"
        )
    if not await turn.wait(*begun):
        desk.sessions.take_back(who)
        return _refuse(
            desk, request, 503, locale.gettext("Too many passwords at once: try again in a moment."), retry_after="10"
        )
    async with turn.lock:
        is_right = bool(hashed) and await to_thread.run_sync(access.is_password, given, hashed)
    if not is_right:
        return _ask_password(desk, request, wanted, wrong=True)
    desk.sessions.forgive(who)
    answer = _redirect(desk, wanted)
    answer.headers.append("set-cookie", _make_cookie(request, access.COOKIE, desk.sessions.begin()))
    known = _make_cookie(request, access.KNOWN, access.make_known(hashed), access.KNOWN_SECONDS)
    answer.headers.append("set-cookie", known)
    return answer


async def _set_language(desk: Desk, forms: Forms, request: Request) -> Response:
    """Keep the language that a visitor chose, and lead back to the page on which it was chosen."""
    async with _read_form(desk, forms, request) as (fields, _):
        language = find_language(fields.get("language"))
        answer = _redirect(desk, fields.get("then", ""))
    if language:
        answer.headers.append("set-cookie", _make_cookie(request, _LANGUAGE, language, _LANGUAGE_SECONDS))
    return answer


async def _log_out(desk: Desk, forms: Forms, request: Request) -> Response:
    async with _read_form(desk, forms, request):
        desk.sessions.end(request.state.visitor)
    return RedirectResponse(f"{desk.root}/", 303)


def _redirect(desk: Desk, wanted: str) -> Response:
    """Lead to a page of the desk, to the first one if the wanted one is not of it."""
    return RedirectResponse(wanted if wanted.startswith(f"{desk.root}/") else f"{desk.root}/", 303)


async def _stream(desk: Desk, request: Request) -> Response:
    """Answer with the lines of a command as they come (server-sent events)."""
    job = desk.jobs.find(request.path_params["number"])
    if job is None:
        return _explain(desk, request, MissingError(N_("this command is not known any more")))
    seen = request.headers.get("last-event-id") or request.query_params.get("seen", "")
    return StreamingResponse(_list_events(job, parse_number(seen)), media_type="text/event-stream")


async def _list_events(job: Job, seen: int) -> AsyncIterator[str]:
    """Yield the lines of a command from one on; the browser comes back for those after the longest answer."""
    for _ in range(int(_LONGEST_EVENTS_SECONDS / _SECONDS_BETWEEN_LINES)):
        ended = job.code is not None
        for line in job.lines[seen:]:
            seen += 1
            yield f"id: {seen}\ndata: {line}\n\n"
        if ended:
            yield f"event: ended\ndata: {job.code}\n\n"
            return
        await asyncio.sleep(_SECONDS_BETWEEN_LINES)


async def _download(desk: Desk, request: Request) -> Response:
    """Answer with a copy of the store."""
    try:
        path = system.find_backup(desk.config, request.path_params["name"])
    except MissingError as error:
        return _explain(desk, request, error)
    return FileResponse(path, media_type="application/vnd.sqlite3", filename=path.name)


async def _show_static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _STATIC:
        return Response(status_code=404)
    headers = {"cache-control": "private, max-age=3600"}
    if name == "outline.css":  # asked for by a frame in a sandbox, which has no origin
        headers["cross-origin-resource-policy"] = "cross-origin"
    body = resources.files("aggregator.service.desk").joinpath("static", name).read_bytes()
    return Response(body, media_type=_STATIC[name], headers=headers)


def _protect(desk: Desk, inner: ASGIApp) -> ASGIApp:
    """Return the application for those who may enter, with the headers of the desk and the visitor's cookie."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        given = request.cookies.get(access.COOKIE, "")
        visitor = request.state.visitor = given if access.is_visitor(given) else access.make_visitor()
        request.state.language = _find_language(request)

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if visitor != given:
                    headers.setdefault("set-cookie", _make_cookie(request, access.COOKIE, visitor))
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await _let_in(desk, inner, request)(scope, receive, send_protected)

    return answer


def _find_language(request: Request) -> str:
    """Return the language that the visitor chose, else the one that the browser prefers."""
    accepted = ",".join(request.headers.getlist("accept-language"))
    chosen = find_language(request.cookies.get(_LANGUAGE))
    return chosen or choose_language(accepted, NAMES) or SOURCE


def _let_in(desk: Desk, inner: ASGIApp, request: Request) -> ASGIApp:
    """Return what answers the one who asks: the desk, the question for the password, or a refusal."""
    in_session = desk.sessions.is_open(request.state.visitor)
    verdict = access.judge(desk.access, access.read_facts(request), in_session=in_session)
    request.state.enters = verdict.enters
    path = request.scope["path"].removeprefix(desk.root)
    if verdict.enters or (verdict.asks_password and (path in ("/login", "/language") or path.startswith("/static/"))):
        return inner
    if verdict.asks_password:
        return _ask_password(desk, request, request.url.path)
    locale, peer = desk.make_locale(request.state.language), access.read_facts(request).peer
    why = locale.gettext(verdict.why, peer=peer)
    lines = locale.gettext("You may not enter: %(reason)s.", reason=why), locale.gettext(access.HOW_TO_OPEN)
    return _refuse(desk, request, 403, *lines)


def _make_cookie(request: Request, name: str, value: str, seconds: int | None = None) -> str:
    is_secure = request.headers.get("x-forwarded-proto", request.url.scheme) == "https"
    path = request.scope.get("root_path") or "/"
    answer = Response()
    answer.set_cookie(name, value, seconds, path=path, httponly=True, samesite="lax", secure=is_secure)
    return answer.headers["set-cookie"]


def _frame(desk: Desk, request: Request, waiting: MenuCounts | None = None) -> Frame:
    visitor = request.state.visitor
    notice = desk.cache.find(request.query_params.get(_NOTICE, "")) if request.state.enters else None
    return Frame(
        root=desk.root,
        token=desk.sessions.make_token(visitor),
        waiting=(waiting or MenuCounts()) if request.state.enters else None,
        notice=notice if isinstance(notice, ActResult) else None,
        can_log_out=bool(desk.access.password) and desk.sessions.is_open(visitor),
        locale=desk.make_locale(request.state.language),
        here=_find_page(desk, request),
        titles=desk.titles if request.state.enters else {},
    )


def _find_page(desk: Desk, request: Request) -> str:
    """Return the address of the page, of a form the one that sent it, without its notice; else the first one."""
    address = str(request.url) if request.method == "GET" else request.headers.get("referer", "")
    path, _, query = address.partition("://")[2].partition("/")[2].partition("?")
    query = urlencode([pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] != _NOTICE])
    return f"/{path}" + (f"?{query}" if query else "") if f"/{path}".startswith(f"{desk.root}/") else f"{desk.root}/"


def _ask_password(desk: Desk, request: Request, then: str, *, wrong: bool = False) -> Response:
    return HTMLResponse(render("login.html.j2", {"then": then, "wrong": wrong}, _frame(desk, request)), 401)


def _refuse(desk: Desk, request: Request, status: int, *lines: str, **headers: str) -> Response:
    frame = _frame(desk, request)
    form = frame.here if request.method == "POST" else ""
    page = render("problem.html.j2", {"title": frame.locale.gettext("Refused"), "lines": lines, "form": form}, frame)
    return HTMLResponse(page, status, {name.replace("_", "-"): value for name, value in headers.items()})


_TITLES: Final[Mapping[int, str]] = {404: N_("Not found"), 503: N_("The store cannot be read")}


def _explain(desk: Desk, request: Request, error: AggregatorError) -> Response:
    """Answer with what went wrong, in one line, or one for each mistake in the config."""
    status, frame = find_status(error), _frame(desk, request)
    title, lines = _TITLES.get(status, N_("Not done")), str(error).splitlines()
    if request.url.path.endswith(".json"):
        return Response(to_json({"title": title, "lines": lines}), status, media_type="application/json")
    said = {"lines": [error.describe(frame.locale)]} if isinstance(error, DeskError) else {"sentences": lines}
    form = frame.here if request.method == "POST" else ""
    page = render("problem.html.j2", {"title": frame.locale.gettext(title), **said, "form": form}, frame)
    return HTMLResponse(page, status)
