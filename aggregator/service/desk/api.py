"""The API for programs: the pages of the desk as JSON, and its acts, below ``/api/`` and with one token.

A program sends the token with each request (RFC 6750, section 2.1). It has no cookie and no session, and no token in
its forms: a page of another site cannot send the header field, and requests of other origins are refused.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from anyio import CapacityLimiter, to_thread
from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from aggregator.errors import AggregatorError, ConfigError
from aggregator.model.cluster import Decision
from aggregator.model.item import Override
from aggregator.service.desk import access
from aggregator.service.desk.forms import FormError, Forms
from aggregator.service.desk.frame import Act, ActResult, Desk, Page, PageRequest, find_status, to_json
from aggregator.service.desk.inbox import read_waiting
from aggregator.service.desk.openapi import ROOT, describe
from aggregator.store import decisions

_PROGRAM: Final = "api"
"""In place of a visitor's id, which is longer."""

_HEADERS: Final[Mapping[str, str]] = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
}


class _Decisions(Struct, frozen=True):
    """The pairs of a feed that are open, the most uncertain first, and what people decided.

    ``removed`` are items that were taken out, by guid, with the reason; ``admitted`` are held entries, by id, with
    whether they are published.
    """

    open: tuple[tuple[str, str], ...]
    pairs: tuple[Decision, ...]
    fields: tuple[Override, ...]
    removed: Mapping[str, str]
    admitted: Mapping[str, bool]
    held_back: tuple[str, ...]


class _Undo(Struct, frozen=True):
    """The request that undoes an act: its path, and the fields of its form."""

    path: str
    fields: Mapping[str, str]


class _Done(Struct, frozen=True):
    """The result of an act: what it did, the address of the page that shows it, and how it is undone.

    With the status 202 the page is that of a command that runs: its ``code`` is ``null`` until it has ended.
    """

    message: str
    page: str
    undo: _Undo | None = None


class _Problem(Struct, frozen=True):
    """A problem, as RFC 9457 describes it."""

    status: int
    title: str
    detail: str
    type: str = "about:blank"


def _show_decisions(desk: Desk, request: PageRequest) -> _Decisions:
    """Gather the open pairs of a feed, and the decisions about it."""
    plan = desk.find_plan(request)
    with desk.open_store() as store:
        return _Decisions(
            read_waiting(store, [plan])[plan.name].pairs,
            decisions.read_decisions(store, plan.name),
            decisions.read_overrides(store, plan.name),
            decisions.read_removed(store, plan.name),
            decisions.read_admissions(store, plan.name),
            tuple(sorted(decisions.read_held_back(store, plan.name))),
        )


def mount(desk: Desk, pages: Iterable[Page], acts: Iterable[Act]) -> tuple[BaseRoute, ...]:
    """Return the routes of the API; without a token in the config it answers how to open it."""
    pages = (*(page for page in pages if page.in_api), Page("/feeds/{feed}/decisions", "", _show_decisions))
    acts = tuple(act for act in acts if act.in_api)
    limiters = {False: CapacityLimiter(4), True: CapacityLimiter(2)}
    forms, description = Forms(), to_json(describe(pages, acts, _Done, _Problem))

    async def show_description(_: Request) -> Response:
        return _answer(description)

    routes = [
        Route("/openapi.json", show_description, methods=["GET"]),
        *(Route(act.path, partial(_do, desk, forms, act, limiters[act.is_slow]), methods=["POST"]) for act in acts),
        *(Route(page.path, partial(_show, desk, page, limiters[page.is_slow]), methods=["GET"]) for page in pages),
    ]
    inner = Starlette(routes=routes, exception_handlers={FormError: _explain, HTTPException: _explain})
    return Route(ROOT, RedirectResponse(f"{ROOT}/openapi.json", 308)), Mount(ROOT, app=_protect(desk, inner))


def _protect(desk: Desk, inner: ASGIApp) -> ASGIApp:
    """Return the application for programs that give the token; wrong ones are counted by address, as passwords are."""
    tries = access.Sessions()

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        refusal = _refuse(desk, tries, Request(scope))
        await (refusal or inner)(scope, receive, send)

    return answer


def _refuse(desk: Desk, tries: access.Sessions, request: Request) -> Response | None:
    """Return why a request is refused, ``None`` if it is not."""
    facts = access.read_facts(request)
    if facts.is_foreign:
        return _report(403, "The request was sent from another site.")
    try:
        token = desk.read_api_token()
    except ConfigError as error:
        return _report(403, f"The API is closed: {error}")
    if not token:
        return _report(403, "The API is closed. To open it, give the config an api: with a token (docs/api.md).")
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    who, is_bearer = access.name_client("", "", facts.peer), scheme.lower() == "bearer"
    if is_bearer and tries.begin_try(who) is None:
        return _report(429, "Too many wrong tokens: wait ten minutes.", retry_after="600")
    if is_bearer and hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode()):
        tries.forgive(who)
        return None
    why = "The token is wrong." if is_bearer else "Send the header field Authorization: Bearer TOKEN."
    return _report(401, why, www_authenticate="Bearer")


async def _show(desk: Desk, page: Page, limiter: CapacityLimiter, request: Request) -> Response:
    """Answer with what a page of the desk shows."""
    query = dict(request.query_params)
    page_request = PageRequest(request.path_params, query, visitor=_PROGRAM, locale=desk.make_locale())

    def answer() -> Response:
        return _answer(to_json(page.gather(desk, page_request)))

    try:
        _check_names("query", page_request.query, page.needs, page.takes)
        return await to_thread.run_sync(answer, limiter=limiter)
    except AggregatorError as error:
        return _report(find_status(error), str(error))


async def _do(desk: Desk, forms: Forms, act: Act, limiter: CapacityLimiter, request: Request) -> Response:
    """Do an act of the desk."""
    has_body = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
    if has_body and request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return _report(415, "Send the fields as a JSON object of texts, with Content-Type: application/json.")
    try:
        async with forms.read(request) as (fields, files):
            _check_names("body", fields, act.needs, act.takes)
            page_request = PageRequest(request.path_params, {}, fields, files, _PROGRAM, desk.make_locale())
            result = await to_thread.run_sync(partial(act.do, desk, page_request), limiter=limiter)
    except AggregatorError as error:
        return _report(find_status(error), str(error))
    return _tell(result)


def _check_names(where: str, given: Mapping[str, str], needs: Mapping[str, str], takes: Mapping[str, str]) -> None:
    """Raise ConfigError if a name is missing, or one is given that means nothing."""
    if missing := [name for name in needs if not given.get(name, "").strip()]:
        raise ConfigError(f"the {where} lacks {', '.join(missing)}")
    if "*" not in takes and (unknown := [name for name in given if name not in {*needs, *takes}]):
        raise ConfigError(f"the {where} has {unknown[0][:100]}, which means nothing here")


def _tell(result: ActResult) -> Response:
    """Answer with the result of an act: one without a message starts a command, or changes nothing yet."""
    path = "/overview" if result.page == "/" else result.page.partition("#")[0]
    is_job = path.startswith("/jobs/")
    message = result.message or ("It runs." if is_job else "Nothing is changed yet: the page says what was found.")
    undo = _Undo(ROOT + result.undo.action, result.undo.fields) if result.undo else None
    return _answer(to_json(_Done(message, ROOT + path, undo)), 202 if is_job else 200)


def _explain(_: Request, error: Any) -> Response:
    """Answer with the problem of a form, or of an address or method that there is not."""
    if isinstance(error, FormError):
        return _report(error.status, str(error))
    return _report(error.status_code, str(error.detail), **{k.lower(): v for k, v in (error.headers or {}).items()})


def _report(status: int, detail: str, **headers: str) -> Response:
    """Answer with a problem (RFC 9457)."""
    problem = to_json(_Problem(status, HTTPStatus(status).phrase, detail))
    return _answer(problem, status, "application/problem+json", **headers)


def _answer(body: bytes, status: int = 200, media_type: str = "application/json", **headers: str) -> Response:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(body, status, {**_HEADERS, **given}, media_type)
