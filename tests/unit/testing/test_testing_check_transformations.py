from typing import ClassVar

import numpy as np
import pytest

from scrutiny.core.edit import Edit
from scrutiny.core.errors import ConformanceError
from scrutiny.core.transformation import ChangesAtOnce, Intensity, Site, Transformation
from scrutiny.testing import check_transformation


class Shout(Transformation):
    """A word in capitals.

    Measures something. Misleads when shouted at.
    """

    id = "shout@1"
    languages = frozenset({"*"})
    resources = ()
    effect: ClassVar = {"*": "keeps"}
    intensity = Intensity()

    def sites(self, document):
        borders = enumerate(document.tokens)
        return [Site(a, b, i) for i, (a, b) in borders if document.text[a:b].islower()]

    def candidates(self, document, site, rng):
        word = document.text[site.start : site.end].upper()
        yield (Edit(document.field, site.start, site.end, word),)


def test_a_sound_one():
    check_transformation(Shout())


class Undocumented(Shout):
    """Measures something."""


class Unversioned(Shout):
    __doc__ = Shout.__doc__
    id = "Shout"


class UnknownEffect(Shout):
    __doc__ = Shout.__doc__
    effect: ClassVar = {"*": "preserves"}


class RandomSites(Shout):
    __doc__ = Shout.__doc__

    def __init__(self):
        self.calls = 0

    def sites(self, document):
        self.calls += 1
        return super().sites(document)[self.calls % 2 :]


class Backward(Shout):
    __doc__ = Shout.__doc__

    def sites(self, document):
        return super().sites(document)[::-1]


class Outside(Shout):
    __doc__ = Shout.__doc__

    def sites(self, document):
        return [Site(0, len(document.text) + 1)]


class OwnRandomness(Shout):
    __doc__ = Shout.__doc__
    rng = np.random.default_rng(0)

    def candidates(self, document, site, rng):
        yield (Edit(document.field, site.start, site.end, str(self.rng.random())),)


class NoChange(Shout):
    __doc__ = Shout.__doc__

    def candidates(self, document, site, rng):
        word = document.text[site.start : site.end]
        yield (Edit(document.field, site.start, site.end, word),)


class Overlapping(Shout):
    __doc__ = Shout.__doc__

    def candidates(self, document, site, rng):
        edit = Edit(document.field, site.start, site.end, "X")
        yield (edit, edit)


class OtherField(Shout):
    __doc__ = Shout.__doc__

    def candidates(self, document, site, rng):
        yield (Edit("body", site.start, site.end, "X"),)


class AList(Shout):
    __doc__ = Shout.__doc__

    def candidates(self, document, site, rng):
        yield [Edit(document.field, site.start, site.end, "X")]


class OtherAtOnce(Shout, ChangesAtOnce):
    __doc__ = Shout.__doc__

    def at_once(self, document, sites, shares):
        return [Edit(document.field, site.start, site.end, "shout") for site in sites]


class Idle(Shout):
    __doc__ = Shout.__doc__

    def candidates(self, document, site, rng):
        return iter(())


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (object(), "is no transformation"),
        (Undocumented(), "has no section 'Misleads when'"),
        (Unversioned(), "'Shout' is no versioned name"),
        (UnknownEffect(), "one of flips, keeps, may change, sets"),
        (RandomSites(), "sites differ when asked twice"),
        (Backward(), "not in the order of the text"),
        (Outside(), "lies outside of the text"),
        (OwnRandomness(), "differ for the same random stream"),
        (NoChange(), "a candidate changes nothing"),
        (Overlapping(), r"edits cannot be applied \(two edits"),
        (OtherField(), "an edit of another field than 'text'"),
        (AList(), "must be a tuple of Edit"),
        (OtherAtOnce(), "other edits than the first candidate"),
        (Idle(), "it changed none of the texts"),
    ],
)
def test_broken_promises_are_said(broken, sentence):
    with pytest.raises(ConformanceError, match=sentence):
        check_transformation(broken)
