from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.text import tokens

PIECES = st.sampled_from(
    [
        "word",
        "Ünïted’s",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\n\n\n",
        "\t",
        "\u00a0",
        "…",
        "--",
        "台",
        "ก็",
        "א",
        "\u200d",
        "\u2028",
        ".",
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(PIECES, max_size=15).map("".join))
def test_tokens_and_gaps_are_the_text(text):
    found = tokens.tokenise(text)
    assert "".join(token.surface for token in found) == "".join(text.split())
    assert all(token.surface == token.lead + token.word + token.trail for token in found)


def test_gaps_are_blanks_line_ends_or_paragraphs():
    assert [token.gap for token in tokens.tokenise("one two\nthree\n\nfour \n five")] == ["", " ", "\n", "\n\n", "\n"]
