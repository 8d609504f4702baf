"""Answer WebSub hubs: verification of intent by GET, and news by POST, whose signature alone is looked at.

W3C Recommendation WebSub, sections 5.3 and 7. Anything but the address of a subscription is 404.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from typing import Final

from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from aggregator import websub
from aggregator.config.settings import Config
from aggregator.errors import StoreError
from aggregator.fetchers.http.host_limits import HostLimiter
from aggregator.service import web
from aggregator.store import database, hub_subscriptions

PATH: Final = "/websub"
"""Before the token: the path that hubs call."""

_MAX_CALLS: Final = 16
"""Calls answered at once: anyone can make them, and each looks into the store."""

_MAX_BODY: Final = 8_000_000
"""Bytes of a body that are read for its signature; hubs send the changed feed."""

_METHODS: Final = frozenset({"sha1", "sha256", "sha384", "sha512"})
_LONGEST_CHALLENGE: Final = 2_000
_NO_STORE: Final = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


def mount(find_config: Callable[[], Config]) -> Sequence[BaseRoute]:
    """Return the route that hubs call; ``find_config`` gives the config that is in use."""
    answer = Route("/{token}", partial(_answer, find_config), methods=["GET", "POST"])
    return (Mount(PATH, app=web.limit(Starlette(routes=[answer]), _MAX_CALLS)),)


def keep_subscribed(config: Config, fetched: Sequence[str], now: datetime) -> None:
    """Subscribe to what the sources of the ``fetched`` feeds name, renew, and end what is not wanted any more."""
    with database.open_store(config.state) as store:
        if not (fetched and config.websub) and not websub.is_due(store, now, is_wanted=config.websub):
            return
        plans, callback = config.plans if config.websub else (), f"{config.base_url}{PATH}/"
        with closing(HostLimiter(config.polling_policy)) as limiter:
            websub.keep(store, plans, fetched, callback=callback, call=limiter.call, now=now)


async def _answer(find_config: Callable[[], Config], request: Request) -> Response:
    token, state = request.path_params["token"], find_config().state
    try:
        if request.method == "POST":
            return await _take_news(state, token, request)
        return await to_thread.run_sync(_verify, state, token, dict(request.query_params))
    except StoreError:
        return PlainTextResponse("busy\n", 503, {**_NO_STORE, "retry-after": "30"})


def _verify(state: str, token: str, given: dict[str, str]) -> Response:
    if len(given.get("hub.challenge", "")) > _LONGEST_CHALLENGE:
        return _NOT_HERE
    with database.open_store(state) as store:
        answer = websub.verify(store, token, given, _now())
    return _NOT_HERE if answer is None else PlainTextResponse(answer, headers=_NO_STORE)


async def _take_news(state: str, token: str, request: Request) -> Response:
    """Answer a hub that tells of news: 202 also to a wrong signature, and then nothing is done (section 7.1)."""
    secret = await to_thread.run_sync(_find_secret, state, token)
    if secret is None:
        return _NOT_HERE
    method, _, given = request.headers.get("x-hub-signature", "").partition("=")
    counted = hmac.new(secret.encode(), digestmod=method if method in _METHODS else "sha256")
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > _MAX_BODY:
            return PlainTextResponse("too large\n", 413, _NO_STORE)
        counted.update(chunk)
    if method in _METHODS and hmac.compare_digest(counted.hexdigest().encode(), given.lower().encode()):
        await to_thread.run_sync(_note_news, state, token)
    return Response(status_code=202, headers=_NO_STORE)


def _find_secret(state: str, token: str) -> str | None:
    with database.open_store(state) as store:
        known = hub_subscriptions.find(store, token)
    return known.secret if known else None


def _note_news(state: str, token: str) -> None:
    with database.open_store(state) as store:
        websub.note_news(store, token, _now())


def _now() -> datetime:
    return datetime.now(UTC)


_NOT_HERE: Final = PlainTextResponse("not here\n", 404, _NO_STORE)
