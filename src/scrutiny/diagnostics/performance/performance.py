"""The performance diagnostic: the task's score with its interval, against no skill."""

from collections.abc import Iterable

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, NoParams, RowKind
from scrutiny.core.expressions import expression_in_words
from scrutiny.core.record import Row
from scrutiny.tasks.scores import score_of


class Performance(Diagnostic[NoParams]):
    """The task's score on the data as it is, with its interval.

    **Measures**: how good the model is here, against what the commonest label would get.

    **Misleads when**: the texts stand in what the model was trained on (see leakage); gold labels
    are wrong.

    **References**: the interval is described in ``docs/statistics.md``.
    """

    id = "performance@1"
    needs = frozenset({"predict"})
    reads_answers_only = True

    def design(self, params: NoParams, inputs: Inputs) -> Design:
        """One estimate, and the claim that it lies above chance."""
        scored = score_of(inputs.task)
        return Design(
            estimates=(
                EstimateSpec("level", scored.level),
                *(EstimateSpec(metric, metric) for metric in (*scored.also, *scored.alone)),
            ),
            claims=(
                Claim(
                    id="skill",
                    says=f"{expression_in_words(scored.level)} exceeds the {inputs.data.chance:.3g}"
                    " of no skill",
                    components=(Component("level", inputs.data.chance, "reference"),),
                    checks=("items", "seeds", "datasets"),
                    needs_control=False,
                    is_headline=True,
                ),
            ),
            notes=tuple(filter(None, (f"No skill is {scored.no_skill}.", scored.note))),
        )

    def measure(self, params: NoParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """One row for each item."""
        for example, answer in zip(batch.examples, ctx.predict(batch.examples), strict=True):
            found: tuple[float, ...] | Failure
            if isinstance(answer, Failure):
                found = answer
            elif example.gold is None:
                found = Failure("no_gold", status="skipped")
            else:
                found = ctx.task.score(example.gold, answer, labels=ctx.labels)
            yield RowKind().row(example.id, found)
