"""Family of pre-trained models: all seeds of one recipe, one after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from scrutiny.models.strings.lineage import HASHES
from scrutiny.training.pretraining.export import Precision
from scrutiny.training.pretraining.job import Prepared, PretrainingJob, Seeds, Stated, Teacher
from scrutiny.training.pretraining.recipe import PretrainingRecipe
from scrutiny.training.pretraining.run import prepare, pretrain
from scrutiny.training.pretraining.vocabulary import save_tokenizer
from scrutiny.training.pretraining.writing import write_pretraining_hashes

#: Folder of the vocabulary in that of the family.
TOKENIZER = "tokenizer"


@dataclass(frozen=True, slots=True)
class SeedFamily:
    """Seeds of a family, and their common inputs.

    Parameters
    ----------
    texts
        Plain text files.
    recipe
        Of every seed.
    seeds
        Of the runs.
    checkpoints, precision, teacher, stated
        As in `PretrainingJob`.
    tokenizer
        Folder of a vocabulary to use; without, one is trained on the texts.
    held_out
        Plain text files for the competence records; without, none are written.
    """

    texts: tuple[Path, ...]
    recipe: PretrainingRecipe
    seeds: tuple[Seeds, ...]
    checkpoints: tuple[int, ...] = ()
    precision: Precision = "fp32"
    teacher: Teacher | None = None
    stated: Stated = field(default_factory=Stated)
    tokenizer: Path | None = None
    held_out: tuple[Path, ...] = ()


def pretrain_family(
    family: SeedFamily,
    out: Path,
    *,
    device: str = "cpu",
    on_log: Callable[[Seeds, dict[str, float]], None] = lambda _seeds, _row: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[Path] | None:
    """Train all seeds; returns their folders, or None if stopped (call again to resume).

    Parameters
    ----------
    family
        Family to train.
    out
        Its folder: the vocabulary, the hashes of the texts and a folder for each seed.
    device
        "cpu", "cuda:0".
    on_log, should_stop
        Called with each line of the log; asked before each step.

    Raises
    ------
    DataError, PlanError, ModelError, StorageError
        As `prepare` and `pretrain`.
    """
    prepared = _prepared(family, out)
    if not (out / HASHES).is_file():
        write_pretraining_hashes(prepared, out)
    folders = []
    for seeds in family.seeds:
        job = PretrainingJob(
            prepared, seeds, family.checkpoints, family.precision, family.teacher, family.stated
        )
        folder = pretrain(
            job,
            out,
            device=device,
            on_log=partial(on_log, seeds),
            should_stop=should_stop,
        )
        if folder is None:
            return None
        folders.append(folder)
    if family.held_out:
        from scrutiny.training.competence.record import write_records

        write_records(prepared, folders, family.held_out, device=device)
    return folders


def _prepared(family: SeedFamily, out: Path) -> Prepared:
    """Texts and vocabulary; a vocabulary trained before is reused."""
    kept = out / TOKENIZER
    given = family.tokenizer or (kept if (kept / "tokenizer.json").is_file() else None)
    prepared = prepare(family.texts, family.recipe, tokenizer=given)
    if given is None:
        save_tokenizer(prepared.tokenizer, kept, family.recipe.positions)
    return prepared


def seed_pairs(both: Sequence[int], init: Sequence[int], data: Sequence[int]) -> tuple[Seeds, ...]:
    """Seed pairs of a family of pretrainings: of both at once, or all of initialization and data.

    Examples
    --------
    >>> [seeds.place() for seeds in seed_pairs([], [1, 2], [7])]
    ['init_seed-1/data_seed-7', 'init_seed-2/data_seed-7']
    """
    if init or data:
        return tuple(Seeds(i, d) for i in init or (1,) for d in data or (1,))
    return tuple(Seeds(seed, seed) for seed in both or (1,))
