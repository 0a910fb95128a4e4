"""One page of evidence: what is declared, under which conditions, and what was not tested.

It says what was measured and how anybody can check it. What follows from it for a law or a
contract is not for a tool to say.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.terminal_and_markdown import code, escape, table
from scrutiny.report.exports.declared import (
    claim_rows,
    conditions,
    declared_rows,
    open_questions,
    state_rows,
)
from scrutiny.report.first_screen.content import first_screen_of

_CHECK: Final = (
    "Digests are BLAKE2b of 128 bits: `b2sum -l 128 FILE` prints that of a file. `scrutiny report` "
    "refuses a run whose files are not those of its manifest."
)


def render_evidence(view: RunView) -> str:
    """Return the page in Markdown."""
    screen = first_screen_of(view)
    blocks = [f"# Evidence: {escape(screen.title or view.facts.title)}"]
    blocks += [f"**{escape(screen.skill)}**"] if screen.skill else []
    blocks += ["## Declared", *_declared(view)]
    blocks.append("## Conditions")
    blocks.append("\n".join(f"- {escape(name)}: `{code(said)}`" for name, said in conditions(view)))
    risks = [[escape(cell) for cell in row] for row in state_rows(view)]
    if risks:
        header = ("risk", "state", "what was found", "true of")
        blocks += ["## Risks that were examined", table(header, risks)]
    claims = [[escape(cell) for cell in row] for row in claim_rows(view)]
    if claims:
        blocks += ["## Claims", table(("claim", "verdict", "true of"), claims)]
    blocks += [
        "## What was not tested, or not decided",
        "\n".join(f"- {escape(s)}" for s in _not_tested(view)),
    ]
    blocks += ["## Hashes", _CHECK, table(("what", "digest"), [*_hashes(view.manifest)])]
    return "\n\n".join(blocks) + "\n"


def _declared(view: RunView) -> Iterator[str]:
    """Main numbers with limits, what the interval is about, and the claims in sentences."""
    rows = [[escape(cell) for cell in row] for row in declared_rows(view)]
    if not rows:
        yield "No number was measured over all items."
        return
    yield table(("model", "data", "metric", "value", "items"), rows, right=(3, 4))
    facts = view.facts
    is_of_recipe = len(facts.replicates) > 1 and "crossed" in facts.method
    who = "other trainings of the same recipe" if is_of_recipe else "the models that were measured"
    yield (
        f"Brackets hold {100 * facts.level:.0f} % intervals ({facts.method or 'none'}): of other "
        f"items like these, and of {who}."
    )


def _not_tested(view: RunView) -> Iterator[str]:
    """What the run did not answer, and what no run can."""
    yield from open_questions(view)
    asked = {estimate.key.diagnostic_name for estimate in view.all_estimates}
    yield f"Nothing was measured but: {', '.join(sorted(asked)) or 'nothing'}."
    for data in view.datasets:
        language = f" in {data.language}" if data.languages else ""
        yield f"Other inputs than items like the {data.size} of {data.name}{language}."
        yield f"Overlap of {data.name} with training text: {data.overlap}."


def _hashes(manifest: Mapping[str, Any]) -> Iterator[list[str]]:
    """What a reader compares: plan, data, models, and each file of the run."""
    yield ["plan (identity of the run)", f"`{code(str(manifest.get('identity', '')))}`"]
    if "digest" in manifest:
        told = str(manifest["digest"]).rpartition(" ")[2]
        yield ["manifest.json (of its content)", f"`{code(told)}`"]
    for kind in ("data", "models"):
        for name, own in manifest.get(kind, {}).items():
            print_of = own.get("fingerprint", "") if isinstance(own, Mapping) else str(own)
            if print_of:
                yield [f"{escape(kind.removesuffix('s'))} {escape(name)}", f"`{code(print_of)}`"]
    for name, own in sorted(manifest.get("files", {}).items()):
        if not name.startswith("arrays/"):
            yield [escape(name), f"`{code(str(own.get('digest', '')))}`"]
