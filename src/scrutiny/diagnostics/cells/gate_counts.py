"""How often the gates of recurrent cells are shut and open over texts, and names of the cells."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scrutiny.core.queries.states import CellStates

#: Array of a task with these shares.
GATES: Final = "gates"
#: Beyond these a gate is shut or open (Karpathy et al.).
SHUT, OPEN = 0.1, 0.9


class GateCounts:
    """How often each gate of each cell is shut and open over texts."""

    def __init__(self) -> None:
        self._count = 0
        self._shut: dict[tuple[str, str], Any] = {}
        self._open: dict[tuple[str, str], Any] = {}
        self._names: list[str] = []

    def add(self, found: Mapping[str, CellStates]) -> None:
        """Count a text."""
        if not self._names:
            self._names = [
                f"{layer}, cell {i + 1}"
                for layer, one in found.items()
                for i in range(one.states.shape[1])
            ]
        self._count += len(next(iter(found.values())).states)
        for layer, one in found.items():
            for gate, values in one.gates.items():
                key = layer, gate
                self._shut[key] = self._shut.get(key, 0) + (values < SHUT).sum(axis=0)
                self._open[key] = self._open.get(key, 0) + (values > OPEN).sum(axis=0)

    def name(self, cell: int) -> str:
        """Name of a cell of all layers in a row."""
        return self._names[cell]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Shares of each gate of each cell."""
        for (layer, gate), shut in self._shut.items():
            opened = self._open[layer, gate]
            for i, (low, high) in enumerate(zip(shut.tolist(), opened.tolist(), strict=True)):
                count = max(1, self._count)
                yield {
                    "layer": layer,
                    "gate": gate,
                    "cell": i + 1,
                    "shut": low / count,
                    "between": 1 - (low + high) / count,
                    "open": high / count,
                }
