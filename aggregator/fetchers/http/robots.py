"""Fetch robots.txt once a day, store and obey it (RFC 9309 section 2.3).

    2xx            its rules for this program, for 24 hours; then it is requested conditionally
    4xx, too many redirects (2.3.1.2, 2.3.1.3)    every address is permitted, for as long
    429, 5xx, no answer (2.3.1.4)    the former rules, if there were any (2.4); else no address is permitted

A file that could not be fetched is polled again as any other address (`polling`); after 30 days without it every
address is permitted.

The groups of a file are separated here, line by line: so only the rules for this program are kept, and a file that
names 20,000 robots for 20,000 rules costs no more than its length (a parser of whole files gives each robot a copy of
each rule). protego decides what a rule matches: the longest wins, Allow if two are equally long.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from msgspec.structs import replace
from protego import Protego

from aggregator.errors import FetchError
from aggregator.fetchers.http import errors, headers, polling, ssrf
from aggregator.fetchers.http.errors import BarredError, TooManyRedirectsError
from aggregator.fetchers.http.exchange import Access, Meter
from aggregator.fetchers.http.polling import Reply
from aggregator.fetchers.http.target import LONGEST_URL, Target, redact
from aggregator.model.source import PollState, Robots, Validators
from aggregator.translation.marks import N_

_TOKEN: Final = "aggregator"  # noqa: S105  # a name, no password
"""The product token of our User-Agent, which a robots.txt names in any case of letters (section 2.2.1)."""

_LINE = re.compile(r"(user-agent|allow|disallow)[ \t]*+:[ \t]*+([^\s#]*+)", re.IGNORECASE)
_BREAKS = re.compile(r"\r\n?|\n")
_USER_AGENT = re.compile(r"\*\Z|[a-z_-]+", re.IGNORECASE)

_VALID = timedelta(hours=24)  # section 2.4
_LONGEST_MISSED = timedelta(days=30)  # the reasonably long time of section 2.3.1.4
_MOST_BYTES = 500 * 1024  # section 2.5: at least so many are to be read
_SUCCESS, _REFUSAL = 2, 4  # the classes of statuses, RFC 9110 section 15

_GetStart = Callable[[str, tuple[tuple[str, str], ...], Meter, int, Access], tuple[int, Mapping[str, str], str, bytes]]
"""Fetches the start of a document (`Client.get_start`)."""


class RobotsChecker:
    """Checks addresses against robots.txt in one run; each file is fetched by one thread, the others wait for it."""

    def __init__(self, get_start: _GetStart, read_robots: Callable[[str], Robots | None], begun: float) -> None:
        """Begin without files.

        ``read_robots`` returns the stored robots.txt of an address; ``begun`` is when the run's clock was read
        (`time.monotonic`).
        """
        self._get_start, self._read_robots, self._begun = get_start, read_robots, begun
        self._known: dict[str, Robots] = {}
        self._new: dict[str, Robots] = {}
        self._turns: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def check(
        self,
        where: Target,
        meter: Meter,
        now: datetime,
        apply_hold: Callable[[PollState], PollState],
        access: Access,
    ) -> bool:
        """Return whether the robots.txt had to be fetched for this permission; BarredError if there is none.

        ``apply_hold`` returns a poll state with the Retry-After of its host; ``access`` is what is permitted there.
        """
        url = f"{where.scheme}://{where.authority}/robots.txt"
        with self._turn(url, meter):
            robots = self._known.get(url) or self._read_robots(url) or Robots(PollState(url))
            robots = replace(robots, poll_state=apply_hold(robots.poll_state))
            is_due = polling.is_due(robots.poll_state, now)
            if is_due:
                robots = self._fetch(robots, meter, now, access)
                with self._lock:
                    self._new[url] = robots
            self._known[url] = robots
        if why := _explain_refusal(robots, where, now):
            raise BarredError(why, robots.poll_state)
        return is_due

    def take_new_robots(self) -> tuple[Robots, ...]:
        """Return the files that were fetched since the last call."""
        with self._lock:
            new, self._new = self._new, {}
        return tuple(new.values())

    @contextmanager
    def _turn(self, url: str, meter: Meter) -> Iterator[None]:
        """Wait until no other thread fetches it."""
        with self._lock:
            turn = self._turns.setdefault(url, threading.Lock())
        if not turn.acquire(timeout=meter.seconds_left()):
            raise FetchError("took longer than its deadline")
        try:
            yield
        finally:
            turn.release()

    def _fetch(self, before: Robots, meter: Meter, now: datetime, access: Access) -> Robots:
        conditions = polling.make_conditional_headers(before.poll_state)
        try:
            url = before.poll_state.url
            status, fields, host, body = self._get_start(url, conditions, meter, _MOST_BYTES, access)
        except TooManyRedirectsError:
            return _with_rules(before, "", Validators(), now)
        except ssrf.RefusedAddressError:
            raise  # not remembered: another source may have the host as its own
        except FetchError as error:
            miss = polling.update_after_failure if meter.reached else polling.update_after_unreached
            missed = miss(before.poll_state, now, now)
            return Robots(missed, before.rules, before.missed or now, str(error))
        clock_age = timedelta(seconds=int(time.monotonic() - self._begun))
        reply = Reply(status, fields, now, now, clock_age, bool(conditions), host=host)
        return _update_after_answer(before, reply, body)


def _update_after_answer(before: Robots, reply: Reply, body: bytes) -> Robots:
    given = headers.get_validators(reply.fields)
    if reply.status == HTTPStatus.NOT_MODIFIED and reply.conditional:
        return _with_rules(before, before.rules or "", before.poll_state.validators, reply.asked)
    if reply.status // 100 == _SUCCESS:
        return _with_rules(before, _extract_rules(body), given, reply.asked)
    if reply.status // 100 == _REFUSAL and reply.status not in polling.RESTING:
        return _with_rules(before, "", Validators(), reply.asked)
    missed = polling.update_after_answer(before.poll_state, reply)
    return Robots(missed, before.rules, before.missed or reply.asked, errors.describe_status(reply.status, missed))


def _with_rules(before: Robots, rules: str, validators: Validators, now: datetime) -> Robots:
    """Return the state of a robots.txt that was fetched, or is known not to exist."""
    poll_state = replace(
        before.poll_state,
        validators=validators,
        asked=now,
        answered=now,
        errors=0,
        not_before=now + _VALID - polling.SLACK,
        hold_until=None,
        hold_host="",
    )
    return Robots(poll_state, rules)


def _explain_refusal(robots: Robots, where: Target, now: datetime) -> str:
    """Return why the address may not be requested, "" if it may."""
    name = redact(robots.poll_state.url)
    hold = robots.poll_state.hold_until
    if hold is not None and hold > now:
        return N_(f"not asked before {hold:%Y-%m-%d %H:%M:%S} UTC, as the Retry-After of {where.authority} says")
    if robots.rules is not None:
        return "" if permits(robots.rules, where.url) else N_(f"not asked, {name} disallows {redact(where.url)}")
    if robots.missed is not None and now - robots.missed >= _LONGEST_MISSED:
        return ""
    return N_(f"not asked, {name} cannot be had: {robots.why}")


def _extract_rules(body: bytes) -> str:
    r"""Return the rules for us, one a line: those of all groups that name us, else of the groups for all robots.

    Lines that are no rule end no group (section 2.2.4), and a page in HTML has none. Patterns longer than any address
    are left out.

    >>> _extract_rules(b"User-agent: *\nDisallow: /\nUser-agent: Aggregator/1\nSitemap: /s\nAllow: /feed # ours")
    'allow: /feed'
    """
    groups: dict[str, list[str]] = {}
    named: set[str] = set()
    ruled = False
    for line in _BREAKS.split(body.decode("utf-8-sig", "replace")):
        found = _LINE.match(line.lstrip(" \t"))
        if found is None:
            continue
        word, value = found[1].lower(), found[2]
        if word == "user-agent":
            named = set() if ruled else named
            ruled = False
            for token in {_parse_user_agent(value)} & {_TOKEN, "*"}:
                named.add(token)
                groups.setdefault(token, [])
            continue
        ruled = True
        if value and len(value) <= LONGEST_URL:
            for token in named:
                groups[token].append(f"{word}: {value}")
    return "\n".join(groups.get(_TOKEN, groups.get("*", [])))


def permits(rules: str, url: str) -> bool:
    r"""Return whether the rules permit the address; ``robots.txt`` itself is always permitted.

    >>> (
    ...     permits("disallow: /\nallow: /*.xml$", "https://a.example/feed.xml"),
    ...     permits("disallow: /f", "https://a.example/f"),
    ... )
    (True, False)
    """
    return not rules or _parse_rules(rules).can_fetch(url, _TOKEN)


def _parse_user_agent(value: str) -> str:
    """Return a group's product token in lower case, "*" for all robots, "" for neither."""
    found = _USER_AGENT.match(value)
    return found[0].lower() if found else ""


@lru_cache(maxsize=4)  # the rules of one file may take 40 MB, and 2,000 sources may stand on one host
def _parse_rules(rules: str) -> Protego:
    return Protego.parse(f"user-agent: *\n{rules}")
