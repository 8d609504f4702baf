"""A made-up show for trying the program: its host with audio, and four listings of it with the usual damage.

Everything is generated: the documents from the table of episodes, the audio as a few tones each (RIFF/WAVE).
"""

from __future__ import annotations

import math
import shutil
import threading
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

TITLE: Final = "Keepers of the Light"
FEED: Final = "keepers-of-the-light"

_HOME: Final = "127.0.0.1"
_RATE: Final = 8_000  # samples a second
_LENGTH: Final = 3  # seconds of sound
_SCALE: Final = (220, 262, 294, 330, 392, 440, 523, 587)  # Hz
_CUT: Final = 90
"""Characters of a text that a directory shows."""


class _Episode(NamedTuple):
    """An episode or a post, and its length in seconds."""

    title: str
    text: str
    seconds: int


_EPISODES: Final = (
    _Episode(
        "The lamp that burned colza oil",
        "Rapeseed from the parish fields lit this coast for forty years. Siân Møller shows us the log books, the burns "
        "on her great-grandfather's sleeves, and the sum that made paraffin win.",
        1_512,
    ),
    _Episode(
        "Fresnel’s first lens",
        "A café table, a broken prism, and a committee that did not believe it: how Augustin Fresnel put a hundred "
        "small mirrors in place of one large one, and why ships could suddenly see Cordouan from twenty miles.",
        2_047,
    ),
    _Episode(
        "Fog, part 1: bells",
        "Before horns there were bells, and before bells there were neighbours. We ring the bell of Nidingen with the "
        "last person who was paid to.",
        1_388,
    ),
    _Episode(
        "Fog, part 2: horns & sirens",
        "A steam siren eats a ton of coal in a night of fog. Ruairí explains the diaphone, we hear one grunt, and "
        "nobody in the village sleeps.",
        1_641,
    ),
    _Episode(
        "Letters from a rock station",
        "Eleven weeks of weather, one relief boat. We read what three keepers wrote home from Skerryvore in the winter "
        "of 1902, and what they left out.",
        1_920,
    ),
    _Episode(
        "The keeper’s garden",
        "Soil came by boat, a sack at a time. Zoë digs up potatoes behind a wall that was built against the spray, and "
        "finds the pipe stems of five generations.",
        1_105,
    ),
    _Episode(
        "Counting flashes",
        "Two white every fifteen seconds: why no two lights on a coast may say the same, who keeps the list, and what "
        "happened in the year when two of them did.",
        1_734,
    ),
    _Episode(
        "The night the light went out",
        "A fuse, a storm, and a fishing fleet on its way in. Told by the two people who carried the spare lamp up 199 "
        "steps.",
        2_233,
    ),
    _Episode(
        "Automation day",
        "The last keepers locked the door on a Tuesday and handed over the keys. What a sensor does not notice, and "
        "why some of them still live within sight of the tower.",
        1_577,
    ),
    _Episode(
        "Listeners’ lights",
        "You sent us recordings from São Miguel to Hokkaidō. We play the best of them, and a fog horn from a bathtub.",
        1_266,
    ),
)

_POSTS: Final = (
    _Episode(
        "Notes: how to visit a lighthouse",
        "Which towers are open, what to ask, and why to bring gloves. With a map of the ones in this season.",
        0,
    ),
    _Episode(
        "A reader’s correction",
        "The lens at Chassiron has eight panels, not six. Thank you, Henrike, who counted them twice in the rain.",
        0,
    ),
)


def make_sources(folder: Path, address: str, now: datetime) -> None:
    """Write the documents of the host and of the four listings, and the audio, as if this week's episode were new."""
    folder.mkdir(parents=True)
    newest = (now - timedelta(hours=30)).replace(minute=0, second=0, microsecond=0)
    last = len(_EPISODES) - 1
    dated = [(newest - timedelta(weeks=last - at), at, each) for at, each in enumerate(_EPISODES)][::-1]
    for _, at, each in dated:
        _write_audio(folder / f"{at + 1}.wav", at)
        (folder / f"{at + 1}.html").write_text(_make_page(at, each), encoding="utf-8")
    for name, document in (
        ("host.xml", _make_host(address, dated)),
        ("directory.xml", _make_directory(dated)),
        ("mirror.xml", _make_mirror(dated)),
        ("charts.txt", _make_charts(dated)),
        ("blog.xml", _make_blog(newest)),
    ):
        (folder / name).write_text(document, encoding="utf-8")


_Dated = list[tuple[datetime, int, _Episode]]
"""Episodes, newest first: when each appeared, its place in the table, and itself."""


def _make_host(address: str, dated: _Dated) -> str:
    """Return the host's own feed: everything right, as the author wrote it."""
    items = (
        f"<guid isPermaLink='false'>light-{at + 1}</guid><title>{escape(each.title)}</title>"
        f"<link>{address}{at + 1}.html</link><pubDate>{format_datetime(when)}</pubDate>"
        f"<description>{escape(f'<p>{each.text}</p>')}</description>"
        f"<itunes:duration>{each.seconds}</itunes:duration><itunes:episode>{at + 1}</itunes:episode>"
        f"<enclosure url='{address}{at + 1}.wav' length='{_RATE * _LENGTH + 44}' type='audio/wav'/>"
        for when, at, each in dated
    )
    return _make_rss(items)


def _make_page(at: int, each: _Episode) -> str:
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(each.title)}</title>"
        f"<h1>{escape(each.title)}</h1><p>{escape(each.text)}</p><audio controls src='{at + 1}.wav'></audio></html>\n"
    )


def _make_directory(dated: _Dated) -> str:
    """Return a directory: titles that it numbers, texts cut, lengths in minutes, dates a day late and without time."""
    items = (
        f"<guid>https://directory.example/e/{7_000 + at}</guid><title>{at + 1}. {escape(each.title)}</title>"
        f"<pubDate>{when + timedelta(days=1):%Y-%m-%d}</pubDate>"
        f"<description>{escape(_cut(each.text))}</description>"
        f"<itunes:duration>{round(each.seconds / 60)}:00</itunes:duration>"
        for when, at, each in dated[:9]
    )
    return _make_rss(items)


def _make_mirror(dated: _Dated) -> str:
    """Return a mirror: its own ids, UTF-8 read as Windows-1252, minutes late, and one ampersand that breaks the XML."""
    items = (
        f"<guid isPermaLink='false'>{0x5EA + 17 * at:08x}</guid><title>{_damage(each.title)}</title>"
        f"<pubDate>{format_datetime(when + timedelta(minutes=4, seconds=at))}</pubDate>"
        f"<description>{_damage(each.text)}</description>"
        for when, at, each in dated
    )
    return _make_rss(items)


def _make_charts(dated: _Dated) -> str:
    """Return a page of a chart as text: month, day, minutes, and the beginning of the text."""
    lines = [f"New episodes of {TITLE}", ""]
    for when, _, each in dated[:8]:
        lines += [
            f"{each.title}",
            "",
            f"{TITLE} - {when:%B %d, %Y %H:%M} - {round(each.seconds / 60)} minutes ★★★★☆ - 12 ratings",
            _cut(each.text),
            "",
        ]
    return "\n".join(lines)


def _make_blog(newest: datetime) -> str:
    """Return the author's blog: posts that no directory has."""
    items = (
        f"<title>{escape(each.title)}</title><link>https://keepers.example/blog/{at + 1}</link>"
        f"<pubDate>{format_datetime(newest - timedelta(days=3 + 20 * at))}</pubDate>"
        f"<description>{escape(f'<p>{each.text}</p>')}</description>"
        for at, each in enumerate(_POSTS)
    )
    return _make_rss(items)


def _make_rss(items: Iterator[str]) -> str:
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel>"
        f"<title>{TITLE}</title><link>https://keepers.example/</link><language>en</language>"
        "<description>The people behind the lights on the coast.</description>"
        f"{''.join(f'<item>{item}</item>' for item in items)}</channel></rss>\n"
    )


def _damage(text: str) -> str:
    """Return the text as one sees it that was written in UTF-8 and read as Windows-1252, its ampersands bare."""
    return text.encode("utf-8").decode("cp1252", "replace").replace("<", "&lt;")


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else text[:_CUT].rsplit(" ", 1)[0] + "…"


def _write_audio(path: Path, number: int) -> None:
    """Write three seconds of four tones, another melody for each number: 8 bits, one channel."""
    tones = [_SCALE[(number * step + step) % len(_SCALE)] for step in (1, 3, 2, 5)]
    each = _RATE * _LENGTH // len(tones)
    samples = bytearray()
    for tone in tones:
        for at in range(each):
            fade = min(1.0, at / 400, (each - at) / 400)
            samples.append(128 + int(60 * fade * math.sin(2 * math.pi * tone * at / _RATE)))
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(_RATE)
        sound.writeframes(bytes(samples))


def write_config(path: Path, address: str, base_url: str) -> None:
    """Write the config of the show."""
    sources = "\n".join(
        f"      {name}: {{kind: {kind}, url: '{address}{file}', trust: {trust}}}"
        for name, kind, file, trust in (
            ("host", "feed", "host.xml", 0.9),
            ("directory", "feed", "directory.xml", 0.5),
            ("mirror", "feed", "mirror.xml", 0.4),
            ("charts", "listing", "charts.txt", 0.3),
            ("blog", "blog", "blog.xml", 0.6),
        )
    )
    path.write_text(
        "# A made-up show and five listings of it, which `aggregator demo` serves while it runs.\n"
        f"base_url: {base_url}\nallow_networks: [127.0.0.0/8]\n"
        f"feeds:\n  {FEED}:\n    title: {TITLE}\n    sources:\n{sources}\n",
        encoding="utf-8",
    )


class _Quiet(SimpleHTTPRequestHandler):
    """Serve files without a line on stderr for each."""

    def log_message(self, *_args: object) -> None:
        """Print nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of the loopback interface until the body ends; give its address."""
    with ThreadingHTTPServer((_HOME, 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, name="demo", daemon=True)
        thread.start()
        try:
            yield f"http://{_HOME}:{server.server_port}/"
        finally:
            server.shutdown()


def make_folder(folder: Path) -> None:
    """Make the folder of a demo; what an earlier one left in it is removed. Raises FileExistsError for any other."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / "sources" / "host.xml").is_file():
            raise FileExistsError(folder)
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
