"""What a published attack is, and what it can count on."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from scrutiny.core.task import Task
from scrutiny.perturb.resources.loading import RESOURCES
from scrutiny.perturb.search.setting import Search
from scrutiny.perturb.search.space import Space


class Given(NamedTuple):
    """What an attack can count on.

    Parameters
    ----------
    resources
        Names of those that the run brought, and of those that ship with the package.
    fields
        Text fields of the task.
    capabilities
        What the victim may be asked for.
    """

    resources: frozenset[str] = frozenset()
    fields: tuple[str, ...] = ("text",)
    capabilities: frozenset[str] = frozenset({"predict"})

    def has(self, resource: str) -> bool:
        """Whether a resource is there."""
        return resource in self.resources

    @property
    def last_field(self) -> tuple[str, ...]:
        """The hypothesis of a pair, for attacks that leave the premise alone; else every field."""
        return self.fields[-1:] if len(self.fields) > 1 else ()


class Attack(Protocol):
    """A published attack; one small file each, a frozen dataclass of its parameters.

    ``resources`` it cannot do without; ``lacking`` says by resource what it does without one that
    it could use. ``needs`` are capabilities of the victim. ``deviations`` are sentences on what it
    does otherwise than the paper, whatever it is given.

    Two members may be left out: ``is_fooling``, false where success is no changed answer, and
    ``control_space()``, where random change goes if the method brings candidates of its own.
    """

    id: str
    summary: str
    languages: frozenset[str]
    needs: frozenset[str]
    resources: tuple[str, ...]
    lacking: Mapping[str, str]
    deviations: tuple[str, ...]

    def search(self, given: Given) -> Search:
        """Space, goal and method."""
        ...


def given_for(
    resources: Iterable[str], task: Task | None = None, *, capabilities: Iterable[str] = ()
) -> Given:
    """What attacks can count on: the resources named, and those with a default.

    Examples
    --------
    >>> given_for(["encoder"]).has("wordnet"), given_for([]).has("encoder")
    (True, False)
    """
    shipped = {name for name, kind in RESOURCES.items() if kind.default and kind.is_installed}
    fields = ("text",) if task is None else task.fields
    found = frozenset({"predict", *capabilities})
    return Given(frozenset(shipped | set(resources)), fields, found)


def lacks(attack: Attack, given: Given) -> tuple[str, ...]:
    """Resources and capabilities without which an attack cannot run, and which are not there."""
    missing = [name for name in attack.resources if not given.has(name)]
    return (*missing, *sorted(attack.needs - given.capabilities))


def deviations_of(attack: Attack, given: Given) -> tuple[str, ...]:
    """What an attack does otherwise than its paper, with what it was given."""
    without = [said for name, said in attack.lacking.items() if not given.has(name)]
    return (*attack.deviations, *without)


def control_space_of(attack: Attack, search: Search) -> Space:
    """Where random change goes that stands beside an attack."""
    own = getattr(attack, "control_space", None)
    found: Space | None = None if own is None else own()
    return search.space if found is None else found


def speaks(attack: Attack, language: str) -> bool:
    """Whether an attack knows a language."""
    return not attack.languages.isdisjoint({"*", language, language.partition("-")[0]})
