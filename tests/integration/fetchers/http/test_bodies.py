"""Bodies: decoded whole or not at all, and never more in memory than is taken."""

import gzip
import random
import tracemalloc
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import brotli
import pytest
from msgspec.structs import replace

from tests.support.origin import Pieces, answer, playing
from tests.support.polls import POLICY, RSS, Polls

SMALL = replace(POLICY, raw_bytes=2_000_000, decoded_bytes=4_000_000)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n"


def bomb(compressed: bytes, coding: str) -> bytes:
    return answer(200, compressed, ("Content-Encoding", coding))


def zeros(size: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(1_000_000)) for _ in range(size)) + packer.flush()


def letters(size: int) -> bytes:
    """Return text of that many bytes that compresses about as well as a feed does."""
    chance = random.Random(size)
    words = [bytes(chance.choices(b"abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(3_000)]
    return b" ".join(chance.choices(words, k=size // 3))[:size]


BOMBS: dict[str, Callable[[], bytes]] = {  # made where they are needed: that takes a second
    "gzip": lambda: bomb(zeros(100), "gzip"),
    "gzip in many members": lambda: bomb(gzip.compress(bytes(1_000_000)) * 100, "gzip"),
    "deflate": lambda: bomb(zlib.compress(bytes(100_000_000), 9), "deflate"),
    "brotli": lambda: bomb(brotli.compress(bytes(100_000_000), quality=1), "br"),
}


@pytest.mark.parametrize("make", BOMBS.values(), ids=BOMBS.keys())
def test_a_compression_bomb_is_met_at_the_limit_of_decoded_bytes(make: Callable[[], bytes]) -> None:
    wire = make()
    with playing(lambda _: wire) as origin:
        polls = Polls(origin.url(), SMALL)
        tracemalloc.start()
        try:
            got = polls.ask()
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert got.message == f"{origin.url()}: the body is larger than 4,000,000 bytes"
        assert most < 4 * SMALL.decoded_bytes


@pytest.mark.parametrize("coding", ["", "gzip"])
def test_a_gzip_body_of_many_empty_members_is_refused(coding: str) -> None:
    """Each member costs time, the more if all are in one piece: 2 MB without a Content-Encoding took six seconds."""
    empty = gzip.compress(b"", mtime=0)
    for members, message in ((9_999, ""), (10_001, "the compressed body is damaged")):
        wire = bomb(empty * members + gzip.compress(RSS) * (not message), coding)
        with playing(lambda _, wire=wire: wire) as origin:
            got = Polls(origin.url()).ask()
            assert got.message == (f"{origin.url()}: {message}" if message else "")


def test_what_follows_a_deflated_body_is_not_read() -> None:
    with playing(lambda _: bomb(zlib.compress(RSS) + bytes(1_000_000), "deflate")) as origin:
        assert Polls(origin.url()).ask().document.body == RSS


@pytest.mark.parametrize("coding", ["gzip", "br"])
def test_small_bombs_at_once_stay_small(coding: str) -> None:
    packed = zeros(60) if coding == "gzip" else brotli.compress(bytes(60_000_000), quality=1)
    roomy = replace(POLICY, raw_bytes=32_000_000, decoded_bytes=64_000_000)
    with playing(lambda _: bomb(packed, coding)) as origin, ThreadPoolExecutor(16) as threads:
        tracemalloc.start()
        try:
            asked = [threads.submit(Polls(origin.url(f"/{n}"), roomy).ask) for n in range(16)]
            said = {each.result().message.partition(": ")[2].rpartition(": ")[2] for each in asked}
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert said == {"the body is packed more than 250 times"}
    assert most < 16 * max(7_000_000, 300 * len(packed))


def test_a_bomb_in_the_body_of_a_redirect_or_an_error_is_not_opened() -> None:
    packed = zeros(100)
    fields = (("Content-Encoding", "gzip"), ("Location", "/302"))
    with playing(lambda request: answer(int(request.path[1:]), packed, *fields)) as origin:
        for status in (302, 404, 500):
            polls = Polls(origin.url(f"/{status}"), SMALL)
            tracemalloc.start()
            try:
                assert polls.ask().status == "failed"
                assert tracemalloc.get_traced_memory()[1] < 2_000_000
            finally:
                tracemalloc.stop()


CUT: dict[str, tuple[Pieces, str]] = {
    "before its length": ([HEAD + b"Content-Length: 999\r\n\r\n" + RSS], "the body ended early"),
    "inside a chunk": ([HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\n" + RSS], "the body ended early"),
    "before the last chunk": (
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n<rss>\r\n"],
        "the body ended early",
    ),
    "inside gzip": (bomb(gzip.compress(RSS)[:-9], "gzip"), "the compressed body ended early"),
    "inside deflate": (bomb(zlib.compress(RSS)[:-2], "deflate"), "the compressed body ended early"),
    "inside brotli": (bomb(brotli.compress(RSS)[:-2], "br"), "the compressed body ended early"),
    "inside brotli, while the decoder holds output": (
        bomb(brotli.compress(letters(3_000_000), quality=1)[:-2], "br"),
        "the compressed body ended early",
    ),
    "in a false chunk": ([HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"], "the body ended early"),
    "by damage in gzip": (bomb(gzip.compress(RSS)[:-8] + b"\xff" * 8, "gzip"), "the compressed body is damaged"),
    "by damage in brotli": (bomb(b"\xff" * 30, "br"), "the compressed body is damaged"),
    "in the header": ([b"HTTP/1.1 200 OK\r\nContent-"], "the body is empty"),
    "before its first byte": (answer(200), "the body is empty"),
    "before its first compressed byte": (bomb(b"", "gzip"), "the body is empty"),
    "before its first byte, deflated": (bomb(b"", "deflate"), "the body is empty"),
    "before the header": ([b""], "closed the connection without an answer"),
    "by another protocol": ([b"SSH-2.0-OpenSSH_9.2\r\n"], "does not answer by HTTP"),
}


@pytest.mark.parametrize(("wire", "words"), CUT.values(), ids=CUT.keys())
def test_a_body_cut_short_is_an_error(wire: Pieces, words: str) -> None:
    with playing(lambda _: wire) as origin:
        got = Polls(origin.url(), SMALL).ask()
        assert got.status == "failed"
        assert got.message == f"{origin.url()}: {words}"


@pytest.mark.parametrize(
    "coding", ["gzip, gzip", "gzip, br", "zstd", "compress", "x", "gzip," * 50, "deflate, identity"]
)
def test_one_coding_is_taken_and_only_one_that_was_asked_for(coding: str) -> None:
    with playing(lambda _: bomb(gzip.compress(gzip.compress(RSS)), coding)) as origin:
        assert (
            Polls(origin.url()).ask().message
            == f"{origin.url()}: the body is in a content coding that was not asked for"
        )


@pytest.mark.parametrize(
    ("coding", "wire"),
    [
        ("gzip", gzip.compress(RSS)),
        ("GZIP", gzip.compress(RSS)),
        ("x-gzip", gzip.compress(RSS)),
        ("gzip", gzip.compress(RSS[:20]) + gzip.compress(RSS[20:])),
        ("gzip", gzip.compress(RSS) + b"\0" * 200),
        ("gzip", gzip.compress(RSS) + b"rubbish"),
        ("deflate", zlib.compress(RSS)),
        ("deflate", zlib.compress(RSS)[2:-4]),
        ("br", brotli.compress(RSS)),
        ("identity", RSS),
        ("", RSS),
    ],
    ids=range(11),
)
def test_what_was_asked_for_is_decoded(coding: str, wire: bytes) -> None:
    in_two = [bomb(wire[:1], coding).replace(b"Content-Length: 1", b"X: y"), wire[1:]]
    with playing(lambda request: in_two if request.path == "/two" else bomb(wire, coding)) as origin:
        for path in ("/one", "/two"):
            document = Polls(origin.url(path)).ask().document
            assert document is not None
            assert document.body == RSS


LARGE = {
    "text": (letters, (1_000_000, 2_100_000, 3_900_000)),
    "zeros": (bytes, (1_048_576, 3_000_000, 3_999_999)),
    "noise": (random.Random(9).randbytes, (1_900_000,)),
}


@pytest.mark.parametrize("quality", [1, 5])
@pytest.mark.parametrize("content", LARGE)
def test_a_large_brotli_body_is_decoded_whole(content: str, quality: int) -> None:
    make, sizes = LARGE[content]
    for size in sizes:
        body = make(size)
        wire = bomb(brotli.compress(body, quality=quality), "br")
        with playing(lambda _, wire=wire: wire) as origin:
            document = Polls(origin.url(), SMALL).ask().document
            assert document is not None
            assert document.body == body
