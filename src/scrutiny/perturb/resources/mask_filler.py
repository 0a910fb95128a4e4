"""A masked language model that proposes words, and the words that its vocabulary can spell.

It is a checkpoint of `transformers`, imported only when such a resource is asked for. Texts of a
like length go through the model together, and answers are remembered, so that asking twice costs
nothing.
"""

import re
from collections.abc import Sequence
from math import exp, log
from statistics import fmean
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from scrutiny.core.errors import ModelError, PlanError
from scrutiny.perturb.resources.capabilities import Guess, MaskQuery, WordGuesser
from scrutiny.perturb.resources.checkpoints import SCORES, OverCheckpoint, batches, remembered
from scrutiny.text.letters import Script

_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_MARKS: Final = ("Ġ", "▁")


def whole_words(tokenizer: Any) -> list[str | None]:
    """Word that each token of a resource's vocabulary spells by itself, or `None` for parts.

    WordPiece marks parts by ``##``; byte-level and SentencePiece vocabularies mark the beginning
    of a word by ``Ġ`` or ``▁``, and whatever lacks it is a part.
    """
    pieces = pieces_of(tokenizer, "latin")
    return [
        text if start and (len(text) > 1 or text in "aIi") else None
        for text, start in zip(pieces.texts, pieces.is_start.tolist(), strict=True)
    ]


def words_for_all(filler: WordGuesser, frames: Sequence[str], *, n: int) -> list[Guess]:
    """Words that fit the blank of every frame: fills for the lexicons of templates.

    Parameters
    ----------
    filler
        A masked language model.
    frames
        Texts with one blank each, written ``___``.
    n
        How many words at most, the likeliest first: by the geometric mean of their probabilities
        over the frames. Words that one of the frames does not have among its 500 likeliest are out.

    Raises
    ------
    PlanError
        If there are no frames, or one has no blank, or several.
    """
    if not frames:
        raise PlanError(f"There are no frames: give texts with one blank each, written {_BLANK}.")
    for frame in frames:
        if (count := frame.count(_BLANK)) != 1:
            raise PlanError(
                f"The frame {frame!r} has {count or 'no'} blanks, and one is wanted, "
                f"written {_BLANK}."
            )
    places = [frame.index(_BLANK) for frame in frames]
    queries = [
        MaskQuery(frame, start, start + len(_BLANK))
        for frame, start in zip(frames, places, strict=True)
    ]
    each = [dict(guesses) for guesses in filler.guess(queries, top=_LIKELIEST)]
    in_all = set(each[0]).intersection(*each[1:])
    means = {word: exp(fmean(log(max(one[word], _LEAST)) for one in each)) for word in in_all}
    ordered = sorted(means.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Guess(word, value) for word, value in ordered[:n]]


_BLANK: Final = "___"
_LIKELIEST: Final = 500
_LEAST: Final = 1e-300


class Spelling(NamedTuple):
    """A spelling of a word: the tokens and the sum of their log-probabilities."""

    ids: tuple[int, ...]
    log_probability: float


class WordPieces(NamedTuple):
    """The tokens of a vocabulary that can be part of a word.

    Parameters
    ----------
    texts
        What each piece adds to a word; empty for those that are no part of one.
    is_start, is_rest
        Shape ``(piece,)``: whether it begins a word, and whether it goes on with one.
    """

    texts: Sequence[str]
    is_start: npt.NDArray[np.bool_]
    is_rest: npt.NDArray[np.bool_]

    def best_spellings(
        self, log_probabilities: npt.NDArray[np.floating[Any]], *, top: int
    ) -> list[Spelling]:
        """Likeliest words that the vocabulary spells in so many tokens, without trying them all.

        Since log-probabilities add up, the best combinations of n pieces begin with some of the
        best of n - 1: keeping ``top`` of them at each place is exact, and takes ``top`` squared
        steps for each piece instead of ``top`` to their number.

        Parameters
        ----------
        log_probabilities
            Shape ``(place, piece)``; each place proposes its ``top`` likeliest pieces: the first
            those that begin a word, the others those that go on with one.
        top
            How many are proposed at each place, and how many combinations come back. Equal ones
            stand in the order of their ids.

        Examples
        --------
        >>> pieces = WordPieces(["a", "b", "c"], np.array([1, 1, 0]) > 0, np.array([0, 1, 1]) > 0)
        >>> scores = np.log([[0.6, 0.3, 0.1], [0.2, 0.3, 0.5]])
        >>> ["".join(pieces.texts[i] for i in s.ids) for s in pieces.best_spellings(scores, top=2)]
        ['ac', 'ab']
        """
        found = [Spelling((), 0.0)]
        for place, row in enumerate(log_probabilities):
            usable = np.flatnonzero(self.is_rest if place else self.is_start)
            order = np.argsort(-row[usable], kind="stable")[:top]
            options = [(int(i), float(row[i])) for i in usable[order]]
            longer = [
                Spelling((*s.ids, piece), s.log_probability + score)
                for s in found
                for piece, score in options
            ]
            found = sorted(longer, key=lambda s: (-s.log_probability, s.ids))[:top]
        return found


def pieces_of(tokenizer: Any, script: Script) -> WordPieces:
    """Tokens of a resource's vocabulary that spell words of a script, in the order of ids."""
    written: list[str] = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    special = set(tokenizer.all_special_tokens)
    marks = [mark for mark in _MARKS if any((p or "").startswith(mark) for p in written)]
    texts, starts, rests = [], [], []
    for piece in (p or "" for p in written):
        is_marked = piece[:1] in marks if piece else False
        text = piece[1:] if is_marked else piece.removeprefix("##")
        is_rest = not is_marked if marks else piece.startswith("##")
        spells = text.isascii() and text.isalpha()
        if script == "han":
            spells = len(text) == 1 and _HAN.fullmatch(text) is not None
        usable = piece not in special and spells
        texts.append(text if usable else "")
        if script == "han":  # no script marks where its words begin
            starts.append(usable and not piece.startswith("##"))
            rests.append(starts[-1])
        else:
            starts.append(usable and not is_rest)
            rests.append(usable and is_rest)
    return WordPieces(texts, np.array(starts, dtype=np.bool_), np.array(rests, dtype=np.bool_))


Scores = npt.NDArray[np.float32]


class _Row(NamedTuple):
    """Input of the model, and the positions to read."""

    ids: tuple[int, ...]
    places: tuple[int, ...]


class CheckpointMaskFiller(OverCheckpoint):
    """A masked language model that proposes whole words."""

    head = "AutoModelForMaskedLM"

    def __init__(self, model: Any, tokenizer: Any) -> None:
        super().__init__(model, tokenizer)
        if tokenizer.mask_token_id is None:
            raise ModelError("This tokenizer has no mask token; a masked language model has one.")
        self._vocabularies: dict[Script, WordPieces] = {}
        self._whole: dict[Script, npt.NDArray[np.intp]] = {}
        self._guessed: dict[tuple[MaskQuery, int, Script], tuple[Guess, ...]] = {}
        self._rewritten: dict[tuple[MaskQuery, int, Script], tuple[Guess, ...]] = {}

    def guess(
        self, queries: Sequence[MaskQuery], *, top: int, script: Script = "latin"
    ) -> list[tuple[Guess, ...]]:
        """Whole words for each masked place with their probabilities, most likely first."""
        if script not in self._whole:
            if script == "han":
                self._whole[script] = np.flatnonzero(self._pieces(script).is_start)
            else:
                written = enumerate(whole_words(self._tokenizer))
                self._whole[script] = np.array([i for i, word in written if word], dtype=np.intp)
        ids, texts = self._whole[script], self._pieces(script).texts

        def ask(keys: Sequence[tuple[MaskQuery, int, Script]]) -> list[tuple[Guess, ...]]:
            found = []
            for (scores,) in self._scores([self._hidden(query) for query, _, _ in keys]):
                order = np.argsort(-scores[ids], kind="stable")[:top]  # ties: the lower index first
                best = ids[order].tolist()
                found.append(tuple(Guess(texts[i], float(exp(scores[i]))) for i in best))
            return found

        return remembered(self._guessed, [(query, top, script) for query in queries], ask)

    def rewrite(
        self, queries: Sequence[MaskQuery], *, top: int, script: Script = "latin"
    ) -> list[tuple[Guess, ...]]:
        """Words with as many tokens for each place, from the unmasked text, likeliest first.

        All places of a text share one pass. A guess's value is the perplexity of its pieces under
        the model's answers at their places, 1 or more.
        """
        pieces = self._pieces(script)

        def ask(keys: Sequence[tuple[MaskQuery, int, Script]]) -> list[tuple[Guess, ...]]:
            rows = [self._shown(query) for query, _, _ in keys]
            rest = iter(self._scores([row for row in rows if row.places]))
            found: list[tuple[Guess, ...]] = []
            for row in rows:
                spelled = pieces.best_spellings(next(rest), top=top) if row.places else []
                shares = [exp(-s.log_probability / len(s.ids)) for s in spelled]
                words = ["".join(pieces.texts[i] for i in s.ids) for s in spelled]
                found.append(tuple(map(Guess, words, shares)))
            return found

        return remembered(self._rewritten, [(query, top, script) for query in queries], ask)

    def _scores(self, rows: Sequence[_Row]) -> list[Scores]:
        """Log-probabilities ``(place, token)`` of each row; equal sequences are run once."""
        wanted: dict[tuple[int, ...], set[int]] = {}
        for row in rows:
            wanted.setdefault(row.ids, set()).update(row.places)
        read: dict[tuple[tuple[int, ...], int], Scores] = {}
        rows_by_length = sorted(wanted, key=lambda ids: (len(ids), ids))
        for batch in batches(rows_by_length, len, limit=max(1, SCORES // len(self._tokenizer))):
            logits = self._logits(batch)
            for i, ids in enumerate(batch):
                for place in sorted(wanted[ids]):
                    read[ids, place] = scipy.special.log_softmax(
                        logits[i, place].astype(float)
                    ).astype(np.float32)
        return [np.stack([read[row.ids, place] for place in row.places]) for row in rows]

    def _logits(self, rows: Sequence[tuple[int, ...]]) -> Scores:
        """Scores ``(row, position, piece)``."""
        import torch

        width = max(len(row) for row in rows)
        pad = self._tokenizer.pad_token_id or 0
        ids = torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows])
        seen = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=seen).logits
        return np.asarray(logits.float().numpy()[:, :, : len(self._tokenizer)])

    def _hidden(self, query: MaskQuery) -> _Row:
        """Tokens around the mask, at most as many as the model can read."""
        before, after = query.text[: query.start].rstrip(), query.text[query.end :]
        if query.start == query.end and after and not after[0].isspace():
            after = f" {after}"  # vocabularies of byte pairs tell words by the space before them
        left, right = (
            list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
            for text in (before, after)
        )
        ids, _ = self._framed(left, [self._tokenizer.mask_token_id], right)
        return _Row(tuple(ids), (ids.index(self._tokenizer.mask_token_id),))

    def _shown(self, query: MaskQuery) -> _Row:
        """Tokens of the unmasked text, and those that spell the word; `None` if none do."""
        fed = self._tokenizer(query.text, add_special_tokens=False, return_offsets_mapping=True)
        ids, offsets = list(fed["input_ids"]), fed["offset_mapping"]
        inside = [i for i, (a, b) in enumerate(offsets) if a < query.end and b > query.start]
        if not inside:
            return _Row((), ())
        low, high = inside[0], inside[-1] + 1
        framed, start = self._framed(ids[:low], ids[low:high], ids[high:])
        return _Row(tuple(framed), tuple(range(start, start + high - low)))

    def _framed(
        self, left: list[int], middle: list[int], right: list[int]
    ) -> tuple[list[int], int]:
        """Sequence with special tokens, truncated around the middle, and where that begins."""
        tokenizer = self._tokenizer
        config = self._model.config
        known = int(getattr(config, "max_position_embeddings", 512))
        if config.model_type in {"roberta", "xlm-roberta"}:
            known -= 2  # theirs count from behind the padding index
        longest = min(int(tokenizer.model_max_length), known)
        frame = tokenizer(tokenizer.mask_token)["input_ids"]  # the mask between special pieces
        at = frame.index(tokenizer.mask_token_id)
        room = max(0, longest - len(frame) + 1 - len(middle))
        before = min(len(left), max(room // 2, room - len(right)))
        inner = [*left[len(left) - before :], *middle, *right[: room - before]]
        return [*frame[:at], *inner, *frame[at + 1 :]], at + before

    def _pieces(self, script: Script) -> WordPieces:
        if script not in self._vocabularies:
            self._vocabularies[script] = pieces_of(self._tokenizer, script)
        return self._vocabularies[script]
