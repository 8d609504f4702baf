"""Measure proposals: ``python -m evaluation.proposals`` prints the pages of which every entry was read right."""

from __future__ import annotations

import sys

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import parse
from aggregator.fetchers.directories import proposals
from aggregator.model.entry import Entry
from aggregator.model.source import Document, Source
from evaluation.proposals.later_pages import make_later_pages
from evaluation.proposals.pages import BASE, POLLED, Made, Page, make_pages

LEAST = 0.8
"""The share of pages of which the first proposal must read every entry right."""


def find_faults(page: Page) -> list[str]:
    """Return what the first proposal that can be read reads wrong; nothing if all is right."""
    document = Document(Source("page", "page", url=BASE), BASE, page.body.encode(), polled=POLLED)
    for proposal in proposals.propose(document).sources:
        if proposal.url is not None:
            continue
        try:
            found = parse.read(replace(document, source=proposal)).entries
        except ReadError:
            continue
        if len(found) != len(page.entries):
            return [f"{proposal.name}: {len(found)} entries for {len(page.entries)}"]
        pairs = zip(found, page.entries, strict=True)
        return [f"{proposal.name}: {fault}" for got, wanted in pairs for fault in _compare(got, wanted)]
    return ["nothing is proposed"]


def _compare(got: Entry, wanted: Made) -> list[str]:
    faults = []
    if got.title != wanted.title:
        faults.append(f"title {got.title!r}")
    if got.published is None or got.published.at.date() != wanted.at.date():
        faults.append(f"date {got.published and got.published.at.date()} for {wanted.at.date()}")
    if (got.enclosure.url if got.enclosure else None) != wanted.audio:
        faults.append(f"audio {got.enclosure and got.enclosure.url}")
    if (got.duration.seconds if got.duration else None) != wanted.seconds:
        faults.append(f"length {got.duration and got.duration.seconds} for {wanted.seconds}")
    if wanted.link and got.link and got.link != wanted.link:
        faults.append(f"link {got.link}")
    return faults


def main() -> int:
    """Print each page and the share that is read right; 1 if that is less than it must be."""
    pages = (*make_pages(), *make_later_pages())
    right = 0
    for page in pages:
        faults = find_faults(page)
        right += not faults
        print(
            f"{'right' if not faults else 'wrong'}  {page.language}  {page.shape}{': ' + faults[0] if faults else ''}"
        )
    print(f"{right} of {len(pages)} pages right: {right / len(pages):.2f} (at least {LEAST})")
    return 0 if right / len(pages) >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
