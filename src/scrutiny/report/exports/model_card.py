"""Section of a model card: figures in the front matter that model hubs read, and in words.

The front matter is the ``model-index`` of Hugging Face: one result for each model and dataset with
its metrics. It has room for a value alone, so that limits stand as metrics' ``args`` and in the
text.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from scrutiny.blocks.numbers import interval
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.scores import headline_of
from scrutiny.blocks.terminal_and_markdown import code, escape, table
from scrutiny.core.boundary.printable import printable
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.report.exports.declared import (
    claim_rows,
    conditions,
    declared_numbers,
    declared_rows,
    open_questions,
    state_rows,
)
from scrutiny.report.first_screen.content import first_screen_of

_STATES: Final = ("risk", "state", "what was found", "true of")


def render_model_card(view: RunView) -> str:
    """Return front matter and the section "Evaluation" of a model card, in Markdown."""
    screen = first_screen_of(view)
    blocks = ["\n".join(["---", *_front_matter(view), "---"]), "## Evaluation"]
    said = [screen.skill, screen.decision] if screen.risks else [screen.headline]
    blocks += [escape(sentence) for sentence in said if sentence]
    rows = [[escape(cell) for cell in row] for row in declared_rows(view)]
    if rows:
        blocks.append(table(("model", "data", "metric", "value", "items"), rows, right=(3, 4)))
    risks = [[escape(cell) for cell in row] for row in state_rows(view)]
    if risks:
        blocks += ["### Risks", table(_STATES, risks)]
    claims = [[escape(cell) for cell in row] for row in claim_rows(view)]
    if claims:
        blocks += ["### Claims", table(("claim", "verdict", "true of"), claims)]
    lacking = open_questions(view)
    if lacking:
        blocks += [
            "### Not tested, or not decided",
            "\n".join(f"- {escape(one)}" for one in lacking),
        ]
    told = [f"- {escape(name)}: `{code(said)}`" for name, said in conditions(view)]
    blocks += ["### How it was measured", "\n".join(told)]
    return "\n\n".join(blocks) + "\n"


def _front_matter(view: RunView) -> Iterator[str]:
    """Lines of YAML: a list for each model, with a result for each of its datasets."""
    every = declared_numbers(view)
    numbers = [one for one in every if headline_of(one.key.metric)] or every
    yield "model-index:" if numbers else "model-index: []"
    for subject, own in grouped((e.key.subject, e) for e in numbers).items():
        yield f"- name: {_text(subject)}"
        yield "  results:"
        for dataset, found in grouped((e.key.dataset, e) for e in own).items():
            yield from _result(view.manifest, dataset, found)


def _result(manifest: Mapping[str, Any], dataset: str, found: Sequence[Estimate]) -> Iterator[str]:
    """One result: task, dataset and metrics."""
    data = manifest.get("data", {}).get(dataset, {})
    data = data if isinstance(data, Mapping) else {}
    yield "  - task:"
    yield f"      type: {_text(str(data.get('task', 'other')))}"
    yield "    dataset:"
    yield f"      name: {_text(dataset)}"
    yield f"      type: {_text(str(data.get('source') or dataset))}"
    if data.get("fingerprint"):
        yield f"      revision: {_text(str(data['fingerprint']))}"
    yield "    metrics:"
    for one in found:
        yield f"    - type: {_text(one.key.metric_name)}"
        yield f"      name: {_text(f'{one.key.metric_name} {interval(one)}')}"
        yield f"      value: {_number(one.value)}"
        if one.low is not None and one.high is not None:
            yield "      args:"
            yield f"        low: {_number(one.low)}"
            yield f"        high: {_number(one.high)}"
            yield f"        level: {json.dumps(one.level)}"
            yield f"        items: {one.counts.n}"


def _text(text: str) -> str:
    """Text in quotes of JSON, which YAML reads alike."""
    return json.dumps(printable(text))


def _number(value: float | None) -> str:
    """Number without the last digits of its binary form."""
    return json.dumps(None if value is None else round(value, 6))
