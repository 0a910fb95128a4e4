"""Competence records of a family: the counting is done once."""

from collections.abc import Sequence
from pathlib import Path

from scrutiny.training.competence.agreement import read_pairs
from scrutiny.training.competence.likelihood import baselines_of
from scrutiny.training.competence.record import FILE, measure
from scrutiny.training.competence.settings import CompetenceSettings
from scrutiny.training.pretraining.export import WEIGHTS, write_json
from scrutiny.training.pretraining.job import Prepared
from scrutiny.training.pretraining.texts import read_texts


def write_records(
    prepared: Prepared,
    folders: Sequence[Path],
    held_out: Sequence[Path],
    *,
    device: str = "cpu",
    settings: CompetenceSettings | None = None,
) -> list[Path]:
    """Records that were written: of every checkpoint in or under the folders that had none.

    Parameters
    ----------
    prepared
        Training text and vocabulary of the family.
    folders
        Of its runs.
    held_out
        Plain text files, one for each source, of which nothing was trained on.
    device
        "cpu", "cuda:0".
    settings
        How much is measured.

    Raises
    ------
    DataError
        If a text does not read.
    """
    checkpoints = sorted({path.parent for f in folders for path in f.rglob(WEIGHTS)})
    lacking = [folder for folder in checkpoints if not (folder / FILE).is_file()]
    if not lacking:
        return []
    texts, pairs = read_texts(held_out), read_pairs()
    baselines = baselines_of(prepared.corpus, prepared.recipe.vocabulary)
    for folder in lacking:
        record = measure(folder, texts, baselines, pairs=pairs, settings=settings, device=device)
        write_json(folder / FILE, record)
    return [folder / FILE for folder in lacking]
