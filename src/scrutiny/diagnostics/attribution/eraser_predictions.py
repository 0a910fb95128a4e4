"""A file of predictions in ERASER's format, from the explanations that a run kept.

References
----------
J. DeYoung et al. (2020). ERASER: a benchmark to evaluate rationalized NLP models. ACL.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.errors import DataError
from scrutiny.data.readers.eraser import annotated_texts, token_places
from scrutiny.diagnostics.attribution.plausibility import spans_in
from scrutiny.diagnostics.attribution.removal import KEPT
from scrutiny.store.files import save_text
from scrutiny.store.stored_forms import packed_in


def write_eraser_predictions(
    run: str | Path, annotations: str | Path, out: str | Path, *, method: str, share: float = 0.2
) -> int:
    """Write what a run's explanations name as predicted rationales, as ERASER's scorer reads them.

    Each line has the answer that is explained, a soft rationale (a score for each token of the
    document, the sum over its words) and a hard one (the tokens with the highest scores above 0).
    `scrutiny.diagnostics.attribution.eraser_scores.eraser_scores` scores the file.

    Parameters
    ----------
    run
        Folder of a run of ``attribution`` on ``eraser:ANNOTATIONS``; of several models or seeds
        the first that explains a text counts.
    annotations
        The file of annotations that the run was about, with its documents beside it.
    out
        File that is written.
    method
        Name of a method of the run, such as ``occlusion``.
    share
        Share of a document's tokens that a hard rationale has at most, from 0 to 1; at least one
        token.

    Returns
    -------
    int
        Lines written: the run keeps some texts with their scores, not all (parameter ``kept``).

    Raises
    ------
    DataError
        If the run kept no scores of this method for these annotations.

    Notes
    -----
    **Misleads when**: a score of the file is read as one of all annotations: it is of those kept.
    """
    if not 0 < share <= 1:
        raise DataError(f"share is above 0 and at most 1, not {share}.")
    texts = annotated_texts(Path(annotations))
    found: dict[str, dict[str, Any]] = {}
    methods: set[str] = set()
    for one in packed_in(Path(run), KEPT):
        methods |= {*one["scores"]}
        if one["item"] in texts and method in one["scores"]:
            found.setdefault(one["item"], one)
    if not found:
        raise DataError(
            f"{run} keeps no scores of {method} for the texts of {annotations}; it has "
            f"{', '.join(sorted(methods)) or 'no method'}."
        )
    lines = [_line(name, one, texts[name], method, share) for name, one in found.items()]
    save_text(Path(out), "".join(json_line(line) + "\n" for line in lines))
    return len(lines)


def _line(
    name: str,
    one: Mapping[str, Any],
    texts: Mapping[str, tuple[str, str]],
    method: str,
    share: float,
) -> dict[str, Any]:
    """Prediction for one annotation."""
    rationales = []
    for field, (document, text) in texts.items():
        soft = _of_tokens(text, [*_placed(one, method, field, text)])
        most = max(1, int(share * len(soft)))
        best = [int(i) for i in np.argsort(-soft, kind="stable")[:most] if soft[i] > 0]
        hard = [{"start_token": start, "end_token": end} for start, end in spans_in(best)]
        rationales.append(
            {
                "docid": document,
                "hard_rationale_predictions": hard,
                "soft_rationale_predictions": soft.tolist(),
            }
        )
    return {"annotation_id": name, "rationales": rationales, "classification": one["target"]}


def _placed(
    one: Mapping[str, Any], method: str, field: str, text: str
) -> Iterator[tuple[int, int, float]]:
    """Place and score of each word of a field; words stand in the order of the text."""
    at = 0
    for word, own, score in zip(one["words"], one["fields"], one["scores"][method], strict=True):
        if own == field:
            start = text.find(word, at)
            if start < 0:
                raise DataError(f"The text of {one['item']!r} is another than in the run.")
            at = start + len(word)
            yield start, at, score


def _of_tokens(text: str, words: list[tuple[int, int, float]]) -> Floats:
    """Sum of the scores of each token's words; a word over several tokens counts in the first."""
    places = token_places(text)
    scores = np.zeros(len(places))
    ends = np.array([end for _, end in places])
    for start, _, score in words:
        scores[int(np.searchsorted(ends, start, side="right"))] += score
    return scores
