"""Questions with options as they were released: dialogues, and pronouns with whom they may mean.

DREAM and C3 are one list of ``[turns, [{question, choice, answer}], id]`` (Sun et al. 2019, 2020);
the answer is the text of an option. WSC273, PDP and DPR have four lines for each text: the text,
the pronoun or ``[MASK]``, the candidates with commas between, the right one (Levesque et al. 2012;
Davis et al. 2017; Rahman and Ng 2012). GAP is a table (Webster et al. 2018).
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from scrutiny.core.answers.choices import GAP
from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.data.readers.coreference import FEMININE, GAP_COLUMNS
from scrutiny.data.readers.delimited import read_tsv
from scrutiny.data.readers.files import blocks, lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, one_of, takes
from scrutiny.tasks.choices import MultipleChoice
from scrutiny.tasks.pronouns import PronounResolution

_ASKED: Final = ("id", "text", "question", "options", "answer", "paragraph")
_COLUMNS: Final = ("id", "text", "gap", "options", "answer", "pronoun", "gender", "pair")
_CASES: Final = ("expect", "test", "group")
_MASK: Final = "[MASK]"
_LINES: Final = 4
_WORDS: Final = re.compile(r"\w+")
#: Words with which both texts of a pair begin, or share of all their words that both have.
_BEGINNING, _ALIKE = 4, 0.6


@takes("encoding")
def read_dialogues(source: DataSource) -> Table:
    """Questions of a file in the format of DREAM or C3, each with its dialogue and its options.

    Turns are lines of the text. Questions about one text share its identifier (``paragraph``),
    which intervals keep together. Rows are numbered, since all may stand on one line.

    Raises
    ------
    DataError
        If it is no such file.
    """
    try:
        rows = list(_questions(parse_json("".join(lines(source)))))
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{source.target} is no file in the format of DREAM, a list of [[turn, …], [{{question,"
            f" choice, answer}}, …], id]: {error!r}."
        ) from None
    return corpus_table(source, MultipleChoice.name, _ASKED, rows)


def _questions(texts: Any) -> Iterator[RawRow]:
    """One row for each question; its number counts questions."""
    number = 0
    for turns, questions, name in texts:
        for place, asked in enumerate(questions, 1):
            number += 1
            options, answer = asked["choice"], asked["answer"]
            values = (f"{name}/{place}", "\n".join(turns), asked["question"], options, answer, name)
            problem = "" if answer in options else "its answer is none of its options"
            yield RawRow(number, dict(zip(_ASKED, values, strict=True)), problem)


@takes("encoding", pairs="suite: texts of which two differ in a word, as a suite of pairs")
def read_pronouns(source: DataSource) -> Table:
    """Texts with a pronoun and those whom it may mean: WSC273, PDP, DPR, or GAP (``.tsv``).

    Candidates are in the order of the text. Texts that follow one another, have the same candidates
    and most of their words in common, or begin alike, are a pair. With ``pairs=suite`` these alone
    are read, as groups of a suite: its consistency is the share of pairs of which both texts are
    right. Where the pronoun of DPR stands several times, it is the first behind both candidates. Of
    GAP, a pronoun that means neither name is a bad row.

    Raises
    ------
    DataError
        If it is no such file.
    """
    as_suite = one_of(source, "pairs", "", "suite") == "suite"
    if source.path.suffix.lower() == ".tsv":
        table = read_tsv(source)
        missing = [name for name in GAP_COLUMNS if name not in table.columns]
        if missing:
            raise DataError(f"{source.target} is no file of GAP: it lacks {', '.join(missing)}.")
        rows = [_of_gap(raw) for raw in table.rows]
    else:
        rows = list(_of_schema(source))
    if not as_suite:
        return corpus_table(source, PronounResolution.name, _COLUMNS, rows)
    rows = _cases(rows)
    if not rows:
        raise DataError(f"{source.target} has no pairs: no two texts that differ in a word.")
    made = corpus_table(source, PronounResolution.name, (*_COLUMNS, *_CASES), rows)
    return Table(made.columns, made.rows, made.place, defaults=made.defaults, is_suite=True)


def _of_schema(source: DataSource) -> Iterator[RawRow]:
    """Rows of a file with four lines for each text, with the pairs that they make."""
    before: tuple[str, frozenset[str]] = ("", frozenset())
    pair = 0
    for number, (line, block) in enumerate(blocks(lines(source)), 1):
        said = [one.strip() for one in block]
        if len(said) != _LINES:
            yield RawRow(line, {}, f"it has {len(said)} lines; a text has four")
            continue
        text, pronoun, named, right = said
        text = _spaced(text)
        options = _as_they_appear([one.strip() for one in named.split(",")], text)
        gap = _gap(text, pronoun, options)
        answer = next((i for i, o in enumerate(options) if o.casefold() == right.casefold()), None)
        if gap is None or answer is None:
            lacks = f"no {pronoun!r}" if gap is None else f"no candidate {right!r}"
            yield RawRow(line, {}, f"it has {lacks}")
            continue
        own = frozenset(map(str.casefold, options))
        pair += not (own == before[1] and _is_alike(text, before[0]))
        before = text, own
        word = "" if pronoun == _MASK else pronoun.lower()
        cells = (str(number), text, gap, options, answer, word, "", str(pair))
        yield RawRow(line, dict(zip(_COLUMNS, cells, strict=True)))


def _as_they_appear(options: Sequence[str], text: str) -> list[str]:
    """Candidates in the order of the text: in the file of WSC273 the right one always stands first.

    Examples
    --------
    >>> _as_they_appear(["the suitcase", "The trophy"], "The trophy is too large for the suitcase.")
    ['The trophy', 'the suitcase']
    """
    return sorted(options, key=lambda one: _place(one, text)[0])


def _place(option: str, text: str) -> tuple[int, int]:
    """Place at which a candidate is first named, as whole words; behind the text if it is not.

    Examples
    --------
    >>> _place("Al", "Also Al left."), _place("Bo", "Al left.")
    ((5, 7), (8, 8))
    """
    found = re.search(rf"(?<!\w){re.escape(option)}(?!\w)", text, re.IGNORECASE)
    return found.span() if found else (len(text), len(text))


def _spaced(text: str) -> str:
    """Text without the second space beside the gap that released files have.

    Examples
    --------
    >>> _spaced("because  [MASK]  is small. ")
    'because [MASK] is small.'
    """
    return re.sub(r" {2,}", " ", text).strip()


def _gap(text: str, pronoun: str, options: Sequence[str]) -> list[int] | None:
    """Place of the pronoun: where it stands once, or first behind both candidates.

    Examples
    --------
    >>> _gap("He saw that Bo hit Al, so he left.", "he", ["Bo", "Al"])
    [26, 28]
    """
    if pronoun == _MASK:
        at = text.find(pronoun)
        return [at, at + len(pronoun)] if at >= 0 else None
    found = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(pronoun)}(?!\w)", text)]
    ends = [end for start, end in (_place(o, text) for o in options) if start < len(text)]
    behind = [place for place in found if place[0] >= max(ends, default=0)] or found
    return [*behind[0]] if behind else None


def _is_alike(text: str, other: str) -> bool:
    """Whether two texts have most of their words in common, or begin with the same ones.

    Examples
    --------
    >>> _is_alike("The sniper shot him because he won.", "The sniper shot him, as he had orders.")
    True
    """
    a, b = (_WORDS.findall(one.casefold()) for one in (text, other))
    is_begun_so = a[:_BEGINNING] == b[:_BEGINNING]
    return is_begun_so or len({*a} & {*b}) >= _ALIKE * len({*a} | {*b})


def _of_gap(raw: RawRow) -> RawRow:
    """Row of GAP whose pronoun means A or B."""
    row = raw.values
    if raw.problem:
        return raw
    flags = [row[f"{name}-coref"].upper() == "TRUE" for name in "AB"]
    start, pronoun = row["Pronoun-offset"], row["Pronoun"]
    place = [int(start), int(start) + len(pronoun)] if start.isdecimal() else [0, 0]
    if row["Text"][slice(*place)] != pronoun:
        return RawRow(raw.line, {}, f"Pronoun {pronoun!r} is not at character {start} of the text")
    if sum(flags) != 1:
        return RawRow(raw.line, {}, "its pronoun does not mean one of the two names")
    text = row["Text"].replace(GAP, "-")
    gender = "feminine" if pronoun.lower() in FEMININE else "masculine"
    cells = (row["ID"], text, place, [row["A"], row["B"]], flags.index(True), pronoun.lower())
    return RawRow(raw.line, dict(zip(_COLUMNS, (*cells, gender, row["ID"]), strict=True)))


def _cases(rows: Sequence[RawRow]) -> list[RawRow]:
    """Two texts of each pair, both cases of one group: neither is a change of the other."""
    found: list[RawRow] = []
    kept = [row for row in rows if not row.problem]
    taken = ""
    for two in pairwise(kept):
        pair = two[0].values["pair"]
        if two[1].values["pair"] != pair or pair == taken:
            continue
        taken = pair
        case = dict(zip(_CASES, ("gold", "pairs", pair), strict=True))
        found += [row._replace(values={**row.values, **case}) for row in two]
    return found
