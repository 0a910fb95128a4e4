"""Commands whose records, variants, estimates and verdicts are frozen, and what they give now.

    python tools/golden_runs.py check [NAME ...]     run them, and say what differs
    python tools/golden_runs.py freeze [NAME ...]    freeze anew: in a commit that says why

Under ``tests/golden/frozen`` stand the commands, the models and data that they read, and a folder
of tables for each. A name that changed is told in ``names.toml`` as ``new = "old"``.
"""

import json
import math
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.stored_forms import edits_of

PLACE = Path(__file__).parents[1] / "tests" / "golden" / "frozen"
DRAWS = "200"
MOST_SHOWN = 8
ROUNDING = 1e-9  # logarithms of two processors differ in their last digit
READ = {"estimates", "claims", "lines"}  # people look at their changes; the others are packed

#: What a row is told from the others by; all else is compared.
KEYS = {
    "records": "kind subject reference replicate dataset condition role item".split(),
    "variants": "kind dataset item role recipe draw variant".split(),
    "estimates": "diagnostic metric subject reference dataset replicate role condition "
    "group".split(),
    "claims": ["run", "claim"],
    "lines": ["line"],
}
COMPARED = {
    "records": ["status", "reason", "values"],
    "variants": ["edits", "gold", "status", "reason"],
    "estimates": "value low high level method n n_units planned undefined failed skipped refused "
    "status reason n_replicates denominator variance by_replicate across".split(),
    "claims": ["verdict", "scope", "limits", "p_supported", "p_not_supported"],
    "lines": ["said"],
}
#: Members of printed lines that are sentences, or digests of what stands beside them.
PROSE = {"says", "reason", "detail", "resample_id"}
Row = dict[str, Any]
Rows = dict[tuple[Any, ...], Row]


@dataclass(frozen=True)
class Golden:
    """A command whose outcome is frozen; ``close`` says how far its numbers may lie apart."""

    name: str
    command: tuple[str, ...]
    close: float


@dataclass(frozen=True)
class Names:
    """Names of today and what they were called when the tables were frozen."""

    of: Mapping[str, Mapping[str, str]]

    def old(self, kind: str, name: str) -> str:
        """What a name of today stands for in the tables."""
        return self.of.get(kind, {}).get(name, name)


def goldens() -> list[Golden]:
    """All commands, in the order of the file."""
    stated = tomllib.loads((PLACE / "commands.toml").read_text(encoding="utf-8"))
    return [
        Golden(name, tuple(one["command"]), float(one.get("close", ROUNDING)))
        for name, one in stated.items()
    ]


def names() -> Names:
    """The map of names as it is."""
    return Names(tomllib.loads((PLACE / "names.toml").read_text(encoding="utf-8")))


def found(golden: Golden, out: Path, known: Names) -> dict[str, Rows]:
    """Tables of a command that is run now, under the names of what is frozen."""
    words = [*golden.command, "--out", str(out), "--draws", DRAWS, "--display", "none"]
    said = StringIO()
    with chdir(PLACE), redirect_stdout(said):
        code = exit_code_of(group, words)
    if code != 0:
        raise SystemExit(f"{golden.name}: the command left with {code}: {' '.join(words)}")
    tables: dict[str, Rows] = {name: {} for name in ("records", "variants", "estimates", "claims")}
    for run in _runs(out):
        prefix = "" if run == out else run.name
        for name, rows in _tables(RunFolder.open(run), prefix, known).items():
            _add(tables[name], rows, KEYS[name], f"{golden.name}/{prefix}{name}")
    if "--json" in golden.command:
        tables["lines"] = {
            (i,): {"line": i, "said": one} for i, one in enumerate(_lines(said, known))
        }
    return {name: rows for name, rows in tables.items() if rows}


def _lines(said: StringIO, known: Names) -> list[Any]:
    """What a command printed as NDJSON, without its sentences and with the metrics' old names."""
    return [_without_prose(json.loads(line), known) for line in said.getvalue().splitlines()]


def _without_prose(value: Any, known: Names) -> Any:
    if isinstance(value, dict):
        return {k: _without_prose(v, known) for k, v in value.items() if k not in PROSE}
    if isinstance(value, list):
        return [_without_prose(v, known) for v in value]
    return known.old("metric", value) if isinstance(value, str) else value


def _runs(out: Path) -> list[Path]:
    """The run folder itself, or those of a comparison."""
    if (out / "manifest.json").is_file():
        return [out]
    return sorted(path.parent for path in out.glob("*/manifest.json"))


def _tables(folder: RunFolder, prefix: str, known: Names) -> dict[str, Iterator[Row]]:
    return {
        "records": _records(folder, prefix, known),
        "variants": _variants(folder, prefix, known),
        "estimates": _estimates(folder, prefix, known),
        "claims": _claims(folder, prefix),
    }


def _kind(text: str, prefix: str, known: Names) -> str:
    """A diagnostic without the digest of its parameters."""
    name = known.old("diagnostic", text.partition("#")[0])
    return f"{prefix}/{name}" if prefix else name


def _condition(text: str, known: Names) -> str:
    """A condition whose values have their names of then."""
    told = {
        known.old("condition", key): known.old(key, value) if isinstance(value, str) else value
        for key, value in json.loads(text).items()
    }
    return json.dumps(told, sort_keys=True)


def _records(folder: RunFolder, prefix: str, known: Names) -> Iterator[Row]:
    measured = {
        spec["kind"]: [one["name"] for one in spec["measures"]] for spec in folder.manifest["specs"]
    }
    for row in folder.records().to_pylist():
        values = row["values"] or []
        of = measured.get(row["kind"], [])
        if len(of) != len(values):  # a measure with axes holds several
            of = [str(place) for place in range(len(values))]
        yield row | {
            "kind": _kind(row["kind"], prefix, known),
            "condition": _condition(row["condition"], known),
            "values": {known.old("measure", n): v for n, v in zip(of, values, strict=True)},
        }


def _variants(folder: RunFolder, prefix: str, known: Names) -> Iterator[Row]:
    if not (folder.path / "variants.parquet").is_file():
        return
    rows = folder.variants().to_pylist()
    edits = edits_of([row["edits"] for row in rows])
    for row, made in zip(rows, edits, strict=True):
        yield row | {
            "kind": _kind(row["kind"], prefix, known),
            "recipe": known.old("transformation", row["recipe"]),
            "variant": row["variant"],
            "edits": [[edit.field, edit.start, edit.end, edit.text] for edit in made],
        }


def _estimates(folder: RunFolder, prefix: str, known: Names) -> Iterator[Row]:
    for row in folder.table("estimates").to_pylist():
        yield (
            row
            | {
                "diagnostic": _kind(row["diagnostic"], prefix, known),
                "metric": known.old("metric", row["metric"]),
                "condition": _condition(row["condition"], known),
            }
            | {name: json.loads(row[name]) for name in ("variance", "by_replicate", "across")}
        )


def _claims(folder: RunFolder, prefix: str) -> Iterator[Row]:
    for one in folder.findings():
        yield {
            "run": prefix,
            "claim": one.claim.id,
            "verdict": one.verdict,
            "scope": one.scope,
            "limits": [
                each and [each.checkpoints, each.recipe, each.n_rows] for each in one.limits
            ],
            "p_supported": one.p_supported,
            "p_not_supported": one.p_not_supported,
        }


def _add(table: Rows, rows: Iterator[Row], keys: list[str], where: str) -> None:
    for row in rows:
        key = tuple(row[name] for name in keys)
        if key in table:
            raise SystemExit(f"{where}: two rows have the key {key}")
        table[key] = row


def freeze(golden: Golden, tables: Mapping[str, Rows]) -> None:
    """Write the tables of a command."""
    place = PLACE / golden.name
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    for name, rows in tables.items():
        kept = [*KEYS[name], *COMPARED[name]]
        whole = [{column: row[column] for column in kept} for row in rows.values()]
        if name in READ:
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in whole)
            (place / f"{name}.jsonl").write_text(text, encoding="utf-8")
        else:
            columns = {column: [_as_text(row[column]) for row in whole] for column in kept}
            pq.write_table(pa.table(columns), place / f"{name}.parquet", compression="zstd")


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def frozen(golden: Golden) -> dict[str, Rows]:
    """The tables of a command as they were frozen."""
    tables: dict[str, Rows] = {}
    for path in sorted((PLACE / golden.name).iterdir()):
        if path.suffix == ".parquet":
            stored = pq.read_table(path).to_pydict()
            columns = [json.loads(f"[{','.join(values)}]") for values in stored.values()]
            rows = [dict(zip(stored, row, strict=True)) for row in zip(*columns, strict=True)]
        else:
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        tables[path.stem] = {}
        _add(tables[path.stem], iter(rows), KEYS[path.stem], str(path))
    return tables


def differences(
    before: Mapping[str, Rows], after: Mapping[str, Rows], *, close: float
) -> list[str]:
    """Every difference between two outcomes, one line each; none where they are the same."""
    lines: list[str] = []
    for name in sorted({*before, *after}):
        old, new = before.get(name, {}), after.get(name, {})
        lines += [f"{name} lost: {key}" for key in old if key not in new]
        lines += [f"{name} new: {key}" for key in new if key not in old]
        for key in old:
            if key in new:
                lines += _unequal(f"{name} {key}", old[key], new[key], COMPARED[name], close)
    return lines


def _unequal(where: str, old: Row, new: Row, columns: list[str], close: float) -> Iterator[str]:
    for column in columns:
        if not alike(old[column], new[column], close):
            yield f"{where}: {column} was {old[column]!r}, is {new[column]!r}"


def alike(old: Any, new: Any, close: float) -> bool:
    """Whether two values are the same, numbers to within ``close``; nested ones part by part."""
    if old == new:
        return True
    if all(isinstance(one, str) and one.startswith("{") for one in (old, new)):
        return alike(json.loads(old), json.loads(new), close)
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(alike(old[k], new[k], close) for k in old)
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        return len(old) == len(new) and all(map(alike, old, new, [close] * len(old)))
    if isinstance(old, bool) or isinstance(new, bool) or not _are_numbers(old, new):
        return False
    if math.isnan(old) or math.isnan(new):
        return math.isnan(old) and math.isnan(new)
    return bool(abs(old - new) <= close)


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) for value in values)


def main(words: list[str]) -> int:
    """Check or freeze; the exit code is 1 where something differs."""
    if not words or words[0] not in ("check", "freeze"):
        sys.exit(__doc__)
    chosen = [one for one in goldens() if not words[1:] or one.name in words[1:]]
    bad = 0
    for golden in chosen:
        with TemporaryDirectory() as temporary:
            os.environ["SCRUTINY_CACHE_DIR"] = f"{temporary}/cache"
            tables = found(golden, Path(temporary) / "run", names())
        if words[0] == "freeze":
            freeze(golden, tables)
            print(golden.name, {name: len(rows) for name, rows in tables.items()})
            continue
        lines = differences(frozen(golden), tables, close=golden.close)
        bad += bool(lines)
        print(f"{golden.name}: {len(lines)} differences", *lines[:MOST_SHOWN], sep="\n  ")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
