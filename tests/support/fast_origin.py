"""A fast origin in a process of its own, for measurements: asyncio, 200 with an ETag, 304 to it.

Run as ``python fast_origin.py [bytes of the body]``; prints its port, serves until its standard input is closed, and
then prints how many requests came, how many of them were conditional, and how many it held at once at most.
"""

from __future__ import annotations

import asyncio
import sys

COUNTS = {"requests": 0, "conditional": 0, "busy": 0, "busiest": 0}


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: bytes) -> None:
    """Answer on one connection until it is closed."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            COUNTS["requests"] += 1
            COUNTS["busy"] += 1
            COUNTS["busiest"] = max(COUNTS["busiest"], COUNTS["busy"])
            if b"If-None-Match" in head:
                COUNTS["conditional"] += 1
                writer.write(b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\nDate: Sun, 01 Mar 2026 10:00:00 GMT\r\n\r\n')
            else:
                length = str(len(body)).encode()
                writer.write(
                    b'HTTP/1.1 200 OK\r\nDate: Sun, 01 Mar 2026 10:00:00 GMT\r\nServer: crowd\r\nETag: "1"\r\n'
                    b"Content-Type: application/rss+xml; charset=utf-8\r\nCache-Control: max-age=300\r\n"
                    b"Content-Length: " + length + b"\r\n\r\n" + body
                )
            await writer.drain()
            COUNTS["busy"] -= 1
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        pass
    finally:
        writer.close()


async def main(size: int) -> None:
    """Serve until nobody holds our standard input."""
    body = b"<rss version='2.0'><channel><title>A show</title>" + b"x" * size + b"</channel></rss>"
    server = await asyncio.start_server(lambda r, w: serve(r, w, body), "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201  # our parent reads it
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(COUNTS["requests"], COUNTS["conditional"], COUNTS["busiest"], flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
