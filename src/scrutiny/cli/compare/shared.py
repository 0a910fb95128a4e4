"""The report of shared invariances, and of how alike the vectors of two models are."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from scrutiny.diagnostics.invariance.parts import kept_part
from scrutiny.diagnostics.similarity.parts.likeness import likeness_chart
from scrutiny.parts.part import Chapter, Part
from scrutiny.run.comparing.shared import SharedInvariances

SHARED: Final = Chapter(
    "shared",
    "Shared invariances",
    "Texts were changed so that one model answers as before, and the other was asked about them, "
    "too.",
)
VECTORS: Final = Chapter(
    "likeness", "How alike the vectors of the last layers are", "Told, and never decides."
)


def shared_parts(shared: SharedInvariances) -> Iterator[Part]:
    """A part for each direction, the judged one first, and one for the vectors."""
    if shared.judged:
        yield kept_part(shared.judged, "kept-of-the-first", chapter=SHARED)
    back = [one for one in shared.kept if one not in shared.judged]
    if back:
        one = kept_part(back, "kept-of-the-second", chapter=SHARED)
        yield replace(one, title=f"{one.title} (told, not judged)")
    if shared.likened or shared.findings:
        charts = tuple(likeness_chart(shared.likened, "vectors-chart", "Likeness"))
        facts = tuple((f.verdict, f"{f.claim.says}; {f.reason}") for f in shared.findings)
        title = "Vectors of the last layers"
        yield Part("vectors", title, "", charts, chapter=VECTORS, facts=facts)
