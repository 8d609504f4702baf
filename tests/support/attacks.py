"""Random histories of one honest host and one honest directory, with and without a source that attacks them.

Seeded: the same seed gives the same documents. Every refresh is a whole one, from documents on disk to published
files. ``losses`` names what the attacker changed of the items that others list.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from lxml import etree

from aggregator.config.load import load
from tests.support.composing import refresh_here
from tests.support.config import make_feed, make_source, write_config
from tests.support.rss import ITUNES, PODCAST, Episode, make_rss

START = datetime(2025, 3, 3, 12, tzinfo=UTC)
WORDS = {
    "en": (
        "harbour winter engine letter garden market river copper window silence bridge orchard signal railway thunder "
        "kitchen mountain library sailor pepper mirror tunnel cathedral blanket lantern compass meadow granite"
    ),
    "de": (
        "Hafen Winter Brief Garten Markt Fluss Kupfer Fenster Stille Brücke Obst Signal Bahnhof Donner Küche Gebirge "
        "Bücherei Pfeffer Spiegel Tunnel Decke Laterne Kompass Wiese Granit Werkstatt Gewitter Mühle Ziegel"
    ),
    "pt": (
        "porto inverno carta jardim mercado cobre janela silêncio ponte pomar sinal trovão cozinha montanha livraria "
        "pimenta espelho túnel manta lanterna bússola campo granito oficina moinho tijolo farol areia vento"
    ),
}


@dataclass(frozen=True)
class World:
    """The true episodes, oldest first; how many are out at each refresh; how many the host lists at most."""

    episodes: tuple[Episode, ...]
    out: tuple[int, ...]
    window: int

    def at(self, turn: int) -> datetime:
        return START + timedelta(days=turn + 1)

    def host(self, turn: int) -> list[Episode]:
        return list(reversed(self.episodes[: self.out[turn]]))[: self.window]

    def directory(self, turn: int) -> list[Episode]:
        """Ids of its own, cut texts, whole minutes, no audio of its own."""
        return [
            replace(
                one,
                guid=f"directory-{one.guid[-4:]}-{one.seconds}",
                text=one.text if len(one.text) < 160 else f"{one.text[:160].rsplit(' ', 1)[0]}…",
                link=f"https://directory.example/e/{one.guid[-4:]}",
                seconds=round(one.seconds / 60) * 60,
                extra="",
            )
            for one in reversed(self.episodes[: self.out[turn]])
        ]


def world(dice: random.Random) -> World:
    words = WORDS[dice.choice(sorted(WORDS))].split()
    refreshes = dice.randint(3, 6)
    out = [dice.randint(8, 16)]
    for _ in range(refreshes - 1):
        out.append(out[-1] + dice.randint(0, 2))
    tail = f" {' '.join(dice.sample(words, 6)).capitalize()}." if dice.random() < 0.4 else ""
    weekly = dice.random() < 0.3
    numbered = dice.random() < 0.5
    episodes = []
    for turn in range(out[-1] + 2):
        name = " ".join(dice.sample(words, dice.randint(2, 5))).capitalize()
        if weekly and turn % 4 == 3:
            name = " ".join(words[:2]).capitalize()
        text = ". ".join(" ".join(dice.sample(words, 9)).capitalize() for _ in range(dice.randint(2, 6)))
        at = START - timedelta(days=7 * (out[0] - turn)) + timedelta(minutes=dice.randint(1, 900), seconds=7)
        known = next((place for place, count in enumerate(out) if count > turn), len(out))
        if known:
            at = START + timedelta(days=known, hours=dice.randint(1, 20), minutes=turn)
        episodes.append(
            Episode(
                f"host-{dice.randrange(10**6)}-{turn:04}",
                name,
                at,
                f"{text}.{tail}",
                f"https://cdn.host.example/{dice.randrange(10**6)}/{turn}.mp3",
                f"https://show.example/e/{turn}",
                dice.randint(600, 4000),
                turn + 1 if numbered else None,
                extra=PAID.format("host") if dice.random() < 0.2 else "",
            )
        )
    return World(tuple(episodes), tuple(out), dice.choice([6, 10, 100]))


PAID = (
    '<podcast:value type="lightning" method="keysend"><podcast:valueRecipient name="{0}" type="node" '
    'address="{0}02d5c1bf8b940dc9cadca86d1b0a3c37fbe39cee4c7e839e33bef9174531d27f52" split="100"/></podcast:value>'
    '<podcast:funding url="https://{0}.example/give">Give</podcast:funding>'
    '<podcast:alternateEnclosure type="audio/ogg"><podcast:source uri="https://{0}.example/a.ogg"/>'
    "</podcast:alternateEnclosure>"
    '<podcast:chapters url="https://{0}.example/c.json" type="application/json+chapters"/>'
    '<podcast:transcript url="https://{0}.example/t.vtt" type="text/vtt"/>'
    '<podcast:license url="https://{0}.example/l">own</podcast:license><podcast:txt>{0}</podcast:txt>'
    '<itunes:image href="https://{0}.example/a.jpg"/><itunes:author>{0}</itunes:author>'
    "<itunes:explicit>true</itunes:explicit>"
)


@dataclass(frozen=True)
class Scene:
    """What an attacker sees at one refresh, newest first.

    ``listed`` is what the host lists, ``next`` what it will list at later refreshes, ``aims`` what is attacked: the
    former, or both.
    """

    listed: list[Episode]
    next: list[Episode]
    aims: list[Episode]
    turn: int
    since: int
    dice: random.Random

    def mirror(self) -> list[Episode]:
        """The host's entries under ids of the attacker's own."""
        return [replace(one, guid=f"mirror-{one.guid}", link=f"https://evil.example/{one.guid}") for one in self.aims]

    def own(self, turn: int) -> str:
        return f"https://cdn.evil.example/{turn}.mp3"

    def fakes(self, count: int) -> list[Episode]:
        words = [word for one in self.listed for word in one.title.split()]
        return [
            Episode(
                f"fake-{self.turn}-{turn}",
                " ".join(self.dice.choices(words, k=3)),
                self.listed[0].at + timedelta(hours=turn + 1),
                "Buy now. " + " ".join(self.dice.choices(words, k=12)),
                self.own(1000 + 100 * self.turn + turn),
                f"https://evil.example/fake/{self.turn}/{turn}",
                1800,
            )
            for turn in range(count)
        ]


Move = Callable[[Scene], list[Episode]]


def list_their_audio(scene: Scene) -> list[Episode]:
    """Twice each, under entries of the attacker's own."""
    aims = scene.aims + scene.aims
    return [
        replace(fake, audio=one.audio, seconds=one.seconds)
        for fake, one in zip(scene.fakes(len(aims)), aims, strict=True)
    ]


def take_guids(scene: Scene) -> list[Episode]:
    return [
        replace(fake, guid=one.guid, audio=scene.own(turn))
        for turn, (fake, one) in enumerate(zip(scene.fakes(len(scene.aims)), scene.aims, strict=True))
    ]


def take_guids_of_copies(scene: Scene) -> list[Episode]:
    changes: list[dict[str, object]] = [
        {"audio": scene.own(1)},
        {"at": scene.listed[-1].at - timedelta(days=300)},
        {"title": "Sponsored hour", "text": "Buy now and for ever."},
        {"link": "https://evil.example/landing"},
    ]
    return [replace(one, **scene.dice.choice(changes)) for one in scene.aims]


def take_links(scene: Scene) -> list[Episode]:
    return [replace(fake, link=one.link) for fake, one in zip(scene.fakes(len(scene.aims)), scene.aims, strict=True)]


def take_titles(scene: Scene) -> list[Episode]:
    return [
        replace(fake, title=one.title, at=one.at + timedelta(days=scene.dice.choice([-40, -1, 0, 0, 2, 400])))
        for fake, one in zip(scene.fakes(len(scene.aims)), scene.aims, strict=True)
    ]


def double_titles(scene: Scene) -> list[Episode]:
    return [
        replace(fake, title=one.title, at=one.at - timedelta(minutes=5), seconds=one.seconds)
        for fake, one in zip(scene.fakes(len(scene.aims)), scene.aims, strict=True)
    ]


def swap_audio(scene: Scene) -> list[Episode]:
    mirror = scene.mirror()
    audio = [one.audio for one in mirror]
    scene.dice.shuffle(audio)
    return [replace(one, audio=other) for one, other in zip(mirror, audio, strict=True)]


def own_audio(scene: Scene) -> list[Episode]:
    return [
        replace(one, guid=true.guid if scene.dice.random() < 0.5 else one.guid, audio=scene.own(turn))
        for turn, (one, true) in enumerate(zip(scene.mirror(), scene.aims, strict=True))
    ]


def reuse_keys(scene: Scene) -> list[Episode]:
    """First an honest mirror; then each newer episode stands under the key of an older one."""
    mirror = scene.mirror()
    if scene.turn == scene.since:
        return mirror
    shift = scene.dice.randint(1, 3)
    return [replace(one, guid=mirror[(turn + shift) % len(mirror)].guid) for turn, one in enumerate(mirror)]


def redate(scene: Scene) -> list[Episode]:
    days = scene.dice.choice([-900, -31, -2, -1, 1, 3, 30])
    same = scene.dice.random() < 0.5
    return [
        replace(one, at=one.at + timedelta(days=days), guid=true.guid if same else one.guid)
        for one, true in zip(scene.mirror(), scene.aims, strict=True)
    ]


def date_far_off(scene: Scene) -> list[Episode]:
    far = [datetime(1971, 1, 1, tzinfo=UTC), datetime(2099, 1, 1, tzinfo=UTC), scene.listed[0].at + timedelta(days=9)]
    return [
        replace(one, at=scene.dice.choice(far), guid=true.guid if scene.dice.random() < 0.5 else one.guid)
        for one, true in zip(scene.mirror(), scene.aims, strict=True)
    ]


def retitle(scene: Scene) -> list[Episode]:
    added = scene.dice.choice(["{} [free download]", "WATCH: {}", "{}!", "Something else", "{} part 2"])
    return [
        replace(one, title=added.format(one.title), guid=true.guid if scene.dice.random() < 0.5 else one.guid)
        for one, true in zip(scene.mirror(), scene.aims, strict=True)
    ]


def renumber(scene: Scene) -> list[Episode]:
    return [
        replace(one, number=(one.number or turn + 1) + 1, title=f"{turn + 2}. {one.title}")
        for turn, one in enumerate(scene.mirror())
    ]


def join_two(scene: Scene) -> list[Episode]:
    """Each entry bears the ids of two episodes of the host."""
    others = scene.aims[1:] + scene.aims[:1]
    return [
        replace(one, audio=other.audio, link=scene.dice.choice([one.link, other.link]), title=other.title)
        for one, other in zip(scene.aims, others, strict=True)
    ]


def fakes_on_top(scene: Scene) -> list[Episode]:
    return scene.fakes(5) + scene.mirror()


def flood(scene: Scene) -> list[Episode]:
    return [
        replace(fake, title=scene.dice.choice(scene.listed).title if scene.dice.random() < 0.5 else fake.title)
        for fake in scene.fakes(40)
    ]


def delete(scene: Scene) -> list[Episode]:
    mirror = scene.mirror()
    return mirror if scene.turn == scene.since else scene.dice.sample(mirror, 2)


def tag(scene: Scene) -> list[Episode]:
    return [
        replace(one, guid=true.guid if scene.dice.random() < 0.5 else one.guid, extra=PAID.format("evil"))
        for one, true in zip(scene.mirror(), scene.aims, strict=True)
    ]


def inject(scene: Scene) -> list[Episode]:
    head, tail = scene.dice.choice([("Hear it at evil example. ", ""), ("", " Only here: evil example dot com.")])
    return [replace(one, text=f"{head}{one.text}{tail}") for one in scene.mirror()]


def leave_out(scene: Scene) -> list[Episode]:
    """The host's texts without their last sentence, or without their first."""
    first = scene.dice.random() < 0.5
    cut = [one.text.split(". ") for one in scene.aims]
    return [
        replace(one, text=". ".join(parts[1:] if first else [*parts[:-1], ""]).strip())
        for one, parts in zip(scene.mirror(), cut, strict=True)
    ]


def front_run(scene: Scene) -> list[Episode]:
    """What the host will list next, earlier, with other audio, date or guid."""
    ahead = [
        replace(
            one,
            guid=scene.dice.choice([one.guid, f"mirror-{one.guid}"]),
            audio=scene.dice.choice([one.audio, scene.own(int(one.guid[-4:]))]),
            at=scene.listed[0].at + timedelta(hours=3),
            link=scene.dice.choice([one.link, "https://evil.example/early"]),
        )
        for one in scene.next
    ]
    return ahead + scene.mirror()


MOVES: tuple[Move, ...] = (
    list_their_audio,
    take_guids,
    take_guids_of_copies,
    take_links,
    take_titles,
    double_titles,
    swap_audio,
    own_audio,
    reuse_keys,
    redate,
    date_far_off,
    retitle,
    renumber,
    join_two,
    fakes_on_top,
    flood,
    delete,
    tag,
    inject,
    leave_out,
    front_run,
)


@dataclass(frozen=True)
class Setting:
    """How far each source is trusted, and the attacker's name."""

    name: str
    host: float
    attacker: float

    @property
    def ranked(self) -> bool:
        return self.host > self.attacker


SETTINGS = (
    Setting("evil", 0.8, 0.05),
    Setting("evil", 0.8, 0.2),
    Setting("a-evil", 0.8, 0.8),
    Setting("z-evil", 0.8, 0.8),
)
DIRECTORY = 0.5


@dataclass(frozen=True)
class Attack:
    """Which moves an attacker makes, and from which refresh on; what it does before: nothing, or mirror honestly.

    One that is ``ahead`` attacks also what the host is to list later.
    """

    moves: tuple[Move, ...]
    since: int
    mirrors: bool
    ahead: bool
    seed: int

    def __str__(self) -> str:
        names = "+".join(move.__name__ for move in self.moves)
        return f"{names} from {self.since}{' after mirroring' * self.mirrors}{' ahead' * self.ahead}"

    def entries(self, world: World, turn: int) -> list[Episode] | None:
        """The attacker's listing, ``None`` while it is no source yet."""
        dice = random.Random(f"{self.seed} {turn}")
        listed, out = world.host(turn), world.out[turn]
        following = list(reversed(world.episodes[out : out + 2]))
        scene = Scene(listed, following, listed, turn, self.since, dice)
        if turn < self.since:
            return scene.mirror() if self.mirrors else None
        if self.ahead:
            scene = replace(scene, aims=following + listed)
        move = self.moves[(turn - self.since) % len(self.moves)] if len(self.moves) > 1 else self.moves[0]
        if move is not reuse_keys and reuse_keys in self.moves and turn == self.since:
            return scene.mirror()
        return move(scene)


def attack(dice: random.Random, world: World, setting: Setting, move: Move) -> Attack:
    """An attack that makes this move, often with one or two others."""
    others = tuple(dice.choices(MOVES, k=dice.choice([0, 0, 0, 1, 2])))
    since = dice.randint(0 if setting.ranked else 1, len(world.out) - 1 if not setting.ranked else len(world.out) - 2)
    return Attack((move, *others), since, dice.random() < 0.4, dice.random() < 0.5, dice.randrange(10**9))


History = list[list[dict[str, Any]]]
"""The published items after each refresh: what a subscriber sees of each, and its entries."""


def run(folder: Path, world: World, cast: dict[str, tuple[Setting, Attack | None]]) -> dict[str, History]:
    """The history of one feed for each name in the cast, all refreshed together."""
    folder.mkdir(parents=True)
    published: dict[str, History] = {name: [] for name in cast}
    for turn in range(len(world.out)):
        _write(folder / "host.xml", world.host(turn))
        _write(folder / "directory.xml", world.directory(turn))
        feeds = {}
        for name, (setting, attack) in cast.items():
            trusts = {"host": ("host", setting.host), "m-directory": ("directory", DIRECTORY)}
            if attack and (listed := attack.entries(world, turn)) is not None:
                _write(folder / f"{name}.xml", listed)
                trusts[setting.name] = name, setting.attacker
            sources = {each: make_source(f"{file}.xml", trust=trust) for each, (file, trust) in trusts.items()}
            feeds[name] = make_feed("The show", sources)
        refresh_here(load(write_config(folder, feeds)), at=world.at(turn), force=True)
        for name, history in published.items():
            history.append(_items(folder / "output" / name))
    return published


def _write(path: Path, entries: Sequence[Episode]) -> None:
    path.write_text(make_rss(*entries, title="The show"), encoding="utf-8")


PAID_TAGS = {
    *(
        f"{{{PODCAST}}}{name}"
        for name in ("value", "funding", "alternateEnclosure", "chapters", "transcript", "license", "txt")
    ),
    *(f"{{{ITUNES}}}{name}" for name in ("image", "author", "explicit")),
}


def _items(folder: Path) -> list[dict[str, Any]]:
    items = json.loads((folder / "feed.json").read_bytes())["items"]
    told = {}
    for each in etree.parse(folder / "podcast.xml").iter("item"):
        enclosure = each.find("enclosure")
        told[each.findtext("guid")] = {
            "audio": None if enclosure is None else enclosure.get("url"),
            "title": each.findtext("title"),
            "date": each.findtext("pubDate"),
            "link": each.findtext("link"),
            "text": each.findtext("description"),
            "tags": sorted(etree.tostring(one).decode().strip() for one in each if one.tag in PAID_TAGS),
        }
    return [
        {"guid": item["id"], "entries": tuple(item["_aggregator"]["entries"]), **told.get(item["id"], {"gone": True})}
        for item in items
    ]


SEEN = ("guid", "audio", "date", "title", "link", "text", "tags")
"""What is compared; tags may come from every source that is trusted as much as that of the audio."""


@dataclass
class Campaign:
    """What was lost, by kind: for each the histories in which it was, as a person reads them."""

    histories: int = 0
    lost: dict[str, list[str]] = field(default_factory=dict)

    def note(self, kinds: dict[str, str], history: str) -> None:
        self.histories += 1
        for kind, example in kinds.items():
            self.lost.setdefault(kind, []).append(f"{history}: {example}")


def losses(honest: History, attacked: History, since: int | None, attacker: str) -> dict[str, str]:
    """The kinds of loss with an example of each.

    "announced" is a guid that was published before the host listed its item; such a guid stands. Where ``since`` is
    given, only of items published before that refresh, and what was published then is right, too.
    """
    found: dict[str, str] = {}
    past = {} if not since else {entry: item for item in attacked[since - 1] for entry in item["entries"]}
    for turn, (true, now) in enumerate(zip(honest, attacked, strict=True)):
        homes = {entry: item for item in now for entry in item["entries"]}
        for item in true if turn >= (since or 0) else ():
            best = next((entry for entry in item["entries"] if entry.startswith("host/")), item["entries"][0])
            if "gone" in item or (since is not None and best not in past):
                continue
            other, before = homes.get(best), past.get(best, item)
            if other is None or "gone" in other:
                found.setdefault("vanished", f"refresh {turn}: {item['title']!r}")
                continue
            debut = next(at for at, items in enumerate(honest) if any(best in each["entries"] for each in items))
            early = {each["guid"] for items in attacked[:debut] for each in items}
            for kind in SEEN if since is None else SEEN[:-1]:
                if other[kind] not in (item[kind], before[kind]):
                    name = "announced" if kind == "guid" and early & {other["guid"], item["guid"]} else kind
                    found.setdefault(name, f"refresh {turn}: {item[kind]!r} became {other[kind]!r}")
            strangers = [entry for entry in other["entries"] if not entry.startswith(f"{attacker}/")]
            if sorted(strangers) != sorted(item["entries"]):
                found.setdefault("parted", f"refresh {turn}: {sorted(item['entries'])} became {sorted(strangers)}")
    return found


def campaign(place: Path, first: int, settings: Sequence[Setting] = SETTINGS) -> Campaign:
    """One history for each setting, of one world, which the number chooses as it does the moves."""
    told = Campaign()
    show = world(random.Random(f"world {first}"))
    cast: dict[str, tuple[Setting, Attack | None]] = {"honest": (settings[0], None)}
    for turn, setting in enumerate(settings):
        seed = first * len(settings) + turn
        move = MOVES[5 * seed % len(MOVES)]
        cast[f"seed-{seed}"] = setting, attack(random.Random(f"attack {seed}"), show, setting, move)
    published = run(place / f"world-{first}", show, cast)
    honest = published.pop("honest")
    for name, history in published.items():
        setting, plan = cast[name]
        since = plan.since if plan and not setting.ranked else None
        lost = losses(honest, history, since, setting.name)
        told.note(lost, f"{name} trust {setting.attacker} as {setting.name}, {plan}")
    return told
