import re
from pathlib import Path


def test_every_test_that_the_page_names_is_one() -> None:
    here = Path(__file__).parent
    page = (here.parents[1] / "docs" / "fetching.md").read_text("utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    texts = {file: file.read_text("utf-8") for file in here.parent.glob("*/test_*.py")}
    written = {
        name: file for file, text in texts.items() for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)
    }
    assert named - written.keys() == set()
    ruled = {name for name, file in written.items() if name.startswith("test_rule") and file.parent == here}
    assert ruled - named == set()
