"""A refresh reads texts as `aggregator reconcile` does."""

from msgspec.structs import replace

from aggregator.merger.blending.blend import Text, read_text
from aggregator.merger.blending.copies import Copy
from aggregator.merger.blending.source_learning import learn_sources
from aggregator.merger.reconciling.items import reconcile
from aggregator.merger.reconciling.provenance import Weights, rank_entries
from aggregator.merger.reconciling.text_fields import texts_of
from aggregator.merger.repair.repair import repair
from aggregator.model.cluster import Cluster
from aggregator.model.entry import Entry

TITLES = (
    "The lighthouse keeper who counted gulls",
    "Why nobody repairs harbour clocks any longer",
    "Salt roads: a walk from Lüneburg to the sea",
    "Three bridges, two floods and one ferryman",
    "How rope was made before the steam engine came",
    "A letter from the bottom of a copper mine",
    "Old nets and what hangs in them",
    "Tide tables for people who cannot read",
)
SOURCES = ("card", "guide", "host")


def make_copies(title: str, turn: int) -> tuple[str, ...]:
    """Return the title as a card that cuts it, a guide that decorates it, and a host that often lacks it have it."""
    card = f"{title[: 17 + turn]}{('...Show More', ' […]', '… Continua a leggere')[turn % 3]}"
    return card, f"Hear now: {title}", title if turn % 4 == 0 else title.replace(" ", "  ", 1)


def read_both_ways(field: str) -> list[tuple[str, str]]:
    """Return each text as read from raw copies, and from the repaired entries of a refresh."""
    told = [make_copies(title, turn) for turn, title in enumerate(TITLES)]
    raw = [Text(field=field, copies=tuple(map(Copy, SOURCES, copies))) for copies in told]
    titled = field == "title"
    clusters = [
        Cluster(
            tuple(
                repair(Entry(source, "1", text if titled else "", description=None if titled else text))
                for source, text in zip(SOURCES, copies, strict=True)
            )
        )
        for copies in told
    ]
    weights = Weights(dict.fromkeys(SOURCES, 1.0))
    ranked = [rank_entries(cluster.entries, weights) for cluster in clusters]
    learned = learn_sources(raw)
    assert learn_sources(text for each in ranked for text in texts_of(each) if text.copies) == learned
    weights = replace(weights, source_model=learned)
    items = [reconcile(cluster, weights) for cluster in clusters]
    return [
        (read_text(text, learned).text, (item.title if titled else item.description) or "")
        for text, item in zip(raw, items, strict=True)
    ]


def test_a_title_is_read_as_reconcile_reads_it() -> None:
    read = read_both_ways("title")
    assert [one for one, _ in read] == [other for _, other in read]
    assert [title for _, title in read] == list(TITLES)


def test_a_description_is_read_as_reconcile_reads_it() -> None:
    read = read_both_ways("description")
    assert [one for one, _ in read] == [other for _, other in read]


def test_a_title_that_every_copy_cuts_ends_in_one_ellipsis() -> None:
    entries = tuple(
        repair(Entry(source, "1", text))
        for source, text in (("card", "Tide tables for peo...Show More"), ("guide", "Tide tables for […]"))
    )
    assert [entry.title for entry in entries] == ["Tide tables for…", "Tide tables for…"]
    assert reconcile(Cluster(entries), Weights()).title == "Tide tables for…"
    assert reconcile(Cluster(entries[:1]), Weights()).title == "Tide tables for…"
