"""The model card of a pre-trained checkpoint."""

from collections.abc import Mapping
from typing import Any


def card_of(record: Mapping[str, Any]) -> str:
    """Model card in Markdown, of what ``training.json`` says."""
    recipe, seeds = record["recipe"], record["seeds"]
    lines = [
        *_front_matter(record),
        f"# BERT, {recipe['layers']} layers of {recipe['hidden']} units, "
        f"init seed {seeds['init_seed']}, data seed {seeds['data_seed']}",
        "",
        "Pre-trained by `scrutiny train pretrain`: one replicate of a recipe, for the study of "
        "diagnostics. It is far too small to be of other use. What is said of it alone is said of "
        "this checkpoint; several seeds say something about the recipe.",
        "",
        f"Step {record['step']:,} of {recipe['steps']:,}; {record['pieces']:,} word pieces of "
        f"text in {record['documents']:,} documents; masked words"
        + (" and next sentence." if recipe["next_sentence"] else "."),
        "",
        *_teacher_lines(record["distilled_from"]),
        "| recipe | |",
        "| --- | --- |",
        *(f"| {name} | {_shown(value)} |" for name, value in recipe.items()),
        f"| digest | `{record['digest'][:16]}` |",
        "",
        "| text | sha256 |",
        "| --- | --- |",
        *(f"| {text['name']} | `{text['sha256']}` |" for text in record["texts"]),
        "",
        *_rights(record),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _front_matter(record: Mapping[str, Any]) -> list[str]:
    known = {"CC BY-SA 4.0": "cc-by-sa-4.0", "MIT": "mit", "Apache-2.0": "apache-2.0"}
    short = known.get(record["license"])
    return ["---", "language: en", f"license: {short}", "---", ""] if short else []


def _teacher_lines(teacher: Mapping[str, Any] | None) -> list[str]:
    if teacher is None:
        return []
    return [
        f"Distilled from `{teacher['name']}`: {teacher['weight']:g} of the loss is the divergence "
        f"from it at temperature {teacher['temperature']:g}. It shares what the teacher learned; "
        "it is no further replicate.",
        "",
    ]


def _rights(record: Mapping[str, Any]) -> list[str]:
    stated = record["license"] or "not stated; it follows from the texts'."
    return [f"Licence of the weights: {stated}", "", *(f"- {a}" for a in record["attribution"])]


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "; ".join(
            ", ".join(f"{k} {v:g}" for k, v in part.items())
            if isinstance(part, Mapping)
            else f"{part:g}"
            for part in value
        )
    return str(value)
