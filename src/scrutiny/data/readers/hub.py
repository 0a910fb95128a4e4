"""Datasets of the Hugging Face hub, and folders saved by ``datasets``.

``hf:NAME:SPLIT[SLICE]@REVISION``; NAME is ``org/name``, ``org/name/config``, a folder, or one of
the old collections without an organization (``glue/sst2``). ``HF_HUB_OFFLINE`` is honored.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from scrutiny.core.errors import DataError, MissingExtraError
from scrutiny.data.readers.objects import hub_table
from scrutiny.data.readers.options import takes
from scrutiny.data.source import DataSource
from scrutiny.data.table import Table

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
def read(source: DataSource) -> Table:
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
        if _is_saved(wanted.name):
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
    return replace(hub_table(_one_split(data, source), source.target), notes=_notes(data))


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


def _notes(data: Any) -> tuple[str, ...]:
    version = getattr(data, "_fingerprint", "")
    return (f"The fingerprint that datasets gives it is {version}.",) if version else ()


def _is_local(name: str) -> bool:
    return name.startswith((".", "/", "~", "\\")) or (len(name) > 1 and name[1] == ":")


def _is_saved(name: str) -> bool:
    folder = Path(name).expanduser()
    return (folder / "state.json").is_file() or (folder / "dataset_dict.json").is_file()
