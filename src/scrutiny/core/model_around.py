"""A model around another: all that it does not have itself is the other's.

Whatever is declared has a default on `Model`, which would stand before what the other has; and from
Python 3.12 on, ``isinstance`` of a protocol looks members up without ``__getattr__``. What a model
can be asked therefore stands in its class, which is made for each model.
"""

from operator import attrgetter
from typing import TypeVar

from scrutiny.core.model import MEMBERS, Model, PlainModel

M = TypeVar("M", bound="ModelAround")


class ModelAround(Model):
    """A model that answers as another does; `around` gives it the other's members.

    Parameters
    ----------
    model
        Any object with the seven members of a model.
    """

    def __init__(self, model: PlainModel) -> None:
        self._model = model


def around(kind: type[M], model: PlainModel) -> type[M]:
    """Class of this kind with a property for every public member of a model but its own.

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
    """Model of whatever has the members of one: itself, where it subclasses `Model`."""
    return given if isinstance(given, Model) else around(ModelAround, given)(given)
