"""Words of records that templates show in the language of the page: states, kinds, and names of fields."""

from __future__ import annotations

from typing import Final

from aggregator.generator.pages.wording import FIELD_NAMES, LACKS
from aggregator.translation.marks import N_

STATES: Final = frozenset(
    {
        *(N_("ok"), N_("unchanged"), N_("snapshot"), N_("cached"), N_("failed"), N_("held back"), N_("not due")),
        *(N_("failed; using a saved copy"), N_("failed; using earlier entries"), N_("never asked")),
        N_("newest listing held back; using earlier entries"),
    }
)
"""States of sources and of polls."""

REASONS: Final = frozenset(
    {
        *(
            N_("unconfirmed"),
            N_("perhaps published"),
            N_("quota"),
            N_("never"),
            N_("declined"),
            N_("removed"),
            N_("due"),
        ),
        *(N_("is told after the next refresh"), N_("at every refresh")),
    }
)
"""Why items are held, hubs not told, and sources polled."""

FACTS: Final = frozenset(
    {
        *(N_("kind"), N_("address"), N_("show"), N_("file"), N_("snapshot"), N_("trust"), N_("new items")),
        *(N_("header fields"), N_("only"), N_("exclude"), N_("options"), N_("schedule"), N_("hub")),
        *(N_("asked"), N_("answered"), N_("last document"), N_("not before"), N_("Retry-After until"), N_("ETag")),
        *(N_("Last-Modified"), N_("errors in a row"), N_("moved to"), N_("leads to"), N_("items"), N_("not believed")),
    }
)
"""Names of what is said of sources and their addresses."""

FIELDS: Final = frozenset(
    {
        *(N_("published"), N_("duration"), N_("enclosure"), N_("image"), N_("episode_type"), N_("markup")),
        *(N_("tags"), N_("guid"), N_("listed by"), N_("credit")),
        *(N_("episode"), N_("post")),
    }
)
"""Fields of items by the names that commands have for them, beside those of pages; kinds of items."""

EVENTS: Final = frozenset(
    {
        *(N_("decided"), N_("undone"), N_("overridden"), N_("released"), N_("held"), N_("removed"), N_("forgotten")),
        *(N_("renamed"), N_("settle"), N_("merged"), N_("split"), N_("changed")),
    }
)
"""Kinds of events."""

WORDS: Final = STATES | REASONS | FACTS | FIELDS | EVENTS | FIELD_NAMES | frozenset(LACKS)
