"""Hostile documents as one source among honest ones, through the whole program: bounded, told, the others publish."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

import pytest

from tests.support.bombs import COSTLY, PREFLIGHT
from tests.support.rss import make_rss
from tests.support.workspace import NOON, Peak, Workspace, check_no_leftovers, check_published, format_time, make_item

CPU_SECONDS = 10.0
"""Of processor time for a whole run with one hostile document, of the program and all its children.

Its start and the honest sources are in it. How long it takes says more of what else the machine does.
"""

MEGABYTES = 200
"""That it may add to the parent's memory at its highest; the children have limits of their own."""

N = 80_000
TEXTS: dict[str, Callable[[], str]] = {
    "a word": lambda: "x" * N,
    "words with hyphens at line ends": lambda: "ab-\n" * (N // 4),
    "blanks": lambda: "a" + " " * N + "b",
    "blanks of all kinds": lambda: "a" + " \u00a0\u2003\t" * (N // 4) + "b",
    "line ends": lambda: "a" + "\n" * N + "b",
    "opened brackets": lambda: "[" * N,
    "link ruins": lambda: "[a](" * (N // 4),
    "dots": lambda: "." * N,
    "dots and blanks": lambda: ". " * (N // 2),
    "stars": lambda: "*a" * (N // 2),
    "backslashes": lambda: "\\_" * (N // 2),
    "ampersands": lambda: "&amp;amp;" * (N // 9),
    "mojibake": lambda: "Ã¢â‚¬â„¢" * (N // 7),
    "addresses": lambda: "https://a.example/" + "b/" * (N // 2),
    "addresses without end": lambda: "http://" * (N // 7),
    "one letter words": lambda: "a " * (N // 2),
    "the same sentence": lambda: "What it costs to keep it. " * (N // 26),
    "ideographs": lambda: "字" * N,
    "apostrophes inside a word": lambda: "don" + "’" * N + "t",
    "combining marks of two classes": lambda: "e" + "\u0301\u0316" * (N // 2),
    "combining marks": lambda: "e" + "\u0301" * N,
    "surrogate halves of emoji": lambda: "👩‍" * (N // 2),
    "times": lambda: "1:23 " * (N // 5),
    "dates": lambda: "May 5, 2021 - " * (N // 14),
    "digits": lambda: "1" * N,
    "tags that are text": lambda: "&lt;b a='" * (N // 9),
    "capitals and small": lambda: "aB" * (N // 2),
    "replacement characters": lambda: "\ufffd" * N,
    "right to left": lambda: "\u202eא" * (N // 2),
    "zero width": lambda: "\u200b" * N,
    "mail": lambda: "a@" * (N // 2),
    "quotes": lambda: "'\"" * (N // 2),
}


def documents() -> dict[str, Callable[[], bytes]]:
    """Every hostile document by its name."""
    found: dict[str, Callable[[], bytes]] = {name: build for name, (build, _) in PREFLIGHT.items()} | dict(COSTLY)
    for name, text in TEXTS.items():
        found[f"a description of {name}"] = lambda text=text: make_rss(
            *(make_item(number, text=text()[number:]) for number in (1, 50))
        ).encode()
        found[f"a title of {name}"] = lambda text=text: make_rss(
            *(make_item(number, name=text()[number:]) for number in (1, 50))
        ).encode()
    return found


DOCUMENTS = documents()


class Usage(NamedTuple):
    """What a run of the program ended with, said on stderr, and took: processor seconds, most megabytes."""

    code: int
    said: str
    cpu: float
    megabytes: float


def usage(workspace: Workspace, *words: str) -> Usage:
    spent = processor()
    child = workspace.start(*words)
    peak = Peak(child.pid)
    _, said = child.communicate(timeout=300)
    workspace.alone()
    return Usage(child.returncode, said, processor() - spent, peak.seen())


def processor() -> float:
    """Seconds of processor time of all children that have ended, and of theirs."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def endure(workspace: Workspace, hostile: dict[str, bytes]) -> list[str]:
    """A run with honest sources and these; what was said of the hostile ones. Whatever they are, the honest publish."""
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 6))))
    workspace.serve("/directory", make_rss(*(make_item(number, source="directory") for number in range(1, 5))))
    sources = {name: workspace.source(f"/{name}", trust=0.6) for name in ("host", "directory")}
    for number, body in enumerate(hostile.values()):
        workspace.serve(f"/hostile{number}", body)
        sources[f"hostile{number}"] = workspace.source(f"/hostile{number}", trust=0.5)
    workspace.config(more=sources)
    used = usage(workspace, "refresh", "--quiet", "--force", "--at", format_time(NOON))
    told = used.said.splitlines()
    print(f"{used.cpu:.1f} s cpu, {used.megabytes:.0f} MB:", *hostile, *told)  # noqa: T201
    assert used.code == 0, used.said
    assert all(line.startswith("aggregator: ") and line.isprintable() and len(line) < 1_000 for line in told), told
    assert used.cpu < CPU_SECONDS * len(hostile), f"{used.cpu:.1f} s of processor time"
    assert used.megabytes < 150 + MEGABYTES, f"{used.megabytes:.0f} MB"
    check_published(workspace)
    check_no_leftovers(workspace)
    audio = {each["url"] for item in workspace.items() for each in item.get("attachments", ())}
    assert audio >= {f"https://media.example/{number}.mp3" for number in range(1, 6)}
    source_results = json.loads((workspace.output / "show" / "report.json").read_bytes())["sources"]
    states = {each["name"]: each["state"] for each in source_results}
    assert {states["host"], states["directory"]} == {"ok"}
    silent = {name for name, state in states.items() if state not in {"ok", "unchanged"}}
    assert all(any(name in line for line in told) for name in silent), (silent, told)
    return told


def test_texts_made_to_cost_time_are_published_in_bounded_time(workspace: Workspace) -> None:
    names = [f"a {part} of {name}" for name in TEXTS for part in ("description", "title")]
    endure(workspace, {name: DOCUMENTS[name]() for name in names[::9]})


def test_bombs_among_honest_sources_are_told_and_the_others_publish(workspace: Workspace) -> None:
    names = [
        "billion laughs",
        "200,000 levels",
        "an author of 2 MB",
        "8,000 attributes",
        "NULs",
        "a comment without end",
    ]
    told = endure(workspace, {name: DOCUMENTS[name]() for name in names})
    assert sum("hostile" in line for line in told) >= 4


@pytest.mark.heavy
@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_hostile_document_alone(workspace: Workspace, name: str) -> None:
    endure(workspace, {name: DOCUMENTS[name]()})
    again = workspace.refresh(NOON + timedelta(days=1))
    assert again.returncode == 0
    assert all(line.startswith("aggregator: ") for line in again.stderr.splitlines())
