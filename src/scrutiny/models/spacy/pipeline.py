"""Pipelines of spaCy as models: ``spacy:NAME`` of an installed one, ``spacy:FOLDER`` of another.

A pipeline is given the data's own words, so that it is not tokenization that is measured;
``#tokens=own`` lets it find its words itself, which are scored by equal places in the text.
"""

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from scrutiny.core.answers.words import UNIVERSAL
from scrutiny.core.boundary.canonical import digest
from scrutiny.core.errors import ModelError, require_packages
from scrutiny.core.example import Example
from scrutiny.core.facts import ARCS, SPANS
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.inputs import borders, must_answer_task
from scrutiny.models.spacy.annotation import BATCH, annotation, documents, files_of, versions
from scrutiny.models.spacy.tagger import ENTITIES, NEEDLESS, SpacyTagger
from scrutiny.models.strings.adapters import Adapter
from scrutiny.models.strings.source import TRAINING, ModelSource
from scrutiny.models.strings.types import TYPES

#: Versioned name of what is asked and how.
VERSION: Final = "spacy@1"
_TOKENS: Final = "tokens"
_LAYER: Final = "layer"
_CONFIG: Final = "config.cfg"
_SHOWN: Final = 4
#: Components that say nothing of what a parser is asked.
_NEEDLESS: Final = ("ner", "lemmatizer", "senter", "textcat")


class SpacyPipeline(Model):
    """A parser and tagger, loaded once."""

    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(self, nlp: Any, source: ModelSource, task: Task) -> None:
        self.source = source.text
        self.task = task.name
        self._nlp = nlp
        self.unscored = _other_scheme(nlp)
        self._finds_words = source.options.get(_TOKENS) == "own"
        self._identity = digest(VERSION, str(self._finds_words), *versions(), *files_of(nlp.path))

    def fingerprint(self) -> str:
        """Digest of the pipeline's files, of the versions of spaCy and thinc, and of the option."""
        return self._identity

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Annotation of the first field of each example, in order."""
        asked = documents(self._nlp, examples, finds_words=self._finds_words)
        read = self._nlp.pipe(asked, batch_size=BATCH)
        return [
            Prediction(
                annotation(
                    doc,
                    next(iter(example.fields)),
                    None if self._finds_words else borders(example),
                )
            )
            for example, doc in zip(examples, read, strict=True)
        ]


def _load_pipeline(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Pipeline of spaCy, by its name or folder: ``spacy:en_core_web_sm``, ``spacy:./seed-1``.

    It is given the data's words; with ``#tokens=own`` it finds its words itself. As a tagger it
    answers with its entities, or with another ``#layer=``.

    Raises
    ------
    ModelError
        If there is none, it cannot be read, or the task is not about words.
    MissingExtraError
        If spaCy is not installed.
    """
    del options  # spaCy's small pipelines run on the CPU
    tags = SPANS.are_of(task.facts)
    source.refuse_unknown_options((_TOKENS, *([_LAYER, TYPES] if tags else []), TRAINING))
    if source.options.get(_TOKENS, "gold") not in ("gold", "own"):
        stated = source.options[_TOKENS]
        raise ModelError(f"{source.text!r}: tokens= is gold (the data's) or own, not {stated!r}.")
    layer = source.options.get(_LAYER, ENTITIES)
    if layer not in NEEDLESS:
        raise ModelError(f"{source.text!r}: layer= is {', '.join(NEEDLESS)}, not {layer!r}.")
    if not tags:
        must_answer_task(task, (ARCS, SPANS), source=source.text)
    require_packages("A pipeline of spaCy", "nlp", "spacy")
    _must_be_there(source)
    if tags:
        own = source.options.get(_TOKENS) == "own"
        nlp = _loaded(source, NEEDLESS[layer])
        return SpacyTagger(nlp, source, task.name, layer=layer, own=own)
    return SpacyPipeline(_loaded(source, _NEEDLESS), source, task)


def _loaded(source: ModelSource, needless: Sequence[str]) -> Any:
    """Pipeline in memory, without some of its components."""
    import spacy

    try:
        return spacy.load(_module(source) or _folder(source), exclude=list(needless))
    except Exception as error:  # of whatever a pipeline is made of
        raise ModelError(
            f"{source.text!r} cannot be loaded by spaCy {version('spacy')}: {error}"
        ) from error


def _must_be_there(source: ModelSource) -> None:
    """Refuse a name that is not installed, and a folder that holds no pipeline."""
    if _module(source) or (_folder(source) / _CONFIG).is_file():
        return
    inside = sorted(found.parent.name for found in _folder(source).glob(f"*/{_CONFIG}"))
    hint = f" There are pipelines in: {', '.join(inside[:12])}." if inside else ""
    raise ModelError(
        f"{source.text!r}: there is no installed pipeline of this name, and no folder with a "
        f"{_CONFIG}.{hint} `scrutiny train task` makes one."
    )


def _folder(source: ModelSource) -> Path:
    return Path(source.target).expanduser()


def _module(source: ModelSource) -> str:
    """Module of an installed pipeline of this name, or empty."""
    name = source.target.replace("-", "_")
    return name if name.isidentifier() and find_spec(name) is not None else ""


def _folder_of(source: ModelSource) -> Path | None:
    """Folder of a pipeline that was trained here, with its record."""
    return None if _module(source) else _folder(source)


def _other_scheme(nlp: Any) -> str:
    """Relations of a parser that are not universal ones, in words; empty if all are."""
    known = nlp.get_pipe("parser").labels if nlp.has_pipe("parser") else ()
    other = sorted({label.partition(":")[0] for label in known} - UNIVERSAL - {"ROOT"})
    if not other:
        return ""
    some = ", ".join(other[:_SHOWN]) + (", …" if other[_SHOWN:] else "")
    return f"its relations ({some}) are not those of Universal Dependencies"


ADAPTER: Final = Adapter(
    _load_pipeline, must_be_there=_must_be_there, folder_of=_folder_of, imports=("spacy",)
)
