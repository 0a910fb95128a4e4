"""Wrapper models: members that the wrapper lacks are those of the wrapped model.

Whatever is declared has a default on `Model`, which would stand before what the other has; and from
Python 3.12 on, ``isinstance`` of a protocol looks members up without ``__getattr__``. The
capabilities of a model are therefore in its class, which is made for each model.
"""

from operator import attrgetter
from typing import TypeVar

from scrutiny.core.model import MEMBERS, Model, PlainModel

M = TypeVar("M", bound="ModelAround")


class ModelAround(Model):
    """Model that delegates to another; `around` gives it the other's members.

    Parameters
    ----------
    model
        Any object with the seven members of a model.
    """

    def __init__(self, model: PlainModel) -> None:
        self._model = model


def around(kind: type[M], model: PlainModel) -> type[M]:
    """Class of this kind with a property for each public member of a model that it lacks.

    Its own are those that the class itself states, annotated ones among them.
    """
    own = {*vars(kind), *kind.__annotations__}
    members = {
        name: property(attrgetter(f"_model.{name}"))
        for name in {*dir(model), *MEMBERS}
        if not name.startswith("_") and name not in own
    }
    return type(kind.__name__, (kind,), {"__module__": kind.__module__, **members})


def as_model(given: PlainModel) -> Model:
    """Model from any object with its members; unchanged if it subclasses `Model`."""
    return given if isinstance(given, Model) else around(ModelAround, given)(given)
