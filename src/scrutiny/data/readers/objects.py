"""Tables that are Python objects: data frames, lists, dicts, and datasets of the hub.

No library but Arrow is imported for an object. ``hf:NAME:SPLIT[SLICE]@REVISION`` names a dataset
of the Hugging Face hub; NAME is ``org/name``, ``org/name/config``, a folder that ``datasets``
saved, or one of the old collections without an organization (``glue/sst2``). ``HF_HUB_OFFLINE`` is
honored.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from scrutiny.core.boundary.printable import repeated
from scrutiny.core.errors import DataError, MissingExtraError
from scrutiny.data.readers.formats import feature_names
from scrutiny.data.readers.json_rows import column_rows
from scrutiny.data.readers.parquet import batch_rows, class_names_of, columns_of
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, takes, with_columns

_BATCH = 1000
#: Types of the values that mark a missing cell in pandas, which need not be installed.
_MISSING = ("NAType", "NaTType")


@runtime_checkable
class NamesColumns(Protocol):
    """Protocol of a data frame; pandas allows two columns of one name."""

    columns: Any


def read_object(value: Any) -> Table:
    """Rows, numbered from 1, of an object that holds a table.

    Takes ``datasets.Dataset`` (and one split of it), whatever exports an Arrow stream (pandas and
    polars data frames, pyarrow tables), a list of dicts, and a dict of columns.

    Raises
    ------
    DataError
        If it is none of these, or holds no rows.
    """
    place = type(value).__name__
    if isinstance(value, Mapping) and hasattr(value, "num_rows"):
        raise DataError(
            f"A {place} holds several splits ({', '.join(value)}): give one of them, as in "
            f"data[{next(iter(value), 'test')!r}]."
        )
    if hasattr(value, "features") and hasattr(value, "column_names"):
        return hub_table(value, place)
    if hasattr(value, "__arrow_c_stream__"):
        return _arrow_table(value, place)
    if isinstance(value, Mapping):
        return with_columns(iter(column_rows(_as_lists(value), place)), place)
    if isinstance(value, list | tuple):
        return with_columns(_list_rows(value), place)
    raise DataError(
        f"Examples cannot be read from an object of type {place}. Give a data string "
        "(csv:dev.csv), a pandas or polars data frame, a pyarrow table, a datasets.Dataset, a list "
        "of dicts or a dict of columns."
    )


def hub_table(value: Any, place: str) -> Table:
    """Rows of a ``datasets.Dataset`` or ``IterableDataset``, numbered from 1."""
    features = value.features
    described = features.to_dict() if features is not None else {}
    table = with_columns(_hub_rows(value), place)
    return Table(
        columns=tuple(dict.fromkeys([*(value.column_names or ()), *table.columns])),
        rows=table.rows,
        place=place,
        class_names=feature_names(described),
    )


def _hub_rows(value: Any) -> Iterator[RawRow]:
    number = 0
    for batch in value.iter(batch_size=_BATCH):
        for cells in zip(*batch.values(), strict=True):
            number += 1
            yield RawRow(number, dict(zip(batch, cells, strict=True)))


def _arrow_table(value: Any, place: str) -> Table:
    import pyarrow as pa

    stated = value.columns if isinstance(value, NamesColumns) else ()
    known = tuple(str(name) for name in stated if isinstance(name, str | int))
    Table(columns=known, rows=iter(()), place=f"The {place}")  # refuses two of one name
    try:
        reader = pa.RecordBatchReader.from_stream(value)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        if hasattr(value, "to_frame"):
            raise DataError(
                f"A {place} is one column, not a table. Give a dict of columns, as in "
                "{'text': series}."
            ) from None
        message = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(
            f"A column of the {place} mixes types that Arrow cannot hold together: {message}. "
            "Convert it, for example with astype(str), or give a list of dicts."
        ) from None
    names = [n for n in columns_of(reader.schema) if not n.startswith("__index_level_")]
    rows = with_columns(batch_rows(reader), place).rows
    return Table(
        columns=tuple(names), rows=rows, place=place, class_names=class_names_of(reader.schema)
    )


def _list_rows(value: list[Any] | tuple[Any, ...]) -> Iterator[RawRow]:
    for number, row in enumerate(value, 1):
        if isinstance(row, Mapping):
            named = {str(key): _plain(value) for key, value in row.items()}
            twice = repeated([str(key) for key in row]) if len(named) < len(row) else None
            problem = "" if twice is None else f"two keys are named {twice!r}"
            yield RawRow(number, {} if problem else named, problem)
        else:
            yield RawRow(number, {}, f"the row is of type {type(row).__name__}, not a dict")


def _plain(value: Any) -> Any:
    """Cell as a Python value: NumPy scalars converted, pandas' missing values as ``None``.

    Examples
    --------
    >>> import numpy as np
    >>> _plain(np.int64(1)), _plain("text")
    (1, 'text')
    """
    if type(value).__name__ in _MISSING and type(value).__module__.startswith("pandas."):
        return None
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def _as_lists(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns as lists, from arrays and series."""
    Table(columns=tuple(map(str, columns)), rows=iter(()), place="The dict of columns")
    return {
        str(name): [_plain(v) for v in values.tolist()] if hasattr(values, "tolist") else values
        for name, values in columns.items()
    }


_NAME = re.compile(
    r"(?P<name>.+?)(?::(?P<split>\w[\w.]*(?:\[[^\]]*\])?))?(?:@(?P<revision>[^@:]+))?"
)
#: Collections that the hub still finds without their organization; what follows is a configuration.
_COLLECTIONS: Final = frozenset(
    "ade_corpus_v2 glue hate_speech18 paws-x super_glue tweet_eval wikiann wikitext xnli xtreme "
    "blimp anli math_qa ai2_arc".split()
)


class HubName(NamedTuple):
    """Parts of a hub name: dataset, configuration, split, rows, revision."""

    name: str
    config: str | None
    split: str | None
    revision: str | None


def parse_name(target: str, *, config: str = "") -> HubName:
    """Parts of the text after ``hf:``.

    Examples
    --------
    >>> parse_name("glue/sst2:validation[:200]@main")
    HubName(name='glue', config='sst2', split='validation[:200]', revision='main')
    >>> parse_name("stanfordnlp/imdb").name
    'stanfordnlp/imdb'
    """
    match = _NAME.fullmatch(target)
    if match is None or (not _is_local(match["name"]) and {"@", ":"} & set(match["name"])):
        raise DataError(f"hf:{target} cannot be read: it is hf:org/name:split[:200]@revision.")
    name, split, revision = match.group("name", "split", "revision")
    parts = name.split("/")
    if not _is_local(name) and not config:
        if len(parts) == 3:
            name, config = "/".join(parts[:2]), parts[2]
        elif len(parts) == 2 and parts[0] in _COLLECTIONS:
            name, config = parts
    return HubName(name, config or None, split, revision)


@takes("config")
def read_hub(source: DataSource) -> Table:
    """Rows of a dataset of the hub, or of a folder that ``datasets`` saved or can read.

    Raises
    ------
    MissingExtraError
        If ``datasets`` is not installed.
    DataError
        If the data set cannot be loaded, or holds several splits and none is named.
    """
    try:
        import datasets
    except ImportError:
        raise MissingExtraError("Reading hf: data sets", "hf") from None
    wanted = parse_name(source.target, config=source.option("config"))
    try:
        folder = Path(wanted.name).expanduser()
        if any((folder / name).is_file() for name in ("state.json", "dataset_dict.json")):
            data = _saved(datasets, wanted)
        else:
            data = datasets.load_dataset(
                str(Path(wanted.name).expanduser()) if _is_local(wanted.name) else wanted.name,
                wanted.config,
                split=wanted.split,
                revision=wanted.revision,
            )
    except DataError:
        raise
    except Exception as error:  # whatever the library, its network and its parsers raise
        raise DataError(_failure(source, wanted, error)) from error
    version = getattr(data, "_fingerprint", "")
    notes = (f"The fingerprint that datasets gives it is {version}.",) if version else ()
    return replace(hub_table(_one_split(data, source), source.target), notes=notes)


def _saved(datasets: Any, wanted: HubName) -> Any:
    data = datasets.load_from_disk(str(Path(wanted.name).expanduser()))
    if wanted.split is None:
        return data
    name, bracket, rest = wanted.split.partition("[")
    if hasattr(data, "keys"):
        if name not in data:
            raise DataError(f"hf:{wanted.name} has no split {name!r}; it has {', '.join(data)}.")
        data = data[name]
    if not bracket:
        return data
    low, _, high = rest.removesuffix("]").partition(":")
    try:
        stop = min(int(high), len(data)) if high else len(data)
        return data.select(range(int(low or 0), stop))
    except ValueError:
        raise DataError(
            f"The slice [{rest} of hf:{wanted.name} cannot be read: of a saved folder it is "
            "[a:b], in rows."
        ) from None


def _one_split(data: Any, source: DataSource) -> Any:
    """Return the only split, or the data if the name states the split."""
    if not hasattr(data, "keys"):
        return data
    splits = list(data)
    if len(splits) == 1:
        return data[splits[0]]
    raise DataError(
        f"hf:{source.target} holds several splits: {', '.join(splits)}. Choose one, as in "
        f"hf:{source.target}:{'validation' if 'validation' in splits else splits[-1]}."
    )


def _failure(source: DataSource, wanted: HubName, error: Exception) -> str:
    first = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
    message = f"hf:{source.target} could not be loaded: {type(error).__name__}: {first}."
    if _is_offline():
        return (
            f"{message} HF_HUB_OFFLINE is set, so only data sets in the local cache can be read: "
            "load it once on a machine with a network, or save it to a file."
        )
    if wanted.config is None and "/" in wanted.name:
        message += f" If {wanted.name.rpartition('/')[2]!r} is a configuration, add config=NAME."
    return f"{message} Local files need no hub: csv:, jsonl: and parquet: read them."


def _is_offline() -> bool:
    try:
        from huggingface_hub.constants import HF_HUB_OFFLINE
    except ImportError:
        return False
    return bool(HF_HUB_OFFLINE)


def _is_local(name: str) -> bool:
    return name.startswith((".", "/", "~", "\\")) or (len(name) > 1 and name[1] == ":")
