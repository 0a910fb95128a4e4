"""Keys, optical readers, look-alikes."""

import string
import unicodedata

import pytest

from scrutiny.perturb.characters.misspellings import _confusions
from scrutiny.perturb.characters.surface import homoglyphs
from scrutiny.perturb.characters.typos import keyboard_neighbors


@pytest.mark.parametrize(("char", "near"), [("a", "qwsz"), ("p", "ol"), ("5", "46"), ("M", "JKN")])
def test_keyboard(char, near):
    assert sorted(keyboard_neighbors(char)) == sorted(near)


def test_keyboard_is_symmetric_and_never_itself():
    for char in string.ascii_letters + string.digits:
        near = keyboard_neighbors(char)
        assert near
        assert char not in near
        assert len(set(near)) == len(near)
        assert all(char in keyboard_neighbors(other) for other in near)
        assert all(other.isupper() == char.isupper() for other in near if other.isalpha())
        assert set(near) <= set(keyboard_neighbors(char, symbols=True))


def test_keyboard_with_symbols():
    assert set(keyboard_neighbors("p", symbols=True)) == set("0-ol[;")
    assert keyboard_neighbors("中", symbols=True) == keyboard_neighbors("") == ""


@pytest.mark.parametrize(
    ("source", "target"),
    [("rn", "m"), ("m", "rn"), ("w", "vv"), ("i", "1"), ("O", "0"), ("d", "cl")],
)
def test_ocr(source, target):
    assert target in _confusions()[source]


def test_ocr_confusions_change_something():
    for source, targets in _confusions().items():
        assert 1 <= len(source) <= 3
        assert source not in targets
        assert len(set(targets)) == len(targets)
    assert set(string.ascii_lowercase) <= set(_confusions())


def test_homoglyphs_are_other_characters_of_other_scripts():
    for char in string.ascii_letters:
        similar = homoglyphs()[char]
        assert char not in similar
        assert similar
        assert all(not c.isascii() and unicodedata.name(c) for c in similar)
    assert "?" not in homoglyphs()
