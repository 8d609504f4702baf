"""Product catalogues made with a seed: two or three shops, model codes in titles, no dates and no shared ids."""

from __future__ import annotations

import random

from aggregator.merger.matching.features.records import parse_records
from aggregator.merger.matching.match import match_records
from evaluation.matching.scoring import Score, group_ids, pooled, score

SEEDS = 6
LEAST_F1 = 0.89
_PRODUCTS = 300
_BRANDS = ("Aldera", "Borvik", "Cantor", "Dunmore", "Elstra", "Fjordt", "Galvan", "Hestia", "Ibex", "Juno", "Kestrel")
_TYPES = {
    "headphones": ("wireless", "over-ear", "noise cancelling", "with microphone", "foldable"),
    "camera": ("digital", "20 megapixel", "compact", "with zoom lens", "4K video"),
    "refrigerator": ("stainless steel", "side by side", "energy saving", "ice dispenser", "24 cu ft"),
    "drill": ("cordless", "18 volt", "two batteries", "brushless", "hammer action"),
    "monitor": ("27 inch", "widescreen", "full HD", "LED", "height adjustable"),
    "keyboard": ("mechanical", "backlit", "compact", "USB", "wireless"),
    "printer": ("laser", "colour", "duplex", "network", "all-in-one"),
    "toaster": ("two slice", "brushed metal", "wide slots", "defrost", "removable tray"),
}
_COLOURS = ("black", "white", "silver", "red", "blue")
_PATTERNS = (
    "{brand} {features} {type} - {code}",
    "{code} {brand} {type} {colour}",
    "{brand} {code} {features} {type} ({colour})",
    "{type} {brand} {code}, {features}",
)


def lines(seed: int) -> tuple[list[dict[str, object]], dict[str, str]]:
    """Return the records of some shops as lines of ``aggregator match``, and the product of each."""
    chance = random.Random(f"catalogue {seed}")
    products = [product for at in range(_PRODUCTS // 3) for product in _family(chance, at)]
    rows: list[dict[str, object]] = []
    truth: dict[str, str] = {}
    for shop in ("shop-a", "shop-b", "shop-c")[: 2 + seed % 2]:
        pattern, plain = chance.choice(_PATTERNS), chance.random() < 0.5
        for name, product in products:
            if chance.random() < 0.35:
                continue
            ident = f"{shop}/{len(rows)}"
            rows.append({"id": ident, "source": shop, **_listed(chance, product, pattern, plain=plain)})
            truth[ident] = name
    return rows, truth


def _family(chance: random.Random, number: int) -> list[tuple[str, dict[str, str]]]:
    """Draw three products of one brand and type whose codes differ in a digit."""
    brand, kind = chance.choice(_BRANDS), chance.choice(sorted(_TYPES))
    letters = "".join(chance.choices("ABCDEFGHKLMNPRSTVWX", k=chance.choice((2, 3))))
    base = chance.randint(10, 899) * 10
    codes = [f"{letters}{base + step}{tail}" for step, tail in enumerate(chance.sample(("", "B", "W", "X", "SL"), 3))]
    out = []
    for code in codes:
        features = chance.sample(_TYPES[kind], 3)
        product = {"brand": brand, "type": kind, "code": code, "colour": chance.choice(_COLOURS)}
        out.append((f"{number} {code}", {**product, "features": ", ".join(features)}))
    return out


def _listed(chance: random.Random, product: dict[str, str], pattern: str, *, plain: bool) -> dict[str, str]:
    """Return what a shop says of a product: some leave the code out, some write it with a hyphen."""
    features = product["features"].split(", ")
    code = product["code"]
    if chance.random() < 0.1:
        code = ""
    elif plain:
        letters = code.rstrip("0123456789BWXSL") or code[:2]
        code = f"{letters}-{code[len(letters) :]}" if letters != code and chance.random() < 0.3 else code
    some = " ".join(chance.sample(features, chance.choice((1, 2))))
    title = " ".join(pattern.format(**{**product, "code": code, "features": some}).split()).strip(" -,")
    said = {"title": title}
    if chance.random() < 0.6:
        said["description"] = f"{product['brand']} {product['type']}: {', '.join(chance.sample(features, 3))}."
    return said


def measure(seeds: int = SEEDS) -> list[str]:
    """Print the pooled score and its spread; return a line where F1 does not hold."""
    runs: list[Score] = []
    for seed in range(seeds):
        rows, truth = lines(seed)
        runs.append(score(group_ids(match_records(parse_records(rows))), truth))
    total, each = pooled(runs), [run.f1 for run in runs]
    print(f"catalogues       {total}; F1 {min(each):.4f} to {max(each):.4f} over {seeds} seeds")
    return [f"catalogues: F1 {total.f1:.4f}, at least {LEAST_F1}"] if round(total.f1, 4) < LEAST_F1 else []
