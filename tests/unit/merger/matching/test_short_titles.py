"""Short titles of two days are two items unless one is a form of the other, even under one sentence and length."""

from __future__ import annotations

import pytest

from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import SHIPPED

DAY = 739_100
TEXT = "A slow walk along the dyke with the man who has opened and closed the sluices for thirty years."
OTHERS = (
    *("Quiet harbours of the north", "Old maps of small towns", "Copper wire and who pulls it", "Paper boats, folded"),
    *("Glass eyes for dolls", "Seven ovens in a row", "Tar barrels on the beach", "Where the geese go in winter"),
)
OTHER_TITLES = {
    "roman numerals": (
        *(("Tome III", "Tome IV"), ("Kapitel XI", "Kapitel XII"), ("Act V", "Act VI"), ("Livre I", "Livre II")),
        *(("Księga IV", "Księga VI"), ("Part II", "Part III"), ("Season VII", "Season VIII"), ("Vol. II", "Vol. III")),
    ),
    "months": (
        *(("March", "April"), ("Rückblick Mai", "Rückblick Juni"), ("Marzo en el jardín", "Mayo en el jardín")),
        *(
            ("Kvällar i juni", "Kvällar i juli"),
            ("Наш январь", "Наш февраль"),
            ("五月の庭", "六月の庭"),
            ("Ekim", "Kasım"),
        ),
        *(("Le mois d'août", "Le mois d'avril"), ("Wrzesień", "Październik"), ("Maaliskuu", "Huhtikuu")),
    ),
    "colours": (
        *(("The red door", "The blue door"), ("Rote Stühle", "Grüne Stühle"), ("La rosa roja", "La rosa blanca")),
        *(
            ("Casa amarela", "Casa verde"),
            ("Červený vlak", "Černý vlak"),
            ("Белый дом", "Синий дом"),
            ("赤い傘", "青い傘"),
        ),
        *(("Il gatto nero", "Il gatto bianco"), ("Black", "White"), ("붉은 문", "푸른 문")),
    ),
    "a letter of a name": (
        *(("Meeting Jan", "Meeting Jon"), ("Anna K.", "Anna M."), ("Mit Karl", "Mit Carl"), ("Marie", "Maria")),
        *(("Hanne und Ole", "Hanna und Ole"), ("Martin", "Marvin"), ("山田さん", "山本さん"), ("Лена", "Лера")),
        *(("Brno", "Bern"), ("Joan of Kent", "Joan of Ghent"), ("Paolo", "Paola"), ("Jana", "Hana")),
    ),
    "negations": (
        *(("Possible", "Impossible"), ("We were wrong", "We weren't wrong"), ("Can it burn?", "Can't it burn?")),
        *(("Möglich", "Unmöglich"), ("Alles gut", "Nichts gut"), ("Ça marche", "Rien ne marche"), ("Legal", "Illegal")),
    ),
    "orders": (
        *(("Ajax vs Porto", "Porto vs Ajax"), ("Lyon – Metz", "Metz – Lyon"), ("Gent v Genk", "Genk v Gent")),
        *(("Köln gegen Mainz", "Mainz gegen Köln"), ("Спартак – Зенит", "Зенит – Спартак"), ("Fox, hen", "Hen, fox")),
        *(("Wisła – Legia", "Legia – Wisła"), ("Getafe contra Betis", "Betis contra Getafe")),
    ),
    "other words": (("North gate", "South gate"), ("Lundi", "Mardi"), ("Sisters", "Brothers"), ("土曜日", "日曜日")),
}
FORMS = {
    "mistyped": (
        *(("The orchard", "The orcahrd"), ("Orchard walls", "Orchard wallls"), ("Der Bäcker", "Der Bäkcer")),
        *(("Les moulins", "Les moulnis"), ("Colour", "Color"), ("Compasses", "Compases"), ("Wintertag", "Wintertga")),
    ),
    "articles": (("The harbour", "Harbour"), ("Die Brücke", "Eine Brücke"), ("Un puente", "El puente")),
    "numbers": (("Part II", "Part 2"), ("Book Two", "Book 2"), ("Zwei Häfen", "2 Häfen"), ("Vol. 2", "Vol. II")),
    "more or fewer words": (
        *(("Salt", "Salt, episode notes"), ("Bell towers", "Bell tow"), ("Ferry", "New episode: Ferry")),
        *(("Listen: Velvet", "Velvet (podcast)"), ("Salt & iron", "Salt und iron")),
    ),
    "marks": (("Straße", "Strasse"), ("La fête", "La fete"), ("Thunder", "THUNDER!"), ("Gewürze", "Gewuerze")),
}
CORRECTED = (("The red door", "The blue door"), ("Meeting Jan", "Meeting Jon"), ("March", "April"), ("Anna", "Otto"))


def list_pairs(table: dict[str, tuple[tuple[str, str], ...]]) -> list[tuple[str, str]]:
    return [pair for pairs in table.values() for pair in pairs]


def are_joined(one: str, other: str, days: int) -> bool:
    """Return whether two entries join that stand at one place of two listings, with one text and one length."""
    rows = [
        Record("host", "host", one, day=DAY, seconds=2400, description=TEXT, position=4),
        Record("list", "list", other, day=DAY + days, seconds=2400, step=60, description=TEXT, position=4),
    ]
    around = [
        Record(f"{name}{at}", name, title, day=DAY + 7 * (4 - at - (at > 3)), position=at + (at > 3))
        for at, title in enumerate(OTHERS)
        for name in ("host", "list")
    ]
    found = match_records([*rows, *around], SHIPPED)
    return any({"host", "list"} <= {found.frame.records[row].id for row in group} for group in found.groups)


@pytest.mark.parametrize(("one", "other"), list_pairs(OTHER_TITLES))
def test_another_short_title_of_the_next_day_is_another_item(one: str, other: str) -> None:
    assert not are_joined(one, other, 1)


@pytest.mark.parametrize(("one", "other"), list_pairs(FORMS))
def test_a_form_of_the_title_on_the_next_day_is_the_same_item(one: str, other: str) -> None:
    assert are_joined(one, other, 1)


@pytest.mark.parametrize(("one", "other"), CORRECTED)
def test_a_corrected_title_of_one_day_is_the_same_item(one: str, other: str) -> None:
    assert are_joined(one, other, 0)
