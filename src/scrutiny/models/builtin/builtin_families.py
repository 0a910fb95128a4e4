"""The built-in families of networks: their labels, and their features of a text."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scrutiny.core.errors import ModelError

_DATA: Final = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class BuiltinFamily:
    """Networks of one recipe with different seeds.

    Parameters
    ----------
    name
        Of the family, and of the folder of its arrays.
    labels
        Labels in the order of the scores.
    replicates
        Numbers of the seeds.
    features
        Name and version of what a network sees of texts, a key of
        `scrutiny.models.builtin.builtin_features.READ`.
    """

    name: str
    labels: tuple[str, str]
    replicates: tuple[int, ...]
    features: str

    @property
    def folder(self) -> Path:
        """Where the arrays and the record of the training are."""
        return _DATA / self.name

    @property
    def targets(self) -> tuple[str, ...]:
        """Complete targets of its networks: ``sentiment/seed-1`` and so on."""
        return tuple(f"{self.name}/seed-{replicate}" for replicate in self.replicates)

    def must_have(self, replicate: object) -> None:
        """Refuse a seed that no network of the family has.

        Raises
        ------
        ModelError
            With the numbers that there are.
        """
        if isinstance(replicate, bool) or replicate not in self.replicates:
            raise ModelError(
                f"builtin:{self.name} has no replicate {replicate!r}. There are "
                f"{len(self.replicates)}, numbered from {self.replicates[0]} to "
                f"{self.replicates[-1]}."
            )


_SPAM: Final = ("ham", "spam")
#: Names only: a mistyped one is answered before numpy is imported.
FAMILIES: Final[Mapping[str, BuiltinFamily]] = {
    family.name: family
    for family in (
        BuiltinFamily(
            "sentiment", ("negative", "positive"), (1, 2, 3, 4, 5), "sentiment-features@1"
        ),
        BuiltinFamily("spam", _SPAM, (1, 2, 3), "sentiment-features@1"),
        BuiltinFamily("spam-v2", _SPAM, (1, 2, 3), "pieces@1"),
    )
}


def targets() -> tuple[str, ...]:
    """Complete targets of the built-in models."""
    return tuple(target for family in FAMILIES.values() for target in family.targets)


def builtin_target(target: str) -> tuple[str, int]:
    """Family and replicate of a target such as ``spam/seed-2``; of a bare name, the first.

    Raises
    ------
    ModelError
        If there is no such model; those that there are stand in the message.
    """
    name, _, seed = target.partition("/seed-")
    if target not in {*FAMILIES, *targets()}:
        raise ModelError(
            f"There is no built-in model {target!r}. There are: {', '.join(targets())}."
        )
    return name, int(seed or 1)
