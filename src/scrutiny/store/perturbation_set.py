"""Perturbation sets: frozen variants in a hashed file, shared by models, runs and people."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.errors import DataError
from scrutiny.store.files import storage_errors, write_atomically
from scrutiny.store.native import reading, writing
from scrutiny.store.schemas import ROW_GROUP, VARIANTS

_FOOTER: Final = b"scrutiny.perturbation_set"
_PERSON: Final = b"scrutiny.set.1"


@dataclass(frozen=True, slots=True, eq=False)
class PerturbationSet:
    """Frozen variants of one or several datasets.

    Parameters
    ----------
    name
        Name of the set.
    variants
        Table of `scrutiny.store.schemas.VARIANTS`.
    datasets
        Fingerprint of each dataset that the variants are of, by name.
    digest
        32 hexadecimal digits of names, fingerprints and all rows in order; the same whatever the
        version of the file format.
    """

    name: str
    variants: pa.Table
    datasets: dict[str, str]
    digest: str

    def must_fit(self, dataset: str, fingerprint: str) -> None:
        """Raise unless this is the dataset that the variants were made from.

        Raises
        ------
        DataError
            If the set has no variants of it, or of other content.
        """
        if dataset not in self.datasets:
            raise DataError(
                f"The perturbation set {self.name!r} holds variants of "
                f"{', '.join(self.datasets)}, not of {dataset!r}."
            )
        if self.datasets[dataset] != fingerprint:
            raise DataError(
                f"The perturbation set {self.name!r} was made of another {dataset!r}: its "
                f"fingerprint is {self.datasets[dataset]}, this one's {fingerprint}."
            )


def freeze(name: str, variants: pa.Table, *, datasets: dict[str, str]) -> PerturbationSet:
    """Perturbation set of these variants, with its digest.

    Parameters
    ----------
    name
        Name of the set.
    variants
        Table with the columns of `scrutiny.store.schemas.VARIANTS`.
    datasets
        Fingerprint of each dataset by name.

    Raises
    ------
    DataError
        If columns are missing, a dataset has no fingerprint, or two variants of an item share a
        name.
    """
    missing = [column for column in VARIANTS.names if column not in variants.column_names]
    if missing:
        raise DataError(f"The variants of {name!r} lack the columns {', '.join(missing)}.")
    table = variants.select(VARIANTS.names).cast(VARIANTS)
    keys = list(zip(*(table[c].to_pylist() for c in ("dataset", "item", "variant")), strict=True))
    unknown = [dataset for dataset in dict.fromkeys(k[0] for k in keys) if dataset not in datasets]
    if unknown:
        raise DataError(f"The dataset {unknown[0]!r} of {name!r} has no fingerprint.")
    if len(set(keys)) < len(keys):
        raise DataError(f"Two variants in {name!r} have the same dataset, item and name.")
    return PerturbationSet(name, table, dict(datasets), _digest(name, table, datasets))


def save(path: Path, frozen: PerturbationSet) -> None:
    """Write a set to one Parquet file, atomically.

    Raises
    ------
    StorageError
        If the disk refuses.
    """
    facts = {"name": frozen.name, "datasets": frozen.datasets, "digest": frozen.digest}
    schema = VARIANTS.with_metadata({_FOOTER: canonical_json(facts).encode()})
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)

    def write(temporary: Path) -> None:
        with writing(temporary) as file:
            table = frozen.variants.cast(schema)
            pq.write_table(table, file, compression="zstd", row_group_size=ROW_GROUP)

    write_atomically(path, write)


def load(path: Path, *, expected: str | None = None) -> PerturbationSet:
    """Perturbation set read from a file, with its digest checked against its rows.

    Parameters
    ----------
    path
        File written by `save`.
    expected
        Digest that the set must have, as a paper or a plan states it.

    Raises
    ------
    DataError
        If the file is no perturbation set, was changed, or is another one than expected.
    """
    try:
        with reading(path) as file:
            table = pq.read_table(file)
        facts = json.loads((table.schema.metadata or {})[_FOOTER])
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path} does not read: {error}") from error
    except (KeyError, ValueError) as error:
        raise DataError(
            f"{path} is no perturbation set: it lacks the statement of its name and digest."
        ) from error
    frozen = freeze(facts["name"], table.replace_schema_metadata(None), datasets=facts["datasets"])
    if frozen.digest != facts["digest"]:
        raise DataError(
            f"{path} was changed after it was frozen: its rows have the digest {frozen.digest}, "
            f"it states {facts['digest']}. Freeze it anew under another name."
        )
    if expected is not None and frozen.digest != expected:
        raise DataError(f"{path} has the digest {frozen.digest}; {expected} was expected.")
    return frozen


def _digest(name: str, table: pa.Table, datasets: dict[str, str]) -> str:
    """Digest of the content, row by row."""
    found = blake2b(digest_size=16, person=_PERSON)
    found.update(_line([name, sorted(datasets.items())]))
    for row in table.to_pylist():
        found.update(_line([row[column] for column in VARIANTS.names]))
    return found.hexdigest()


def _line(values: Sequence[Any]) -> bytes:
    return canonical_json(values).encode("utf-8", "surrogatepass") + b"\n"
