"""Artwork by its own first bytes, and what directories would say of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.validator.artwork import _JPEG, _PNG, Picture, _Measures, find_faults, measure

EXIF = b"\xff\xe1\x00\x08Exif\x00\x00"


def png(width: int, height: int, colours: int = 2) -> bytes:
    sides = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    return _PNG + b"\x00\x00\x00\rIHDR" + sides + bytes((8, colours, 0, 0, 0))


def jpeg(width: int, height: int, components: int = 3, *, marker: int = 0xC0, ahead: bytes = EXIF) -> bytes:
    """A start, a table, and the frame's header."""
    sides = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    table = b"\xff\xc4\x00\x05\x00\x01\x02"
    return b"\xff\xd8" + ahead + table + bytes((0xFF, marker, 0, 17, 8)) + sides + bytes((components,)) + bytes(9)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (png(1400, 1500), _Measures("image/png", 1400, 1500, coloured=True)),
        (png(1400, 1400, 3), _Measures("image/png", 1400, 1400, coloured=True)),
        (png(1400, 1400, 4), _Measures("image/png", 1400, 1400, coloured=False)),
        (jpeg(3000, 2999), _Measures("image/jpeg", 3000, 2999, coloured=True)),
        (jpeg(3000, 3000, 4, marker=0xC2), _Measures("image/jpeg", 3000, 3000, coloured=False)),
        (jpeg(1400, 1400, 1), _Measures("image/jpeg", 1400, 1400, coloured=False)),
        (jpeg(1400, 1400, ahead=b"\xff" + EXIF), _Measures("image/jpeg", 1400, 1400, coloured=True)),
        (png(1400, 1400)[:20], None),
        (jpeg(1400, 1400)[:20], None),
        (_JPEG + b"\xe0\x00\x04ab no marker here at all", None),
        (b"GIF89a", None),
        (b"", None),
    ],
)
def test_a_picture_is_measured_by_its_header(body: bytes, expected: _Measures | None) -> None:
    assert measure(body) == expected


@given(st.binary(max_size=80), st.sampled_from([b"", _PNG, _JPEG, _JPEG + b"\xe0\x00\x02"]))
@settings(max_examples=100, deadline=None)
def test_no_bytes_break_it(body: bytes, start: bytes) -> None:
    measure(start + body)


def told(body: bytes | None, name: str = "cover.png", kind: str | None = "image/png", **more: object) -> list[str]:
    return list(find_faults(Picture(f"https://art.example/{name}", body, kind, **more)))  # type: ignore[arg-type]  # a case


def test_sound_artwork_has_no_faults() -> None:
    assert told(png(1400, 1400)) == told(png(3000, 3000)) == []
    assert told(jpeg(2048, 2048), "cover.jpg?v=2", "image/jpeg") == told(png(1400, 1400), "f81607a3") == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (told(png(1399, 1399)), "has 1399 by 1399 pixels; Apple asks for 1,400 to 3,000 a side"),
        (told(png(3001, 3001)), "has 3001 by 3001 pixels; Apple asks for 1,400 to 3,000 a side"),
        (told(png(1400, 1401)), "is not square: 1400 by 1401 pixels"),
        (told(png(1400, 1400, 0)), "is grey or made for printing; Apple asks for RGB"),
        (told(png(1400, 1400), "cover.jpg"), "is image/png, but its extension is that of image/jpeg"),
        (told(png(1400, 1400), kind="image/jpeg"), "is image/png, and is served as image/jpeg"),
        (told(b"RIFF", "cover.webp", "image/webp"), "is neither PNG nor JPEG (image/webp, 4 bytes)"),
        (told(None, why="answered 404"), "cannot be fetched: answered 404"),
        (told(png(1400, 1400), head=False), "its host does not answer HEAD, by which Apple looks for new artwork"),
    ],
)
def test_each_fault_is_told(given: list[str], expected: str) -> None:
    assert given == [expected]
