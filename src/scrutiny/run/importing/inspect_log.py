"""Logs of Inspect: ``.eval`` archives, read sample by sample, and ``.json`` files.

Samples pair by their id, epochs are replicates. A ``.json`` log is one value, so it is read whole.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from struct import unpack
from typing import Any, Final
from zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile

from scrutiny.core.answers.texts import Text
from scrutiny.core.boundary.json_text import canonical_json, parse_json
from scrutiny.core.errors import DataError
from scrutiny.core.task import Prediction
from scrutiny.run.importing.logs import (
    LogFile,
    LoggedSample,
    LoggedTask,
    Problems,
    number_of,
    short_columns,
)

_SUFFIXES: Final = (".eval", ".json")
_REPEATED: Final = "answers of one model, given again (epochs of one log)"
_PEEKED: Final = 4096
#: Epochs of a log; each is read by itself.
_MOST_EPOCHS: Final = 10_000


def is_log(path: Path) -> bool:
    """Whether a path is a log, or a folder that holds some."""
    if path.is_dir():
        return any(is_log(one) for one in _candidates(path))
    if path.suffix == ".eval":
        return path.is_file()
    if path.suffix != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_PEEKED)
    return b'"eval"' in head and b'"version"' in head


def _candidates(folder: Path) -> list[Path]:
    """Files of a folder that may be logs, in order of their paths."""
    return sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES)


def files_of(path: Path, random: Mapping[str, str]) -> list[LogFile]:
    """Logs at a path, each with its header.

    Raises
    ------
    DataError
        If there is none, or one cannot be read.
    """
    found = [p for p in _candidates(path) if is_log(p)] if path.is_dir() else [path]
    if not found:
        raise DataError(f"{str(path)!r} holds no log of inspect: they end in .eval or .json.")
    return [_file_of(one, random) for one in found]


def _file_of(path: Path, random: Mapping[str, str]) -> LogFile:
    """Log with its header: everything but the samples."""
    try:
        if path.suffix == ".eval" or is_zipfile(path):
            header = _header_of_archive(path)
        else:
            header = {k: v for k, v in _load(path).items() if k not in ("samples", "reductions")}
        spec = header["eval"]
        return LogFile(path, spec["model"], spec["task"], spec.get("created", ""), random, header)
    except (BadZipFile, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{str(path)!r} is no log of inspect: {error}") from error


def _load(path: Path) -> dict[str, Any]:
    """Value of a ``.json`` log."""
    return dict(parse_json(path.read_bytes()))


def _header_of_archive(path: Path) -> dict[str, Any]:
    """Header of an archive; for unfinished logs, the one from the start."""
    with ZipFile(path) as archive:
        there = {info.filename: info for info in archive.infolist()}
        name = next((n for n in ("header.json", "_journal/start.json") if n in there), None)
        if name is None:
            raise DataError(f"{str(path)!r} is no log of inspect: the archive has no header.")
        header = parse_json(read_member(archive, there[name], path))
    return {"status": "started", **header}


def logged(file: LogFile) -> list[LoggedTask]:
    """Epochs of a log, each separately."""
    try:
        epochs = int(file.header["eval"].get("config", {}).get("epochs") or 1)
        spec, status = file.header["eval"], file.header.get("status")
        notes = []
        if status not in (None, "success"):
            notes.append(f"{file.path.name} ended with the status {status!r}: it may lack samples.")
        stated = spec.get("model_generate_config") or {}
        settings = {name: value for name, value in stated.items() if value is not None}
        if settings:
            notes.append(f"{file.subject} was asked with {canonical_json(settings)}.")
        if epochs > 1:
            notes.append(f"{file.task}: {epochs} epochs, kept as replicates.")
        # Plain means that Inspect computed over all samples, by condition.
        results = file.header.get("results") or {}
        printed = {}
        for score in results.get("scores") or ():
            scorer, name = score.get("scorer", ""), score.get("name", "")
            metric = scorer if name == scorer else f"{scorer}.{name}"
            for kind in ("accuracy", "mean"):
                value = (score.get("metrics") or {}).get(kind, {}).get("value")
                if isinstance(value, (int, float)):
                    printed[canonical_json({"metric": metric})] = float(value)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{str(file.path)!r} is no log of inspect: {error}") from error
    if not 0 < epochs <= _MOST_EPOCHS:
        raise DataError(f"{str(file.path)!r} is no log of inspect: it has {epochs:.6g} epochs")
    whole = file.logged("inspect", partial(_read, file.path, 1), printed=printed)
    first = replace(whole, notes=tuple(notes))
    if epochs == 1:
        return [first]
    return [
        replace(
            first if epoch == 1 else whole,
            file=replace(file, random={**file.random, "epoch": str(epoch)}),
            source=f"{whole.source}/epoch-{epoch}",
            read=partial(_read, file.path, epoch),
            replicates_of="" if file.random else _REPEATED,
        )
        for epoch in range(1, epochs + 1)
    ]


def _read(path: Path, epoch: int, problems: Problems) -> Iterator[LoggedSample]:
    """Samples of one epoch of a log."""
    seen: dict[str, str] = {}
    for place, row in _rows(path, epoch, problems):
        try:
            if int(row.get("epoch", 1)) != epoch:
                continue
            sample = _sample(row, place)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            problems.bad(place, f"it cannot be read: {error!r}")
            continue
        if sample.item in seen:
            problems.bad(place, f"the same id and epoch are at {seen[sample.item]}")
            continue
        seen[sample.item] = place
        if row.get("limit"):
            problems.skipped["halted by a limit; kept with the score that it has"] += 1
        for name, score in (row.get("scores") or {}).items():
            if isinstance(score.get("value"), list):
                problems.skipped[f"{name}: several values for one sample"] += 1
        yield sample


def _rows(path: Path, epoch: int, problems: Problems) -> Iterable[tuple[str, dict[str, Any]]]:
    """Samples as logged, with their places."""
    if path.suffix == ".eval" or is_zipfile(path):
        yield from _rows_of_archive(path, epoch, problems)
        return
    samples = _load(path).get("samples") or []
    if not isinstance(samples, list):
        raise DataError(f"{str(path)!r} is no log of inspect: its samples are no list.")
    for number, row in enumerate(samples):
        yield f"{path.name}:samples[{number}]", row


def _rows_of_archive(
    path: Path, epoch: int, problems: Problems
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Samples of an archive, one member at a time; the last of a name counts, as in Inspect."""
    # a sample is one file, or the frame of one in parts
    ends = (f"_epoch_{epoch}.json", f"_epoch_{epoch}/sample.json")
    with ZipFile(path) as archive:
        members = {info.filename: info for info in archive.infolist()}
        for name, info in members.items():
            if not (name.startswith("samples/") and name.endswith(ends)):
                continue
            place = f"{path.name}:{name}"
            try:
                row = parse_json(read_member(archive, info, path))
                metadata = members.get(name.replace("/sample.json", "/metadata.json"))
                if name.endswith("/sample.json") and metadata is not None:
                    row["metadata"] = parse_json(read_member(archive, metadata, path))
            except (BadZipFile, ValueError) as error:
                problems.bad(place, str(error))
                continue
            yield place, row


def _sample(row: Mapping[str, Any], place: str) -> LoggedSample:
    """Sample from its logged values."""
    scores: dict[str, float | None] = {}
    labels: list[str] = []
    for scorer, score in (row.get("scores") or {}).items():
        given = score.get("answer")
        labels += [given] if isinstance(given, str) else []
        if isinstance(score.get("value"), list):
            continue
        for name, number in scores_of(scorer, score.get("value")):
            scores[canonical_json({"metric": name})] = number
    said = completion_of(row.get("output"))
    answer = Prediction(labels[0], said=said) if labels else Prediction(Text(said or ""))
    failure = "sample_error" if row.get("error") else "" if scores else "no_score"
    return LoggedSample(
        item=str(row["id"]),
        source=place,
        text=text_of(row["input"], row.get("attachments")),
        gold=target_of(row.get("target")),
        scores=scores,
        answers={} if not labels and said is None else {"{}": answer},
        choices=tuple(map(str, row.get("choices") or ())),
        columns=short_columns(row.get("metadata") or {}),
        failure=failure if not scores else "",
    )


_ZSTANDARD: Final = 93
_LOCAL_HEADER: Final = 30  # bytes, before name and extra field


def read_member(archive: ZipFile, info: ZipInfo, path: Path) -> bytes:
    """Content of an archive's member.

    Raises
    ------
    BadZipFile
        If it is damaged.
    """
    if info.compress_type != _ZSTANDARD:
        return archive.read(info)
    import pyarrow as pa

    with path.open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(_LOCAL_HEADER)
        if len(header) < _LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
            raise BadZipFile(f"{info.filename} does not stand where the archive says")
        name_size, extra_size = unpack("<HH", header[26:30])
        file.seek(name_size + extra_size, 1)
        packed = file.read(info.compress_size)
    try:
        with pa.input_stream(pa.py_buffer(packed), compression="zstd") as stream:
            content = bytes(stream.read())
    except OSError as error:
        raise BadZipFile(f"{info.filename}: {error}") from error
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise BadZipFile(f"{info.filename} is damaged: its checksum differs")
    return content


#: inspect's own words for right, wrong, partly right, not answered, and their worth.
_LETTERS: Final = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_ATTACHED: Final = "attachment://"


def scores_of(scorer: str, value: Any) -> Iterator[tuple[str, float | None]]:
    """Name and number of each score of a scorer; None for scores that are not numbers.

    Examples
    --------
    >>> dict(scores_of("match", "C")), dict(scores_of("style", {"polite": True, "words": 8.0}))
    ({'match': 1.0}, {'style.polite': 1.0, 'style.words': 8.0})
    >>> dict(scores_of("judge", "unclear"))
    {'judge': None}
    """
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield f"{scorer}.{name}", number_of(inner, _LETTERS)
    else:
        yield scorer, number_of(value, _LETTERS)


def text_of(asked: Any, attachments: Any) -> str:
    """Question of a sample: its text, or the last user message of a conversation.

    Examples
    --------
    >>> text_of([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}], {})
    'Hi'
    """
    if isinstance(asked, str):
        return _attached(asked, attachments)
    said = [m for m in asked if isinstance(m, Mapping) and m.get("role") == "user"] or list(asked)
    content = said[-1].get("content", "") if said else ""
    if isinstance(content, str):
        return _attached(content, attachments)
    parts = [p["text"] for p in content if isinstance(p, Mapping) and p.get("type") == "text"]
    return "\n".join(_attached(part, attachments) for part in parts)


def _attached(text: str, attachments: Any) -> str:
    """Text, or the attachment of the sample that it refers to."""
    if not text.startswith(_ATTACHED) or not isinstance(attachments, Mapping):
        return text
    return str(attachments.get(text.removeprefix(_ATTACHED), text))


def completion_of(output: Any) -> str | None:
    """Text that the model returned, or ``None``."""
    if not isinstance(output, Mapping):
        return None
    if isinstance(output.get("completion"), str) and output["completion"]:
        return str(output["completion"])
    choices = output.get("choices") or []
    content = choices[0].get("message", {}).get("content") if choices else None
    return content if isinstance(content, str) else None


def target_of(target: Any) -> str | None:
    """Right answer as text; several are concatenated.

    Examples
    --------
    >>> target_of(["four", "4"])
    'four | 4'
    """
    if isinstance(target, str):
        return target or None
    if isinstance(target, Sequence) and target:
        return " | ".join(map(str, target))
    return None
