"""TLS: the name and the certificate are those of the host that was asked for, and the limits hold there too."""

import shutil
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator.fetchers.http.exchange import PollRequest
from aggregator.fetchers.http.polling import Policy
from aggregator.model.source import Answer, PollState, Source
from tests.support.origin import Pieces, Request, answer, playing
from tests.support.polls import POLICY, RSS, START, Polls, client
from tests.support.proxy import Proxy, proxying

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate of the test")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 and right.example, signed by itself, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:right.example", "-subj", "/CN=right.example", "-days", "2"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            *names,
            *files,
        ],
        check=True,
        capture_output=True,
    )
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture
def context(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*map(str, certificate))
    return context


def test_a_certificate_that_is_trusted_is_taken(context: ssl.SSLContext, certificate: tuple[Path, Path]) -> None:
    def play(request: Request) -> bytes:
        return answer(304) if request.get("If-None-Match") else answer(200, RSS, ("ETag", '"1"'))

    with playing(play, context=context) as origin:
        polls = Polls(origin.url(), replace(POLICY, ca_files=(str(certificate[0]),)))
        assert [polls.ask().status, polls.ask(hours=1).status] == ["ok", "unchanged"]
        assert origin.connections == 1


def test_through_a_proxy_the_certificate_is_still_the_origins(
    context: ssl.SSLContext, certificate: tuple[Path, Path]
) -> None:
    with proxying(Proxy()) as proxy, playing(lambda _: answer(200, RSS), context=context) as origin:
        trusting = replace(POLICY, proxy=proxy.url(), ca_files=(str(certificate[0]),))
        assert Polls(origin.url(), trusting).ask().status == "ok"
        assert "certificate" in Polls(origin.url(), replace(POLICY, proxy=proxy.url())).ask().message
        assert len(proxy.asked) == 2


def test_a_certificate_nobody_signed_is_not(context: ssl.SSLContext) -> None:
    with playing(lambda _: answer(200, RSS), context=context) as origin:
        got = Polls(origin.url()).ask()
        assert got.status == "failed"
        why = "the certificate is not accepted: self-signed certificate"
        what_to_do = "if you trust it, write the file of its certificate (PEM) as ca of the source"
        assert got.message == f"{origin.url()}: {why}; {what_to_do}"
        assert not origin.requests


def poll(url: str, ca: Path | None, policy: Policy = POLICY) -> Answer:
    source = Source("show", "feed", url, ca=str(ca) if ca else None)
    return client(policy).poll(PollRequest(source, PollState(url), START))


def test_a_source_has_a_certificate_of_its_own(context: ssl.SSLContext, certificate: tuple[Path, Path]) -> None:
    with playing(lambda _: answer(200, RSS), context=context) as origin:
        assert poll(origin.url(), certificate[0]).status == "ok"
        assert "self-signed" in poll(origin.url(), None).message
        assert poll(origin.url(), certificate[0]).status == "ok"
        with proxying(Proxy()) as proxy:
            assert poll(origin.url(), certificate[0], replace(POLICY, proxy=proxy.url())).status == "ok"


def test_the_certificate_of_a_source_counts_after_a_redirect_at_its_own_host(
    context: ssl.SSLContext, certificate: tuple[Path, Path]
) -> None:
    with (
        playing(lambda _: answer(200, RSS), context=context) as other,
        playing(lambda _: answer(302, b"", ("Location", other.url())), context=context) as origin,
    ):
        assert poll(origin.url(), certificate[0]).status == "ok"


@pytest.mark.parametrize("content", [None, b"", b"no certificate", b"\xff\x00"])
def test_a_file_without_a_certificate_is_told(content: bytes | None, context: ssl.SSLContext, tmp_path: Path) -> None:
    file = tmp_path / "mine.pem"
    if content is not None:
        file.write_bytes(content)
    with playing(lambda _: answer(200, RSS), context=context) as origin:
        got = poll(origin.url(), file)
        assert got.message.startswith(f"{origin.url()}: ca: {file}: no certificate in PEM can be read: ")
        assert not origin.requests


def test_a_certificate_that_is_replaced_is_read_again(
    context: ssl.SSLContext, certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    file = tmp_path / "mine.pem"
    file.write_bytes(b"no certificate")
    with playing(lambda _: answer(200, RSS), context=context) as origin:
        assert poll(origin.url(), file).status == "failed"
        file.write_bytes(certificate[0].read_bytes())
        assert poll(origin.url(), file).status == "ok"


AUTHORITY = """
[ca]
default_ca = made
[made]
database = index.txt
new_certs_dir = .
default_md = sha256
rand_serial = yes
policy = names
x509_extensions = extensions
[names]
commonName = supplied
[extensions]
subjectAltName = IP:127.0.0.1
"""


@pytest.mark.parametrize(
    ("year", "expected"),
    [
        (2020, "certificate has expired; its host must renew it"),
        (2090, "certificate is not yet valid; the clock of this machine may be wrong"),
    ],
)
def test_a_certificate_out_of_its_time_is_told(year: int, expected: str, tmp_path: Path) -> None:
    (tmp_path / "made.cnf").write_text(AUTHORITY)
    (tmp_path / "index.txt").touch()
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem")
    dates = ("-startdate", f"{year}0101000000Z", "-enddate", f"{year}0201000000Z")
    signed = ("-config", "made.cnf", "-keyfile", "key.pem", *dates, "-in", "request.pem", "-out", "cert.pem")
    for words in (
        ("req", "-new", *key, "-subj", "/CN=old.example", "-out", "request.pem"),
        ("ca", "-batch", "-selfsign", *signed),
    ):
        subprocess.run(("openssl", *words), cwd=tmp_path, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    with playing(lambda _: answer(200, RSS), context=context) as origin:
        got = poll(origin.url(), tmp_path / "cert.pem")
        assert got.message == f"{origin.url()}: the certificate is not accepted: {expected}"


def test_the_certificate_must_be_the_hosts(
    context: ssl.SSLContext, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(_host: str, port: int, **_: int) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    policy = replace(POLICY, ca_files=(str(certificate[0]),))
    with playing(lambda _: answer(200, RSS), context=context) as origin:
        assert Polls(f"https://right.example:{origin.port}/", policy).ask().status == "ok"
        wrong = Polls(f"https://wrong.example:{origin.port}/", policy).ask()
        assert wrong.status == "failed"
        assert "Hostname mismatch" in wrong.message


def test_the_deadline_and_the_bytes_hold_over_tls(context: ssl.SSLContext, certificate: tuple[Path, Path]) -> None:
    def play(request: Request) -> Pieces:
        head = b"HTTP/1.1 200 OK\r\n\r\n"
        return dripping(head) if request.path == "/slow" else flooding(head)

    def dripping(head: bytes) -> Pieces:
        yield head
        while True:
            time.sleep(0.05)
            yield b"x"

    def flooding(head: bytes) -> Pieces:
        yield head
        while True:
            yield b"x" * 16_384

    policy = replace(POLICY, ca_files=(str(certificate[0]),), deadline=1.0, raw_bytes=1_000_000)
    with playing(play, context=context) as origin:
        begun = time.monotonic()
        assert "deadline" in Polls(origin.url("/slow"), policy).ask().message
        assert time.monotonic() - begun < 15.0
        assert "more bytes" in Polls(origin.url("/flood"), replace(policy, deadline=60.0)).ask().message


def test_a_handshake_that_never_comes_meets_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        begun = time.monotonic()
        got = Polls(f"https://127.0.0.1:{mute.getsockname()[1]}/", replace(POLICY, deadline=0.5)).ask()
        assert "deadline" in got.message
        assert time.monotonic() - begun < 15.0


def test_plain_speech_where_tls_was_asked_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as plain:
        plain.settimeout(60)

        def speak() -> None:
            line, _ = plain.accept()
            with line:
                line.settimeout(60)
                line.sendall(answer(400))
                line.recv(1_000)

        speaker = threading.Thread(target=speak)
        speaker.start()
        got = Polls(f"https://127.0.0.1:{plain.getsockname()[1]}/").ask()
        speaker.join(60)
        assert "no secure connection" in got.message


def test_credentials_do_not_go_from_https_to_http(context: ssl.SSLContext, certificate: tuple[Path, Path]) -> None:
    with (
        playing(lambda _: answer(200, RSS)) as plain,
        playing(lambda _: answer(302, b"", ("Location", plain.url())), context=context) as origin,
    ):
        url = origin.url().replace("https://", "https://me:secret@")
        assert Polls(url, replace(POLICY, ca_files=(str(certificate[0]),))).ask().status == "ok"
        assert origin.requests[0].get("Authorization") is not None
        assert plain.requests[0].get("Authorization") is None
