"""What a run may teach: the prior of a show or a catalogue never falls below that of the shipped table."""

from __future__ import annotations

import pytest

from aggregator.merger.matching.features.records import parse_records
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import SHIPPED

# brand, types, features: every word of a catalogue recurs, only the model codes do not
CATALOGUES = {
    "English": ("Norvell", ("kettle", "blender", "mixer"), ("brushed steel", "with timer", "compact", "1.7 litre")),
    "German": ("Habicht", ("Bohrer", "Hobel", "Fräse"), ("kabellos", "mit Koffer", "bürstenlos", "18 Volt")),
    "Spanish": ("Almena", ("lámpara", "ventilador", "estufa"), ("plegable", "con mando", "blanco", "de pared")),
}


@pytest.mark.parametrize("language", CATALOGUES)
def test_products_in_other_words_join_by_their_codes_and_their_neighbours_stay_apart(language: str) -> None:
    brand, types, features = CATALOGUES[language]
    lines: list[dict[str, object]] = []
    for at in range(120):
        kind, code = types[at % 3], f"QR{3000 + at * 7}"
        one, other = features[at % 4], features[at // 4 % 4]
        lines.append({"id": f"one/{code}", "source": "one", "title": f"{brand} {one} {kind} - {code}"})
        if at % 3:
            lines.append({"id": f"two/{code}", "source": "two", "title": f"{code} {brand} {kind} ({one}, {other})"})
    found = match_records(parse_records(lines))
    names = [record.id for record in found.frame.records]
    groups = [{names[row] for row in group} for group in found.groups if len(group) > 1]
    assert all(len({name.partition("/")[2] for name in group}) == 1 for group in groups)
    assert len(groups) >= 0.8 * 80
    assert found.table.prior >= SHIPPED.prior
