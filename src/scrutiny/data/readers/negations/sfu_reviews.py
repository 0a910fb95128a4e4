"""SFU Review corpus with negation and speculation: one XML file per review.

Konstantinova et al. (2012). A scope (``xcope``) names its cue by ``ref``; it does not hold the cue.
Cues of speculation are left out. A word may be a control character, which no model has a piece for.
"""

from collections.abc import Iterator
from xml.etree import ElementTree

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import existing_file
from scrutiny.data.readers.negations.frames import Frame, Sentence
from scrutiny.data.source import DataSource


def sentences(source: DataSource) -> Iterator[Sentence]:
    """Sentences of one review, numbered in file order.

    Raises
    ------
    DataError
        If the file is no well-formed XML.
    """
    path = existing_file(source)
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise DataError(f"{source.target} is no well-formed XML: {error}.") from None
    document = f"{path.resolve().parent.name}/{path.stem}"
    for number, element in enumerate(root.iter("SENTENCE"), 1):
        words = list(element.iter("W"))
        frames = list(_frames(element, {word: i for i, word in enumerate(words)}))
        yield Sentence(number, [word.text or "" for word in words], frames, document=document)


def notes(files: list[DataSource]) -> tuple[str, ...]:
    """Sentences about how the negations of the SFU reviews are read."""
    return ("Cues of speculation were left out; a source's number is that of a sentence.",)


def _frames(
    sentence: ElementTree.Element, place: dict[ElementTree.Element, int]
) -> Iterator[Frame]:
    """Frames of the cues of negation, in the order of the cues."""
    scopes: dict[str, set[int]] = {}
    for scope in sentence.iter("xcope"):
        for ref in scope.findall("ref"):
            for name in ref.get("SRC", "").split():
                scopes.setdefault(name, set()).update(place[word] for word in scope.iter("W"))
    for cue in sentence.iter("cue"):
        if cue.get("type") == "negation":
            anchor = [place[word] for word in cue.iter("W")]
            yield Frame(anchor, sorted(scopes.get(cue.get("ID", ""), ())))
