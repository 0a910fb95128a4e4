import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from scrutiny.text.letters import letters


def test_letters():
    assert letters("It's a 2nd-rate FILM… (really)") == "itsandratefilmreally"
    assert letters("Straße ΣΑΣ 字幕 _9²™") == "strasseσασ字幕"
    assert letters("12 !? \n") == ""


@given(st.text(), st.text("  \t.,!?0123-_'\"", max_size=4))
def test_invariance(text, noise):
    assert letters(noise.join(letters(text))) == letters(letters(text))
    assert letters(unicodedata.normalize("NFD", "Crème " + noise)) == letters("CRÈME")
    assert letters(noise + text) == letters(text + noise) == letters(text)
