from __future__ import annotations

from aggregator.text.html import to_text


def test_blocks_become_lines_and_paragraphs():
    assert (
        to_text("<p>One</p><p>Two<br/>three</p><ul><li>four</li><li>five</li></ul>")
        == "One\n\nTwo\nthree\n\nfour\nfive"
    )


def test_what_is_not_read_is_silent():
    html = "<style>p{}</style><script>x</script>Hello <!-- not this --> there<noscript>no</noscript>!"
    assert to_text(html) == "Hello there!"


def test_cells_stand_apart_and_preformatted_lines_stay():
    assert to_text("<table><tr><td>a</td><td>b</td></tr></table>") == "a b"
    assert to_text("<pre>x\n  y</pre>") == "x\ny"


def test_nothing_is_nothing():
    assert to_text("") == ""
    assert to_text("<!---->") == ""
    assert to_text(" plain ") == "plain"


def test_a_deep_tree_is_read_to_its_end():
    assert to_text("<div>" * 3000 + "deep" + "</div>" * 3000).endswith("deep")
    assert to_text("<b>a\x00b</b>") == "ab"
