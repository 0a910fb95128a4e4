"""Records of shared invariances: of the unchanged items, and of their changed texts.

===================  ==================  =========================================================
role                 condition           row of an item
===================  ==================  =========================================================
baseline             of=base             agreement on the item; the target's label
baseline             of=target           the target's answer against the gold answer
baseline             of=reference        the reference's
measured, control    capability, amount  searched texts; random ones with as many words changed
measured, control    … of=probabilities  labels: the same where both give probabilities: ``d``
control              … of=proposals      random texts also where the search found none: what both
                                         models mind, whatever the reference minds
measured             … of=bound          ``d`` at most, where answers leave labels to "other"
baseline             … of=self           the reference against another run of itself, where one
                                         of both is known by samples only
===================  ==================  =========================================================

Numbers of a row that it is not about are 0, and nothing reads them. An item on which no trial found
a text, though it has a place, is a row without pairs (``made`` 0): other replicates find one there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scrutiny.core.diagnostic import Context, Failure, RowKind, reference_of
from scrutiny.core.edit import Variant
from scrutiny.core.example import Example
from scrutiny.core.model import n_samples_of
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.invariance.answer_pairs import (
    NO_PAIR,
    AnswerPair,
    BothLabels,
    TrialNumbers,
    pair_of,
    simulated_rerun,
)
from scrutiny.diagnostics.invariance.generated_pairs import (
    NO_PLACE,
    NO_TEXT,
    ONLY_TEXT,
    variant_name,
)
from scrutiny.diagnostics.invariance.scope_capabilities import Generation
from scrutiny.perturb.search.moves import Origin

OF_BASE, OF_TARGET, OF_REFERENCE = ({"of": of} for of in ("base", "target", "reference"))
PROBABILITIES, SELF, BOUND = "probabilities", "self", "bound"
PROPOSALS = "proposals"
_TRIAL = (("trial", 0),)
MEASURES: tuple[Measure, ...] = (
    Measure("made", _TRIAL, "pairs"),
    Measure("inv1", _TRIAL, "pairs"),
    Measure("inv2", _TRIAL, "pairs"),
    Measure("d", _TRIAL, "L1 distance"),
    Measure("agree", _TRIAL, "pairs"),
    Measure("changed_words", _TRIAL, "words"),
    Measure(
        "agree_base",
        unit="items",
        says="agreement on base texts",
        drawn_as=(("share", "iid_agreement@1"),),
    ),
    Measure("pred_b", unit="index of a label"),
    Measure("hit_a", unit="items"),
    Measure("hit_b", unit="items"),
)
Key = tuple[str, str | None]
AnswersByText = Mapping[Key, Prediction | Failure]


@dataclass(frozen=True, slots=True)
class BothAnswers:
    """Queries and answers of both models for some items.

    Parameters
    ----------
    made
        Generations, in the order of the conditions.
    trials
        Changed texts of each.
    reference, target
        Answers by item and variant.
    labels
        Of both models.
    measures
        Of every row, with the lengths of their axes.
    ctx
        Task, random streams, and the models themselves.
    """

    made: Sequence[Generation]
    trials: int
    reference: AnswersByText
    target: AnswersByText
    labels: BothLabels
    measures: tuple[Measure, ...]
    ctx: Context

    def rows(self, example: Example, variants: Mapping[str, Variant]) -> Iterator[Row]:
        """All rows of an item."""
        item = _Item(self, example, variants, Origin(example))
        yield item.base()
        yield item.skill(OF_TARGET)
        yield item.skill(OF_REFERENCE)
        for generation in self.made:
            yield from item.pairs(generation)


Trials = list[tuple[TrialNumbers, tuple[AnswerPair, AnswerPair] | None, Variant | None]]


def is_judged_by_samples(ctx: Context) -> bool:
    """Whether invariance is judged by samples: one of the models gives no probabilities."""
    return n_samples_of(ctx.model) is not None or (
        ctx.reference is not None and n_samples_of(ctx.reference.model) is not None
    )


@lru_cache(maxsize=1024)
def _kind(role: str, items: tuple[tuple[str, object], ...]) -> RowKind:
    return RowKind.of(dict(items), role)


@dataclass(frozen=True, slots=True)
class _Item:
    asked: BothAnswers
    example: Example
    variants: Mapping[str, Variant]
    origin: Origin

    def base(self) -> Row:
        """Agreement on the unchanged item."""
        base = self._answers(None)
        if isinstance(base, Failure):
            return self._row("baseline", OF_BASE, base)
        agree = float(base[0].agrees(base[1]))
        numbers = {"agree_base": agree, "pred_b": self.asked.labels.number(base[1])}
        return self._row("baseline", OF_BASE, numbers)

    def skill(self, of: Mapping[str, str]) -> Row:
        """Measures of the task for one of the models."""
        base, task = self._answers(None), self.asked.ctx.task
        if isinstance(base, Failure):
            return self._row("baseline", of, base)
        gold = self.example.gold
        if gold is None:
            return self._row("baseline", of, Failure("no_gold", status="skipped"))
        labels = self.asked.labels.reference, self.asked.labels.target
        scores = [task.score(gold, a, labels=own) for a, own in zip(base, labels, strict=True)]
        found = scores[of is OF_TARGET]
        numbers = dict(zip((m.name for m in task.measures), found, strict=True))
        if "hit" in numbers:
            place = [m.name for m in task.measures].index("hit")
            numbers |= {"hit_a": scores[0][place], "hit_b": scores[1][place]}
        return self._row("baseline", of, numbers)

    def pairs(self, generation: Generation) -> Iterator[Row]:
        """Rows of one capability and amount."""
        condition = generation.condition
        of_scores = {**condition, "of": PROBABILITIES}
        searched = self._trials(generation)
        random = self._trials(generation, is_control=True)
        gives_labels = self.asked.ctx.task.gives_labels
        for role, trials in (("measured", searched), ("control", random)):
            yield self._of_trials(role, condition, trials, generation)
            if gives_labels:
                yield self._of_trials(role, of_scores, self._with_scores(trials), generation)
        proposed = self._trials(generation, is_control=True, is_matched=False)
        where = {**condition, "of": PROPOSALS}
        yield self._of_trials("control", where, proposed, generation)
        if not gives_labels:
            return
        if self.asked.labels.has_other:
            where = {**condition, "of": BOUND}
            bounds = self._with_scores(searched)
            if not isinstance(bounds, Failure):  # the largest distance that "other" allows
                most = self.asked.labels.at_most
                bounds = [
                    (pair if both is None else pair._replace(d=most(*both)), both, variant)
                    for pair, both, variant in bounds
                ]
            yield self._of_trials("measured", where, bounds, generation)
        if is_judged_by_samples(self.asked.ctx):
            where = {**condition, "of": SELF}
            selves = self._with_scores(self._selves(searched))
            yield self._of_trials("baseline", where, selves, generation)

    def _of_trials(
        self,
        role: str,
        condition: Mapping[str, object],
        trials: "Trials | Failure",
        generation: Generation,
    ) -> Row:
        """Row of the trials of an item; skipped if it has no place to change."""
        if isinstance(trials, Failure):
            return self._row(role, condition, trials)
        pairs = [pair for pair, *_ in trials]
        if not any(pair.made for pair in pairs):
            lacking = self._why_none(generation, is_random=role == "control")
            if lacking.reason != NO_TEXT:
                return self._row(role, condition, lacking)
        columns = zip(TrialNumbers._fields, zip(*pairs, strict=True), strict=True)
        return self._row(role, condition, dict(columns))

    def _variants(self, generation: Generation, *, is_control: bool) -> Iterator[Variant | None]:
        """Variants of a capability and amount, trial by trial."""
        for trial in range(self.asked.trials):
            name = variant_name(
                generation, trial, reference_of(self.asked.ctx), is_control=is_control
            )
            yield self.variants.get(name)

    def _why_none(self, generation: Generation, *, is_random: bool) -> Failure:
        """Why an item has no pairs."""
        searched = [v for v in self._variants(generation, is_control=False) if v]
        random = [v for v in self._variants(generation, is_control=True) if v]
        for variant in (*searched, *random):
            if variant.status == "failed":
                return Failure(variant.reason or "search")
        has_text = any(v.status == "ok" for v in searched)
        if is_random and has_text:
            return Failure("no_other_text", status="undefined")
        has_room = has_text or any(v.reason == NO_TEXT for v in searched)
        return Failure(NO_TEXT if has_room else NO_PLACE, status="skipped")

    def _trials(
        self, generation: Generation, *, is_control: bool = False, is_matched: bool = True
    ) -> "Trials | Failure":
        """Numbers and answers of every trial; one failure fails all.

        A random text is a control only beside a searched one, and if it could have been another.
        """
        base = self._answers(None)
        if isinstance(base, Failure):
            return base
        found: Trials = []
        searched = self._variants(generation, is_control=False)
        for variant, of in zip(
            self._variants(generation, is_control=is_control), searched, strict=True
        ):
            is_only = variant is not None and variant.reason == ONLY_TEXT
            is_left = is_matched and (of is None or of.status != "ok" or is_only)
            if variant is None or variant.status != "ok" or is_left:
                found.append((NO_PAIR, None, None))
                continue
            changed = self._answers(variant.name)
            if isinstance(changed, Failure):
                return changed
            of_each = (base[0], changed[0]), (base[1], changed[1])
            numbers = pair_of(
                *of_each,
                example=self.example,
                edits=variant.edits,
                labels=self.asked.labels,
                words=self.origin.words_changed(variant.edits),
            )
            found.append((numbers, of_each, variant))
        return found

    def _with_scores(self, trials: "Trials | Failure") -> "Trials | Failure":
        """The trials, if every pair has probabilities to compare."""
        if isinstance(trials, Failure):
            return trials
        if self.asked.labels.order is None:
            return Failure("other_labels", status="undefined")
        base = self._answers(None)
        if isinstance(base, Failure):
            return base
        if not all(answer.scores for answer in base):
            return Failure("no_probabilities", status="undefined")
        for _, both, _ in trials:
            if both is not None and self.asked.labels.changes(*both) is None:
                return Failure("no_probabilities", status="undefined")
        return trials

    def _selves(self, trials: "Trials | Failure") -> "Trials | Failure":
        """The same texts for a simulated other run of the reference, from its samples."""
        if isinstance(trials, Failure):
            return trials
        ctx, labels = self.asked.ctx, self.asked.labels.reference
        sizes = n_samples_of(reference_of(ctx).model), n_samples_of(ctx.model)
        rng = ctx.rng("invariance", "self@1", self.example.id)
        found: Trials = []
        for _, both, variant in trials:
            if both is None or variant is None:
                found.append((NO_PAIR, None, None))
                continue
            one, other = (simulated_rerun(both[0], labels, n_samples=n, rng=rng) for n in sizes)
            numbers = pair_of(
                one,
                other,
                example=self.example,
                edits=variant.edits,
                labels=BothLabels(labels, labels),
                words=0,
            )
            found.append((numbers, (one, one), variant))
        return found

    def _answers(self, name: str | None) -> AnswerPair | Failure:
        """Both models' answers to a changed text, or to the item; None is its name."""
        missing = Failure("not_asked")
        one = self.asked.reference.get((self.example.id, name), missing)
        other = self.asked.target.get((self.example.id, name), missing)
        if isinstance(one, Failure):
            return one
        return other if isinstance(other, Failure) else (one, other)

    def _row(
        self,
        role: str,
        condition: Mapping[str, object],
        found: Mapping[str, float | tuple[float, ...]] | Failure,
    ) -> Row:
        kind = _kind(role, tuple(condition.items()))
        return kind.named_row(self.example.id, self.asked.measures, found)
