"""Compare what whole refreshes publish with what they published before, byte for byte.

    python -m evaluation.program.goldens            compare; exit 1 where a file differs
    python -m evaluation.program.goldens --write    replace the goldens; read the difference before it is committed

Each history is refreshed at its own times by the program of this checkout; the repository's own config is refreshed
once, with a proxy that refuses, so that every source is read from its snapshot. Compared are the feeds and the OPML
file, not the pages and the report, whose wording may change. A file that differs in bytes and is equal as canonical
XML or as JSON is reported as such, and still counts as different.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
GOLDENS = HERE / "goldens"
COMPARED = ("podcast.xml", "feed.xml", "feed.atom", "feed.json", "feeds.opml")
PROGRAM = (sys.executable, "-c", "from aggregator.cli import main; main()")


def main() -> int:
    """Compare or write; return 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    different = 0
    for name, published in _published():
        golden = GOLDENS / name
        if write:
            shutil.rmtree(golden, ignore_errors=True)
            shutil.copytree(published, golden)
        else:
            different += _compare(name, golden, published)
    print("written" if write else f"{different} files differ")
    return 1 if different else 0


def _published() -> Iterator[tuple[str, Path]]:
    """Yield the name of each refresh and the folder of what it published, as long as it is looked at."""
    with tempfile.TemporaryDirectory() as folder:
        for history in sorted((HERE / "histories").iterdir()):
            yield from _refreshed(history, Path(folder) / history.name)
        own = Path(folder) / "own"
        own.mkdir()
        config = (REPOSITORY / "config.yaml").read_text("utf-8")
        (own / "config.yaml").write_text(f"proxy: http://127.0.0.1:9\n{config}", encoding="utf-8")
        shutil.copytree(REPOSITORY / "samples", own / "samples")
        yield "own", _refresh(own, "2026-11-01T12:00:00Z")


def _refreshed(history: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield what each refresh of a history published."""
    folder.mkdir()
    shutil.copy(history / "config.yaml", folder)
    for given in sorted(path for path in history.iterdir() if path.is_dir()):
        shutil.copytree(given, folder / "inputs", dirs_exist_ok=True)
        day, time = given.name.split("T")
        yield f"{history.name}/{given.name}", _refresh(folder, f"{day}T{time[:2]}:{time[2:4]}:{time[4:]}")


def _refresh(folder: Path, at: str) -> Path:
    """Refresh at a time and return a folder with the compared files only."""
    command = [*PROGRAM, "refresh", "--quiet", "--force", "--at", at]
    checkout = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(command, cwd=folder, env=checkout, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{folder.name} at {at}: exit {done.returncode}: {done.stderr}")
    kept = folder / "compared"
    shutil.rmtree(kept, ignore_errors=True)
    for path in sorted((folder / "output").rglob("*")):
        if path.name in COMPARED:
            target = kept / path.relative_to(folder / "output")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    return kept


def _compare(name: str, golden: Path, published: Path) -> int:
    """Print each file that differs and return how many do."""
    files = {path.relative_to(root) for root in (golden, published) for path in root.rglob("*") if path.is_file()}
    different = 0
    for file in sorted(files):
        before, after = ((root / file).read_bytes() if (root / file).exists() else b"" for root in (golden, published))
        if before != after:
            different += 1
            print(f"{name}/{file}: {_difference(file, before, after)}")
    return different


def _difference(file: Path, before: bytes, after: bytes) -> str:
    """Say in a few words how two files differ."""
    if not before or not after:
        return "new" if after else "missing"
    same = _meaning(file, before) == _meaning(file, after)
    return "equal in meaning, not in bytes" if same else f"differs ({len(before)} bytes before, {len(after)} now)"


def _meaning(file: Path, content: bytes) -> object:
    """Return a form of the file that is equal where its meaning is: canonical XML or the JSON value."""
    if file.suffix == ".json":
        return json.loads(content)
    parser = etree.XMLParser(remove_blank_text=True, resolve_entities=False)
    return etree.tostring(etree.fromstring(content, parser), method="c14n2")


if __name__ == "__main__":
    sys.exit(main())
