"""A polite origin for many feeds, in a process of its own: documents by round, ETags, robots.txt, Retry-After.

Run as ``python fleet_origin.py``; prints its port, and answers on every address of 127.0.0.0/8 by the name in Host.
``/show-N/host`` and ``/show-N/directory`` list the items of feed N up to the round, which ``/round/R`` sets; both give
an ETag and keep to it. ``/pause/S`` has each answer take that long, ``/silence/HOST`` has a host answer 429. ``/card``
gives its counts as JSON: for each address the requests by status, and the busiest moment of each host.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

BEGIN = datetime(2024, 5, 1, 12, tzinfo=UTC)
DATE = format_datetime(BEGIN, usegmt=True)


class Origin:
    """The round, what was asked, and the hosts that ask for silence."""

    def __init__(self) -> None:
        self.round = 0
        self.statuses: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.busy: Counter[str] = Counter()
        self.busiest: Counter[str] = Counter()
        self.silent: set[str] = set()
        self.pause = 0.0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer on one connection until it is closed."""
        try:
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                fields = {key.lower(): value for key, _, value in (line.partition(": ") for line in lines[1:])}
                path, host = lines[0].split()[1], fields.get("host", "").partition(":")[0]
                writer.write(await self.answer(path, host, fields.get("if-none-match")))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def answer(self, path: str, host: str, etag: str | None) -> bytes:
        """Return the answer to a request, and count it unless it is one of the test's own."""
        words = path.strip("/").split("/")
        if words[0] == "round":
            self.round = int(words[1])
            return _answer(200, b"")
        if words[0] == "pause":
            self.pause = float(words[1])
            return _answer(200, b"")
        if words[0] == "silence":
            self.silent.add(words[1])
            return _answer(200, b"")
        if words[0] == "card":
            return _answer(200, json.dumps(self.card()).encode())
        self.busy[host] += 1
        self.busiest[host] = max(self.busiest[host], self.busy[host])
        await asyncio.sleep(self.pause)
        status, answer = self._find(words, host, etag)
        self.statuses[f"{host}{path}"][str(status)] += 1
        self.busy[host] -= 1
        return answer

    def _find(self, words: list[str], host: str, etag: str | None) -> tuple[int, bytes]:
        if words == ["robots.txt"]:
            return 200, _answer(200, b"User-agent: *\nDisallow: /private/\n", type_="text/plain")
        if host in self.silent:
            return 429, _answer(429, b"", ("Retry-After", "3600"))
        body = _list(words[0], words[1], self.round)
        tag = f'"{len(body)}-{self.round_of(words)}"'
        if etag == tag:
            return 304, _answer(304, b"", ("ETag", tag))
        return 200, _answer(200, body, ("ETag", tag), type_="application/rss+xml")

    def round_of(self, words: list[str]) -> int:
        """Return the last round in which the document changed: each third feed changes in a round."""
        number = int(words[0].partition("-")[2])
        return max((each for each in range(self.round + 1) if each == 0 or (number + each) % 3 == 0), default=0)

    def card(self) -> dict[str, object]:
        """Return what was asked."""
        return {
            "requests": {key: dict(value) for key, value in sorted(self.statuses.items())},
            "busiest": dict(self.busiest),
        }


def _list(feed: str, source: str, now: int) -> bytes:
    """Return the listing of a feed in a round: three items to begin with, one more in each round that it changes."""
    number = int(feed.partition("-")[2])
    changes = [each for each in range(1, now + 1) if (number + each) % 3 == 0]
    items = "".join(_item(number, each, source) for each in reversed(range(3 + len(changes))))
    title = f"Show {number}"
    head = f"<title>{title}</title><link>https://{feed}.example/</link><description>About {title}.</description>"
    return f'<?xml version="1.0"?><rss version="2.0"><channel>{head}{items}</channel></rss>'.encode()


def _item(number: int, each: int, source: str) -> str:
    at = format_datetime(BEGIN - timedelta(days=100 - each), usegmt=True)
    name, ours = f"Episode {each} of {number}: {WORDS[(number * 7 + each * 3) % len(WORDS)]}", source == "host"
    text = f"What was said of {WORDS[each % len(WORDS)]} and {WORDS[(each * 5 + number) % len(WORDS)]}."
    guid = f"host-{number}-{each}" if ours else f"https://directory.example/{number}/{each}"
    return (
        f'<item><guid isPermaLink="false">{guid}</guid><title>{name}</title><pubDate>{at}</pubDate>'
        f"<description>{text}</description>"
        f'<enclosure url="https://media.example/{number}/{each}.mp3" type="audio/mpeg" length="1000"/></item>'
    )


WORDS = (
    "harbours",
    "lanterns",
    "glaciers",
    "violins",
    "pepper",
    "orchards",
    "compasses",
    "thunder",
    "velvet",
    "marble",
)


def _answer(status: int, body: bytes, *fields: tuple[str, str], type_: str = "application/json") -> bytes:
    lines = [f"HTTP/1.1 {status} Whatever", f"Date: {DATE}", f"Content-Type: {type_}"]
    lines += [f"{name}: {value}" for name, value in fields]
    lines += [] if status == 304 else [f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def main() -> None:
    """Serve until nobody holds our standard input."""
    origin = Origin()
    server = await asyncio.start_server(origin.serve, "0.0.0.0", 0, backlog=1024)  # noqa: S104 - all of 127.0.0.0/8
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201  # our parent reads it
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
