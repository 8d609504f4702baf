"""The recipe of docs/fetching.md for an origin behind bot protection: a page that a browser saves is the listing."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.origin import Site, serving
from tests.support.paths import ROOT
from tests.support.program import run_program

WALL = "<html><head><title>Just a moment...</title></head><body><form id='challenge-form'></form></body></html>"


def write_page(path: Path, *titles: str) -> None:
    entries = "".join(
        f'<li class="episode"><h3><a href="/e/{day}">{title}</a></h3><time datetime="2026-01-{day:02}"></time></li>'
        for day, title in reversed([*enumerate(titles, 1)])
    )
    path.write_text(f"<html><body><ul>{entries}</ul></body></html>")


def test_a_saved_page_is_read_again_whenever_it_was_saved_anew(tmp_path: Path) -> None:
    recipe = (ROOT / "docs/fetching.md").read_text().partition("### An origin behind bot protection")[2]
    config = recipe.partition("```yaml\n")[2].partition("```")[0]
    assert "snapshot: saved/show.html" in config
    (tmp_path / "saved").mkdir()
    with serving(Site()) as site:
        site.serve("/show", WALL, status=403, kind="text/html")
        site.fields["/show"] = {"cf-mitigated": "challenge"}
        text = config.replace("https://directory.example/show", site.url("/show"))
        (tmp_path / "config.yaml").write_text(f"allow_networks: [127.0.0.0/8]\n{text}")
        for hour, titles in ((1, ("Fog", "Lamps")), (2, ("Fog", "Lamps", "Buoys")), (3, ("Fog", "Lamps", "Buoys"))):
            write_page(tmp_path / "saved/show.html", *titles)
            done = run_program(tmp_path, "refresh", "--force", "--at", f"2026-02-02T{hour:02}:00:00Z")
            assert done.returncode == 0, done.stderr
            assert "bot protection" in done.stderr + done.stdout
            published = json.loads((tmp_path / "output/show/feed.json").read_text())["items"]
            assert sorted(each["title"] for each in published) == sorted(titles)
