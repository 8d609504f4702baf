import re
from pathlib import Path


def test_every_test_that_the_page_names_is_one() -> None:
    here = Path(__file__).parent
    page = (here.parents[1] / "docs" / "fetching.md").read_text("utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    texts = [file.read_text("utf-8") for file in here.glob("test_*.py")]
    written = {name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}
    assert named - written == set()
    ruled = {name for name in written if name.startswith("test_rule")}
    assert ruled - named == set()
