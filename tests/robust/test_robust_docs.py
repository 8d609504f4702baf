import re
from pathlib import Path


def test_the_table_of_whole_runs_names_every_test_here_and_no_other() -> None:
    here = Path(__file__).parent
    page = (here.parents[1] / "docs" / "store.md").read_text("utf-8")
    section = page.partition("\n## Whole runs\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(test_\w+)`", section))
    texts = [file.read_text("utf-8") for file in here.glob("test_*.py") if file != Path(__file__)]
    written = {name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}
    assert named - written == set()
    assert written - named == {"test_the_attack_finds_what_it_should"}
