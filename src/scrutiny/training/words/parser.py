"""Small parsers and taggers, trained from nothing with spaCy.

Hashed features of words (their form, prefix, suffix and shape) go through a few convolutions, which
a transition-based parser and two taggers (universal parts of speech, and the treebank's) share.
Relations are learned without their subtypes.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Final

from scrutiny.core.boundary.parameters import above_zero, at_least, shares
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.randomness import generator
from scrutiny.models.answers.returned_answers import borders
from scrutiny.models.spacy_models import annotation, document
from scrutiny.models.strings.training_records import FROM_NOTHING
from scrutiny.tasks.dependency_arcs import DependencyArcs, counts
from scrutiny.training.finetuning.training_data import DataParts
from scrutiny.training.trainer import TIMED_STEPS, seconds_of_training
from scrutiny.training.words.word_recipe import OnStep, Trained, WordRecipe, stream_seed, unheard

VERSION: Final = "spacy-parser@1"
_ASKED: Final = 64  # sentences at a time when the dev part is scored


@dataclass(frozen=True, slots=True)
class ParserRecipe(WordRecipe):
    """Hyperparameters of a parser and tagger, trained with Adam on averaged weights.

    Parameters
    ----------
    width, depth
        Dimension of words' vectors, and number of convolutions over them.
    rows_of_words
        Rows of the table of hashed word forms; prefixes, suffixes and shapes have half as many.
    hidden
        Dimension of the parser's hidden layer.
    epochs, batch
        Passes over the training part, and sentences of a step.
    lr, dropout
        Rate of Adam, and share of the numbers that is left out of a step.
    least
        Least number of occurrences of a relation for the parser to know it.
    limit
        Sentences drawn at random from the data, the same for all seeds; default: all.
    dev_share
        Share of the sentences that is split off for choosing the epoch, where no dev data is named;
        0 keeps the last epoch.
    """

    version: ClassVar[str] = VERSION
    packages: ClassVar[tuple[str, ...]] = ("spacy", "thinc")
    needs: ClassVar[tuple[str, ...]] = ("Training a parser", "nlp", "spacy")
    replicates_of: ClassVar[str] = FROM_NOTHING
    tasks: ClassVar[tuple[str, ...]] = (DependencyArcs.name,)
    score: ClassVar[str] = "LAS"
    has_labels: ClassVar[bool] = False

    width: int = 96
    depth: int = 4
    rows_of_words: int = 2000
    hidden: int = 64
    epochs: int = 8
    batch: int = 16
    lr: float = 1e-3
    dropout: float = 0.2
    least: int = 5
    limit: int | None = None
    dev_share: float = 0.1

    def __post_init__(self) -> None:
        at_least(self, width=1, depth=1, rows_of_words=2, hidden=1, epochs=1, batch=1, least=1)
        above_zero(self, "lr")
        shares(self, "dropout")
        self.rows()  # checks the rest

    def sizes(self, parts: DataParts) -> dict[str, int]:
        """Numbers of epochs and steps of one seed."""
        return {"epochs": self.epochs, "steps": self.epochs * -(-len(parts.train) // self.batch)}

    def fit(self, parts: DataParts, *, seed: int, on_step: OnStep = unheard) -> Trained:
        """Train a parser; it is returned in the state of its best epoch on the dev part.

        The seed determines initial weights, the order of the sentences and dropout.

        Raises
        ------
        DataError
            If sentences lack heads or relations.
        MissingExtraError
            If spaCy is not installed.
        """
        self.require()
        with _drawn(stream_seed(seed, "weights", version=VERSION)):
            nlp, optimizer, made = self._fresh(parts)
            epochs: list[dict[str, Any]] = []
            best: tuple[float, int, bytes] = (-1.0, 0, b"")
            for number in range(1, self.epochs + 1):
                began = perf_counter()
                for _ in self._steps(nlp, optimizer, made, seed=seed, number=number):
                    on_step()
                with nlp.use_params(optimizer.averages):
                    found = _las(nlp, parts.dev) if parts.dev else None
                    if found is None or found > best[0]:
                        best = (-1.0 if found is None else found, number, nlp.to_bytes())
                took = round(perf_counter() - began, 1)
                epochs.append({"epoch": number, "dev": found, "seconds": took})
        nlp.from_bytes(best[2])
        record = {
            "words": len({word.text for one in made for word in one.reference}),
            "epochs": epochs,
            "chosen_epoch": best[1],
            "dev_score": epochs[best[1] - 1]["dev"],
        }
        return Trained(nlp.to_disk, record)

    def stand_in(self, parts: DataParts) -> tuple[Callable[[Path], None], float]:
        """Writer of a parser of the same shape, and the seconds that one seed would take."""
        self.require()
        with _drawn(0):
            nlp, optimizer, made = self._fresh(parts)
            steps = islice(self._steps(nlp, optimizer, made, seed=0, number=1), TIMED_STEPS)
            seconds = seconds_of_training(steps, self, texts=len(made), dev=len(parts.dev))
        return nlp.to_disk, seconds

    def _fresh(self, parts: DataParts) -> tuple[Any, Any, list[Any]]:
        """Pipeline with fresh weights, its optimizer, and the training sentences."""
        from spacy.training import Example as Annotated
        from thinc.api import Adam

        codes = [example.language.partition("-")[0] for example in parts.train]
        nlp = blank(max(sorted(set(codes)), key=codes.count))  # as spaCy writes languages
        for name, settings in self._components():
            nlp.add_pipe(name, config=settings)
        made = [
            Annotated(document(nlp.vocab, e), document(nlp.vocab, e, e.gold)) for e in parts.train
        ]
        bare = next((e for e in parts.train if e.gold.heads is None), None)
        if bare is not None:
            raise DataError(f"{bare.source}: item {bare.id!r} has no heads to learn from.")
        nlp.initialize(lambda: made)
        adam = Adam(self.lr, L2=0.01, grad_clip=1.0, L2_is_weight_decay=True, use_averages=True)
        return nlp, adam, made

    def _components(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Components of the pipeline in order, and the settings of each."""
        yield (
            "tok2vec",
            {
                "model": {
                    "@architectures": "spacy.HashEmbedCNN.v2",
                    "pretrained_vectors": None,
                    "width": self.width,
                    "depth": self.depth,
                    "embed_size": self.rows_of_words,
                    "window_size": 1,
                    "maxout_pieces": 3,
                    "subword_features": True,
                }
            },
        )
        shared = {"@architectures": "spacy.Tok2VecListener.v1", "width": self.width}
        tagger = {"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": shared}}
        yield "tagger", tagger
        yield "morphologizer", tagger
        yield (
            "parser",
            {
                "min_action_freq": self.least,
                "model": {
                    "@architectures": "spacy.TransitionBasedParser.v2",
                    "state_type": "parser",
                    "extra_state_tokens": False,
                    "hidden_width": self.hidden,
                    "maxout_pieces": 2,
                    "use_upper": True,
                    "tok2vec": shared,
                },
            },
        )

    def _steps(
        self, nlp: Any, optimizer: Any, made: Sequence[Any], *, seed: int, number: int
    ) -> Iterator[None]:
        """Steps of an epoch."""
        start = stream_seed(seed, "order", version=VERSION)
        rng = generator(start, "order", name=VERSION, item="", draw=number)
        order = rng.permutation(len(made)).tolist()
        for first in range(0, len(order), self.batch):
            chosen = [made[i] for i in order[first : first + self.batch]]
            try:
                nlp.update(chosen, sgd=optimizer, drop=self.dropout)
            except ValueError as error:  # no steps lead to the annotation of a sentence
                raise DataError(
                    "spaCy cannot learn to parse from these sentences: "
                    f"{str(error).splitlines()[0]} It needs trees in which some words depend on a "
                    "word behind them and some on one before them, by relations that occur "
                    f"{self.least} times or more."
                ) from error
            yield


def blank(language: str) -> Any:
    """Empty pipeline of a language; of no particular one where spaCy, or what it needs, lacks it.

    Its tokenizer is never asked: the data bring their words.
    """
    import spacy

    try:
        return spacy.blank(language)
    except ImportError:  # an unknown code, or a tokenizer of another package (Japanese, Thai)
        return spacy.blank("xx")


def _las(nlp: Any, examples: Sequence[Example]) -> float:
    """Share of the words whose head and relation are right, of the data's own words."""
    read = nlp.pipe([document(nlp.vocab, e) for e in examples], batch_size=_ASKED)
    pairs = zip(examples, read, strict=True)
    found = [counts(e.gold, annotation(doc, "text", borders(e))) for e, doc in pairs]
    return sum(one[1] for one in found) / max(1.0, sum(one[2] for one in found))


@contextmanager
def _drawn(seed: int) -> Iterator[None]:
    """Seed the generators that spaCy draws from, and leave them as they were."""
    import numpy as np
    from spacy.util import fix_random_seed

    before = random.getstate(), np.random.get_state()  # noqa: NPY002 - spaCy's own draws
    fix_random_seed(seed % 2**32)
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
