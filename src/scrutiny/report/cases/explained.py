"""Explained answers beside their cases, as pages and terminals show them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scrutiny.blocks.cases import Evidence
from scrutiny.blocks.scored_texts import ScoredText, gaps_before, shaded
from scrutiny.store.explained_answers import KeptExplanations, case_key


def scored_text(kept: Mapping[str, Any]) -> ScoredText | None:
    """An explained answer with its words shaded; None where there is none."""
    if "why" in kept:
        return None
    words, method = kept["words"], kept["method"]
    title = f"why {kept['target']}? ({method}, {kept['replicate']})"
    gaps = gaps_before(words, kept["fields"])
    title = title.replace(", single model", "")
    return shaded(title, words, kept["scores"][method], gaps, fixed=kept["fixed"])


def with_explanations(
    evidence: Evidence, model: str, dataset: str, known: KeptExplanations
) -> Evidence:
    """Evidence whose cases have their explained answers."""
    if not known:
        return evidence
    cases = []
    for case in evidence.cases:
        found = known.get(case_key(model, dataset, case.item, case.edits))
        cases.append(replace(case, explained=scored_text(found)) if found else case)
    return replace(evidence, cases=tuple(cases))
