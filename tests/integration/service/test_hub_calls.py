"""WebSub: hubs that sources name are subscribed at; what they tell is a hint to poll, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator import persist, websub
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.errors import ConfigError
from aggregator.model.source import HubSubscription
from aggregator.service import hub_calls, web, workers
from aggregator.store import database, hub_subscriptions
from tests.support.config import Keys, make_feed, make_source, write_config
from tests.support.hub import Hub, call, running_hub
from tests.support.origin import Site
from tests.support.origin import serving as serving_site
from tests.support.rss import make_rss
from tests.support.web import Serving
from tests.support.workspace import make_item

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@dataclass
class Subscriber:
    """A config, its server, and the clock of its ticks, which begins now and goes by as the test says."""

    folder: Path
    port: int
    site: Site
    hub: Hub
    at: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))
    items: int = 3

    def config(self, *, websub: bool = True, sources: Mapping[str, Keys | str] | None = None) -> Config:
        feed = make_feed("Talk", sources or {"host": self.site.url("/feed")})
        base_url = f"http://127.0.0.1:{self.port}"
        return load(write_config(self.folder, {"talk": feed}, base_url=base_url, websub=websub))

    def serve_feed(self, items: int = 3, links: str | None = None) -> None:
        if links is None:
            links = f'<atom:link rel="hub" href="{self.hub.address}"/><atom:link rel="self" href="{self.topic}"/>'
        start = '<channel xmlns:atom="http://www.w3.org/2005/Atom">'
        self.site.serve("/feed", make_rss(*(make_item(n) for n in range(items))).replace("<channel>", start + links))

    @property
    def topic(self) -> str:
        return self.site.url("/feed")

    def tick(self, after: timedelta = timedelta(), **keys: object) -> int:
        """Tick as `serve` does, some time later, and return how many requests came to the host of the feed."""
        self.at += after
        before = len(self.site.asked)
        config = self.config(**keys)  # type: ignore[arg-type]  # the keys of that function
        outcomes = workers.refresh_due(config, self.at)
        hub_calls.keep_subscribed(config, [each.feed for each in outcomes], self.at)
        self.hub.settle()
        return len(self.site.asked) - before

    def read(self) -> tuple[HubSubscription, ...]:
        with database.open_store(self.config().state) as store:
            return hub_subscriptions.read(store)

    def explain(self) -> tuple[datetime | None, str]:
        config = self.config()
        with database.open_store(config.state) as store:
            found = persist.read_next_polls(store, config.plans, self.at)["talk"]["host"]
        return found.at, found.why


@pytest.fixture
def subscriber(tmp_path: Path, serving: Serving) -> Iterator[Subscriber]:
    yield from _make_subscriber(tmp_path, serving)


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory, serving: Serving) -> Iterator[Subscriber]:
    for made in _make_subscriber(tmp_path_factory.mktemp("signed"), serving):
        made.tick()
        yield made


def _make_subscriber(tmp_path: Path, serving: Serving) -> Iterator[Subscriber]:
    with serving_site(Site()) as site, running_hub() as hub:
        made: list[Subscriber] = []
        with serving(web.app(None, routes=hub_calls.mount(lambda: load(tmp_path / "config.yaml")))) as port:
            made.append(Subscriber(tmp_path, port, site, hub))
            made[0].serve_feed()
            yield made[0]


def test_a_hub_is_subscribed_at_and_what_it_tells_is_polled_for(subscriber: Subscriber) -> None:
    assert subscriber.tick() == 1
    (asked,) = subscriber.hub.asked
    assert (asked["hub.mode"], asked["hub.topic"]) == ("subscribe", subscriber.topic)
    (known,) = subscriber.read()
    assert known.until is not None
    assert subscriber.at + 9 * DAY < known.until < subscriber.at + 11 * DAY
    assert asked["hub.callback"] == f"http://127.0.0.1:{subscriber.port}/websub/{known.token}"
    assert len(known.token) >= 32
    at, why = subscriber.explain()
    assert (at, why) == (subscriber.at + DAY, "a hub tells of its news (WebSub)")
    subscriber.serve_feed(4)
    assert subscriber.hub.distribute(subscriber.topic, b"the feed as it is now") == 202
    assert subscriber.tick(MINUTE) == 0, "five minutes lie between two polls"
    assert subscriber.tick(5 * MINUTE) == 1
    assert subscriber.tick(5 * MINUTE) == 0
    assert len(subscriber.hub.asked) == 1
    for method in ("sha1", "sha384", "sha512"):
        subscriber.hub.distribute(subscriber.topic, b"again", method=method)
    assert subscriber.read()[0].told is not None


def test_a_hub_cannot_make_us_hammer_a_host(subscriber: Subscriber) -> None:
    subscriber.tick()
    polled = 0
    for _ in range(30):
        subscriber.hub.distribute(subscriber.topic, b"news")
        polled += subscriber.tick(MINUTE)
    assert polled <= 6


@pytest.mark.parametrize("signature", ["", "sha256=", "sha256=00", "md5=00", "sha256", "é=x"])
def test_a_wrong_signature_is_taken_and_ignored(subscriber: Subscriber, signature: str) -> None:
    subscriber.tick()
    callback = subscriber.hub.asked[0]["hub.callback"]
    status, _ = call(callback, "POST", b"news", X_Hub_Signature=signature)
    assert status == 202
    assert subscriber.hub.distribute(subscriber.topic, b"news", secret="another") == 202  # noqa: S106
    assert subscriber.read()[0].told is None
    assert subscriber.tick(10 * MINUTE) == 0


def test_strangers_find_nothing_and_large_bodies_are_refused(subscriber: Subscriber) -> None:
    subscriber.tick()
    callback = subscriber.hub.asked[0]["hub.callback"]
    other = callback[:-1] + ("a" if callback[-1] != "a" else "b")
    query = {"hub.mode": "subscribe", "hub.topic": subscriber.topic, "hub.challenge": "x", "hub.lease_seconds": "9"}
    before = subscriber.read()
    wrong = [
        f"{other}?{urlencode(query)}",
        f"{callback}?{urlencode(query | {'hub.topic': 'https://a.example/'})}",
        f"{callback}?{urlencode(query | {'hub.mode': 'unsubscribe'})}",
        f"{callback}?{urlencode(query | {'hub.mode': 'publish'})}",
        f"{callback}?{urlencode(query | {'hub.challenge': 'x' * 3000})}",
        callback,
        f"{callback}/more",
    ]
    assert {call(each)[0] for each in wrong} == {404}
    assert call(other, "POST", b"news", X_Hub_Signature="sha1=00")[0] == 404
    assert call(callback, "PUT", b"news")[0] == 405
    assert call(callback, "POST", bytes(9_000_000), X_Hub_Signature="sha1=00")[0] == 413
    assert subscriber.read() == before


def test_a_subscription_is_renewed_before_it_ends(subscriber: Subscriber) -> None:
    subscriber.tick()
    subscriber.tick(7 * DAY)
    assert len(subscriber.hub.asked) == 1
    subscriber.tick(2 * DAY)
    first, second = subscriber.hub.asked
    assert first == second, "the same callback, topic and secret"


@pytest.mark.parametrize("verifies_first", [False, True])
def test_a_hub_that_fails_or_denies_is_asked_again_with_pauses(subscriber: Subscriber, *, verifies_first: bool) -> None:
    subscriber.hub.verifies_first = verifies_first
    subscriber.hub.status = 503
    subscriber.tick()
    assert subscriber.read()[0].problem == "it answers 503"
    assert subscriber.explain()[1] != "a hub tells of its news (WebSub)"
    subscriber.tick(MINUTE)
    assert len(subscriber.hub.asked) == 1
    subscriber.hub.status, subscriber.hub.denies = 202, True
    subscriber.tick(HOUR)
    assert subscriber.read()[0].problem == "denied: not here"
    subscriber.tick(HOUR)
    assert len(subscriber.hub.asked) == 2
    subscriber.hub.denies = False
    subscriber.tick(HOUR)
    assert subscriber.read()[0].until is not None
    assert subscriber.read()[0].tries == 0


@pytest.mark.parametrize("case", ["source", "key", "hub"])
def test_what_is_not_wanted_any_more_is_unsubscribed(subscriber: Subscriber, case: str) -> None:
    subscriber.tick()
    assert set(subscriber.hub.subscriptions) == {subscriber.topic}
    if case == "hub":
        subscriber.serve_feed(4, links="")
        subscriber.tick(DAY)
    elif case == "key":
        subscriber.tick(MINUTE, websub=False)
    else:
        subscriber.site.serve("/other", make_rss(make_item(1)))
        subscriber.tick(MINUTE, sources={"other": subscriber.site.url("/other")})
    assert subscriber.hub.asked[-1]["hub.mode"] == "unsubscribe"
    assert subscriber.hub.subscriptions == {}
    assert subscriber.read() == ()


def test_a_hub_that_does_not_tell_is_not_relied_on(subscriber: Subscriber) -> None:
    subscriber.tick()
    subscriber.serve_feed(4)
    assert subscriber.tick(DAY) == 1
    at, why = subscriber.explain()
    assert at is not None
    assert at < subscriber.at + DAY
    assert why != "a hub tells of its news (WebSub)"
    subscriber.serve_feed(5)
    with database.open_store(subscriber.config().state) as store:
        websub.note_news(store, hub_subscriptions.read(store)[0].token, subscriber.at + 6 * MINUTE)
    assert subscriber.tick(2 * HOUR) == 1
    assert subscriber.explain() == (subscriber.at + DAY, "a hub tells of its news (WebSub)")


def test_a_source_with_a_secret_is_named_to_no_hub(subscriber: Subscriber) -> None:
    url = subscriber.site.url("/feed")
    subscriber.tick(sources={"host": make_source(url, headers={"X-Key": "abc"})})
    assert subscriber.hub.asked == []


def test_a_hub_at_a_private_address_of_another_host_is_not_asked(subscriber: Subscriber) -> None:
    hub = subscriber.hub.address.replace("127.0.0.1", "127.0.0.2")
    subscriber.serve_feed(links=f'<atom:link rel="hub" href="{hub}"/><atom:link rel="self" href="{subscriber.topic}"/>')
    subscriber.tick()
    assert subscriber.hub.asked == []
    assert "127.0.0.2" in subscriber.read()[0].problem


def test_the_header_names_a_hub_too(subscriber: Subscriber) -> None:
    subscriber.serve_feed(links="")
    link = f'<{subscriber.hub.address}>; rel="hub", <{subscriber.topic}>; rel="self"'
    subscriber.site.fields["/feed"] = {"Link": link}
    subscriber.tick()
    assert set(subscriber.hub.subscriptions) == {subscriber.topic}


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ("websub: true", "websub needs base_url"),
        ("websub: true\nbase_url: https://a.example\noutput: s3://bucket/x", "no queue, no s3"),
    ],
)
def test_a_config_in_which_hubs_could_not_call_is_refused(tmp_path: Path, keys: str, why: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        f"{keys}\nfeeds: {{talk: {{title: T, sources: {{host: {{kind: feed, url: 'https://a.example/'}}}}}}}}\n"
    )
    with pytest.raises(ConfigError, match=why):
        load(path)


PARAMETERS = st.sampled_from(["hub.mode", "hub.topic", "hub.challenge", "hub.lease_seconds", "hub.reason", "x"])
VALUES = st.sampled_from(["subscribe", "unsubscribe", "denied", "publish", "https://a.example/", "-1", "9" * 50, ""])
CALLS = st.dictionaries(PARAMETERS, VALUES | st.text(max_size=20), max_size=5)


@given(calls=st.lists(CALLS, max_size=6), wanted=st.sampled_from(["subscribe", "unsubscribe"]))
def test_whatever_is_called_only_what_was_asked_for_is_verified(calls: list[dict[str, str]], wanted: str) -> None:
    with TemporaryDirectory() as folder, database.open_store(f"{folder}/store.db") as store:
        known = HubSubscription("f", "s", "u", "h", "https://a.example/", "token", "secret", wanted == "unsubscribe")
        hub_subscriptions.write(store, known)
        for given_ in calls:
            is_here = hub_subscriptions.find(store, "token") is not None
            answered = websub.verify(store, "token", given_, datetime(2026, 1, 1, tzinfo=UTC))
            mode = given_.get("hub.mode")
            fits = is_here and given_.get("hub.topic") == known.topic
            if fits and mode == "denied":
                assert answered == ""
            elif fits and mode == wanted and given_.get("hub.challenge"):
                assert answered == given_["hub.challenge"]
            else:
                assert answered is None
        left = hub_subscriptions.find(store, "token")
        assert left is None or left.until is None or left.until <= datetime(2026, 4, 1, tzinfo=UTC)


@given(signature=st.binary(max_size=90).filter(lambda value: not set(value) & set(b"\r\n\0")))
def test_no_signature_ends_the_server(signed: Subscriber, signature: bytes) -> None:
    callback = signed.hub.asked[0]["hub.callback"]
    assert call(callback, "POST", b"news", X_Hub_Signature=signature.decode("latin-1"))[0] in {202, 400}
    assert signed.read()[0].told is None
