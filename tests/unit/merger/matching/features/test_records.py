"""Lines of JSON as records: the unit of lengths without one."""

from aggregator.merger.matching.features.records import parse_records


def lengths(*values: object) -> list[int | None]:
    """Return the lengths of lines of one source each, beside a source that gives them in hours and minutes."""
    lines = [{"id": f"{at}", "source": f"{at}", "duration": value} for at, value in enumerate(("0:03:43", *values))]
    return [record.seconds for record in parse_records(lines)][1:]


def test_the_unit_is_the_one_that_fits_other_sources() -> None:
    assert lengths(223, "223", 3.716, 223000, "3m 43sec") == [223, 223, 223, 223, 223]


def test_a_length_that_is_nearly_zero_is_none() -> None:
    assert lengths(5e-324, "0." + "0" * 322 + "5") == [None, None]
