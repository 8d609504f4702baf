from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from aggregator.merger.blending.copies import Copy
from aggregator.merger.blending.source_learning import SourceModelLearner
from aggregator.merger.blending.source_model import EMPTY_MODEL
from aggregator.merger.repair.fixers import repair_text
from tests.support.paths import SHARED
from tests.support.texts import blend

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not SHARED.exists(), reason="../shared is not here")]

# What the labels of seed 002 stand for, by their own storefront and language; the engine never sees this table.
MEANT = {
    "pt-BR": "Português",
    "zh-Hant-TW": "繁體中文",
    "kr": "대한민국",
    "tw": "台灣",
    "at": "Österreich",
    "ru": "Россия",
    "pt": "Português",
    "pa": "Panamá",
    "l=ru": "США",
    "zh-Hans-CN": "简体中文",
    "ko": "미국",
    "vi": "Hoa Kỳ",
    "cn": "中国大陆",
}
BARS = {"light": (0.92, 0.995, 0.97), "medium": (0.83, 0.990, 0.92), "heavy": (0.57, 0.965, 0.79)}


def seed(number):
    return next((SHARED / "seeds").glob(f"{number}_*")).read_text(encoding="utf-8")


def test_worn_labels_are_read_by_general_rules():
    labels = re.findall(r"\[([^\]\n]*[ÃÐÑØÙåäçéëêĐ][^\]\n]*)\]\(([^)]*)\)", seed("002"))
    worn = [
        label
        for label, _ in labels
        if any(mark in label for mark in ("Ã", "•", "å", "ä¸", "ë¯", "êμ", "êµ", "Ù", "á»3", "Ká"))
    ]
    read = Counter(label for label in worn if not re.search("[Ã•¸¤µμ½§]|[åäçéëê][^a-z]|Ù|٠", repair_text(label).text))
    assert read.total() >= 20


@pytest.mark.parametrize(
    ("worn", "meant"),
    [
        ("PortuguÃas (Brazil)", "Português (Brazil)"),
        ("대한ë⁻¼êμ-", "대한민국"),
        ("å•°ç•£", "台灣"),
        ("Ã-sterreich", "Österreich"),
        ("Đ Đ¾Ñ•Ñ•Đ¸Ñ•", "Россия"),
        ("PanamÃi", "Panamá"),
        ('Đ¡Đ"Đ•', "США"),
        ("美å᠈½ (简体ä¸-æ–‡)", "美国 (简体中文)"),
        ("미êµ-", "미국"),
        ("ë¯,êµ-", "미국"),
        ("Hoa Ká»3", "Hoa Kỳ"),
        ("ä¸-å⟩½å¤§é™†", "中国大陆"),
        ('繕é«"ä¸-æ–‡ (å•°ç•£)', "繁體中文 (台灣)"),
    ],
)
def test_each_kind_of_worn_label(worn, meant):
    assert repair_text(worn).text == meant


def test_clean_texts_come_back():
    lines = (SHARED / "eval/text/clean.jsonl").read_text(encoding="utf-8").split("\n")
    items = [json.loads(line) for line in lines if line]
    changed = [
        item["id"]
        for item in items
        if " ".join(repair_text(item["truth"]).text.split()) != " ".join(item["truth"].split())
    ]
    assert changed == []


@pytest.mark.heavy
@pytest.mark.parametrize("level", list(BARS))
def test_the_bars_hold(level):
    rapidfuzz = pytest.importorskip("rapidfuzz.distance")
    lines = (SHARED / f"eval/text/{level}.jsonl").read_text(encoding="utf-8").split("\n")
    items = [json.loads(line) for line in lines if line]
    observer = SourceModelLearner()
    for item in items:
        observer.add(copies(item), item["lang"], item["show"])
    lore = observer.make_model()
    rows = []
    for item in items:
        got = " ".join(blend(copies(item), language=item["lang"], model=lore, show=item["show"]).text.split())
        want = " ".join(item["truth"].split())
        rows.append((item["field"], got == want, rapidfuzz.Levenshtein.normalized_similarity(got, want)))
    exact, similar, titles = BARS[level]
    assert sum(row[1] for row in rows) / len(rows) >= exact
    assert sum(row[2] for row in rows) / len(rows) >= similar
    of_titles = [row[1] for row in rows if row[0] == "title"]
    assert sum(of_titles) / len(of_titles) >= titles


def copies(item):
    return [Copy(witness["source"], witness["text"]) for witness in item["witnesses"]]


def told(number, start, end):
    """The text of a seed from where it begins to where it ends, as a reader would cut it out."""
    text = " ".join(seed(number).split())
    begin = text.index(start)
    return text[begin : text.index(end, begin)]


def test_the_store_completes_what_the_listings_cut():
    start = "CUDA graph trees are the internal"
    reading = blend(
        [
            Copy("casts", told("000", start, " PyTorch Developer Podcast artwork"), 0.5, cut=True),
            Copy("podyssey", told("001", start, " 6) ")),
            Copy("apple", told("002", start, " 21 min "), 0.8),
        ],
        language="en",
        model=EMPTY_MODEL,
    )
    assert reading.text.endswith(
        "There are some operational implications to using CUDA graphs which are described in the podcast."
    )
    assert not reading.cut


def test_displaced_words_are_kept_and_doubted():
    start = "Higher order operators are a special form"
    reading = blend(
        [
            Copy("casts", told("000", start, " PyTorch Developer Podcast artwork"), 0.5, cut=True),
            Copy("podyssey", told("001", start, " 4) "), 0.5),
            Copy("apple", told("002", start, " 17 is"), 0.8),
        ],
        language="en",
    )
    assert "smuggle in Python data that quite unusual." in reading.text
    assert reading.text.endswith("dispatcher.")
    assert reading.least < 0.75
    assert max(run.confidence for run in reading.provenance) > reading.least + 0.2


def test_what_nobody_has_whole_stays_cut():
    start = "Compiled autograd is an extension"
    reading = blend(
        [
            Copy("casts", told("000", start, " PyTorch Developer Podcast artwork"), 0.5, cut=True),
            Copy("podyssey", told("001", start, " 10) "), 0.5),
        ],
        language="en",
    )
    assert reading.cut
    assert reading.text.endswith("…")
    assert reading.text.count("…") == 1
    assert len(reading.text) > 250


def test_a_lost_dash_of_a_title_is_outvoted():
    titles = [
        ("casts", "Inductor - Post-grad FX passes"),
        ("podyssey", "Inductor - Post-grad FX passes"),
        ("apple", "Inductor Post-grad FX passes"),
    ]
    assert blend([Copy(*title) for title in titles]).text == "Inductor - Post-grad FX passes"
