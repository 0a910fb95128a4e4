"""Items of a run inside a slice, from the run's tables; texts are read when needed."""

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.data.attribute import load_training
from scrutiny.data.item_values import Items
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.run_tables import examples_of


class RunItems:
    """Items of each dataset of a run, with the values that slices need.

    Parameters
    ----------
    items
        Table of the items, with or without their texts.
    texts
        Table with their texts, read once if a slice needs them.
    training
        Data string and task of the training set, by dataset.
    """

    def __init__(
        self,
        items: pa.Table,
        texts: Callable[[], pa.Table] | None = None,
        training: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        self._items = items
        self._read = texts
        self._training = training or {}
        self._known: dict[str, Items] = {}
        self._inside: dict[tuple[str, str], NDArray[np.bool_]] = {}

    @classmethod
    def of_folder(cls, folder: RunFolder) -> "RunItems":
        """Items of a run folder."""
        training = {
            data["name"]: (data["training"], data["task"])
            for data in folder.manifest.get("plan", {}).get("data", ())
            if data.get("training")
        }
        return cls(folder.measured()[1], folder.items, training)

    @cached_property
    def datasets(self) -> list[str]:
        """Names of the datasets, in the order of the run."""
        return list(self._items["dataset"].unique().to_pylist())

    def inside(self, where: str, datasets: tuple[str, ...]) -> NDArray[np.bool_]:
        """Mask of the items of some datasets, concatenated, that are known to be in a slice.

        Raises
        ------
        PlanError, UnknownNameError
            If the slice cannot be read, or names an attribute or column that the items lack.
        """
        for name in datasets:
            if (name, where) not in self._inside:
                found = [is_in is True for is_in in self.of(name).inside(where)]
                self._inside[name, where] = np.array(found, dtype=np.bool_)
        return np.concatenate([self._inside[name, where] for name in datasets])

    def of(self, dataset: str) -> Items:
        """Items of one dataset."""
        if dataset not in self._known:
            own = self._items.filter(pc.equal(self._items["dataset"], dataset))
            columns = {name: own[name].to_pylist() for name in own.column_names}
            trained = self._training.get(dataset)
            self._known[dataset] = Items(
                columns,
                lambda: list(examples_of(self._texts, dataset).values()),
                None if trained is None else lambda: load_training(*trained),
            )
        return self._known[dataset]

    @cached_property
    def _texts(self) -> pa.Table:
        return self._items if self._read is None else self._read()
