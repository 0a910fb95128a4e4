"""Task runner: executes one task in any process."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from time import perf_counter
from typing import Any, cast

import pyarrow as pa

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.boundary.printable import writable
from scrutiny.core.boundary.secrets import redacted
from scrutiny.core.diagnostic import Batch, Cell, ChangesTexts, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.long_runs import seldom_collected
from scrutiny.core.model import Model, Replicate
from scrutiny.core.queries.remote import RemoteModel, Spent
from scrutiny.models.answers.isolation import errors_named, exits_refused, isolated
from scrutiny.models.python.object_digest import ObjectReading, read_object
from scrutiny.models.strings.adapters import without_limits
from scrutiny.run.asking.answer_store import Pace, TaskStore
from scrutiny.run.asking.client import MOST_TOLD, ModelClient
from scrutiny.run.asking.identity_check import FORMS, Witnesses, memo_name, must_be_the_same
from scrutiny.run.asking.missing_answers import Tally, unanswered_table
from scrutiny.run.executing.context import AskedReference, RunContext
from scrutiny.run.executing.equal_rows import EqualRows, equal_rows
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.run.planning.resolved import Resolved, TaskSpec
from scrutiny.store.database import Block, from_bytes
from scrutiny.store.run_tables import (
    ARRAYS,
    OUTPUTS,
    TIMINGS,
    array_table,
    outputs_table,
    records_table,
    variants_of,
    variants_table,
)

_KEPT_BATCHES = 4
_MOST_SAID = 2_000  # letters of a model's message


class TaskRunner:
    """Task runner of one resolved plan."""

    def __init__(
        self,
        resolved: Resolved,
        store: TaskStore,
        models: LoadedModels,
        *,
        run_id: str,
    ) -> None:
        self._resolved = resolved
        self._store = store
        self._models = models
        self._run_id = run_id
        self._batches: OrderedDict[str, Batch] = OrderedDict()
        self._witnesses: dict[str, dict[str, Witnesses]] = {}
        self._paces: dict[str, Pace] = {}

    def execute(self, task: TaskSpec, prepared: bytes | None = None) -> Block:
        """Result of a task: variants, or records with outputs, and durations."""
        with exits_refused(self._source(task)), seldom_collected():
            return self._prepare(task) if task.stage == "prepare" else self._measure(task, prepared)

    def ask_again(self, family: str, dataset: str, position: int) -> None:
        """Load a replicate that this run has queried, and check that it is the same.

        Raises
        ------
        ModelError
            If it is not.
        """
        replicate = self._resolved.families[family].replicates[position]
        with exits_refused(replicate.source), seldom_collected():
            self._client(family, dataset, replicate).ask_again()

    def _source(self, task: TaskSpec) -> str:
        """Origin of the code that runs in a task."""
        families = self._resolved.families
        if task.family:
            return families[task.family].replicates[task.replicate].source
        return families[task.reference[0]].source if task.reference else task.id

    def _prepare(self, task: TaskSpec) -> Block:
        start = perf_counter()
        measurement = self._resolved.measurements[task.measure]
        reference = self._reference(task)
        context = self._context(task, reference=reference)
        context.dataset = measurement.examples[task.dataset]
        examples = context.dataset[task.start : task.stop]
        changing = cast("ChangesTexts[Any]", measurement.diagnostic)
        variants = list(changing.prepare(measurement.params, examples, context))
        table = variants_table(measurement.kind, task.dataset, variants)
        tallies = [] if reference is None else [reference.tally]
        return {"variants": table, "timings": _timing(task, perf_counter() - start, tallies)}

    def _measure(self, task: TaskSpec, prepared: bytes | None) -> Block:
        measurement = self._resolved.measurements[task.measure]
        replicate = self._resolved.families[task.family].replicates[task.replicate]
        client = partial(self._client, task.family, task.dataset, replicate)
        if not task.reference and prepared is None:
            model, _ = self._models.get(
                task.family, replicate.source, self._resolved.tasks[task.dataset]
            )
            items, own = measurement.examples[task.dataset], (task.start, task.stop)
            equal = equal_rows(measurement.diagnostic, model, items, *own)
            if equal and (block := self._measured(task, client(), equal.batch, equal=equal)):
                return block
        block = self._measured(task, client(), self._batch(task, prepared))
        assert block is not None  # each item has its own rows
        return block

    def _measured(
        self, task: TaskSpec, client: ModelClient, batch: Batch, *, equal: EqualRows | None = None
    ) -> Block | None:
        """Result of measuring these items; None if they do not stand for others after all."""
        start = perf_counter()
        measurement = self._resolved.measurements[task.measure]
        reference = self._reference(task, items=batch.examples)
        context = self._context(task, client=client, reference=reference, items=batch.examples)
        context.dataset = measurement.examples[task.dataset]
        own, cell = self._cells(task)
        measures = self._resolved.measures(measurement, family=task.family, data=task.dataset)
        width = sum(measure.size for measure in measures)
        rows = measurement.diagnostic.measure(measurement.params, cell, batch, context)
        records = records_table(measurement.kind, cell, rows, width=width)
        seconds = perf_counter() - start
        outputs = outputs_table(own, context.outputs)
        tallies = [client.tally]
        if reference is not None:
            beside = Cell(
                reference.subject,
                reference.replicate,
                task.dataset,
                condition=reference.condition,
            )
            outputs = pa.concat_tables([outputs, outputs_table(beside, reference.outputs)])
            tallies.append(reference.tally)
        if equal is not None:
            every = equal.of_all(records), equal.of_all(outputs)
            if every[0] is None or every[1] is None:
                return None
            records, outputs = every
            client.tally.cached += len(equal.places) - len(batch.examples)
        return {
            "records": records,
            "outputs": outputs,
            "timings": _timing(task, seconds, tallies),
            **unanswered_table(tallies),
            **{ARRAYS + name: array_table(value) for name, value in context.arrays.items()},
        }

    def not_asked(self, task: TaskSpec) -> Block:
        """Result of a task that is not asked: its items are skipped in all that estimates read."""
        measurement = self._resolved.measurements[task.measure]
        _, cell = self._cells(task)
        about = (task.measure, task.family, task.dataset)
        read = dict.fromkeys(
            RowKind.of(selector.condition, selector.role)
            for one in self._resolved.assignments
            if (one.measure, one.subject, one.dataset) == about
            for selector in one.sides.values()
        )
        skipped = Failure("no_skill", status="skipped")
        items = measurement.examples[task.dataset][task.start : task.stop]
        rows = [kind.row(item.id, skipped) for kind in read for item in items]
        records = records_table(measurement.kind, cell, rows, width=0)
        return {
            "records": records,
            "outputs": OUTPUTS.empty_table(),
            "timings": _timing(task, 0.0, []),
        }

    def _batch(self, task: TaskSpec, prepared: bytes | None) -> Batch:
        """Items of a task with their variants, if any; these are kept for the next replicate.

        Where there are more than can be kept, all others come before the same again.
        """
        examples = self._resolved.measurements[task.measure].examples[task.dataset]
        if prepared is None:
            return Batch(examples=examples[task.start : task.stop], variants={})
        if task.prepared_by not in self._batches:
            are_few = len(examples) <= _KEPT_BATCHES * (task.stop - task.start)
            while len(self._batches) >= (_KEPT_BATCHES if are_few else 1):
                self._batches.popitem(last=False)
            self._batches[task.prepared_by] = Batch(
                examples=examples[task.start : task.stop],
                variants=variants_of(from_bytes(prepared)),
            )
        self._batches.move_to_end(task.prepared_by)
        return self._batches[task.prepared_by]

    def _context(
        self,
        task: TaskSpec,
        *,
        client: ModelClient | None = None,
        reference: AskedReference | None,
        items: Sequence[Example] = (),
    ) -> RunContext:
        """Context of a task."""
        context = RunContext(
            task=self._resolved.tasks[task.dataset],
            seed=self._resolved.plan.seed,
            store=self._store,
            client=client,
            reference=reference,
            languages=self._resolved.datasets[task.dataset].languages,
            items=items,
        )
        context.read_training = partial(self._trained, task.dataset)
        return context

    def _trained(self, dataset: str) -> Sequence[Example]:
        """Items of the training set of a dataset."""
        named, of = self._resolved.plan.dataset(dataset).training, self._resolved.tasks[dataset]
        return self._resolved.training.of(named, of.name).examples if named else ()

    def _cells(self, task: TaskSpec) -> tuple[Cell, Cell]:
        """Cell of the replicate that a task measures, and the same with its paired reference."""
        family = self._resolved.families[task.family]
        own = family.replicates[task.replicate]
        cell = Cell(task.family, own.key, task.dataset, family.role, condition=own.condition)
        if not task.reference:
            return cell, cell
        name, position = task.reference
        pairs = self._resolved.measurements[task.measure].cells[task.family]
        called = (p for p in pairs if (p.position, p.reference) == (task.replicate, position))
        return cell, replace(cell, reference=name, replicate=next(called).replicate)

    def _reference(self, task: TaskSpec, items: Sequence[Example] = ()) -> AskedReference | None:
        """Reference model of a task, or ``None``."""
        if not task.reference:
            return None
        family, position = task.reference
        replicate = self._resolved.families[family].replicates[position]
        client = self._client(family, task.dataset, replicate)
        return AskedReference(client, subject=family, replicate=replicate, items=items)

    def _client(self, family: str, dataset: str, replicate: Replicate) -> ModelClient:
        task = self._resolved.tasks[dataset]
        model, reading = self._models.get(family, replicate.source, task)
        match = self._resolved.pairings[family, dataset].labels
        name = memo_name(family, replicate.source, dataset)
        with errors_named(replicate.source), isolated(replicate.source):
            fingerprint = model.fingerprint()
        # without one, answers are not shared between runs
        source = redacted(without_limits(replicate.source))
        of_this_run = canonical_json(["run", self._run_id, family, source])
        stated = fingerprint or self._read(name, model, reading)
        must_be_the_same(self._store, name, replicate.source, stated, keep=True)
        kept_as = fingerprint or of_this_run
        if isinstance(model, RemoteModel):  # the service behind a URL may change any time
            kept_as = model.asked_of() + ("" if model.is_versioned else of_this_run)
        return ModelClient(
            model,
            self._store,
            fingerprint=kept_as,
            to_data=match.in_data_words(model.labels or [*match.mapping]),
            digest=match.digest,
            witnesses=self._witnesses.get(name),
            pace=self._paces.setdefault(name, Pace()),
        )

    def _read(self, name: str, model: Model, reading: ObjectReading | None) -> str:
        """Digest of a model's object state, as it was before it answered."""
        reading = reading or read_object(model)  # it has withdrawn its fingerprint
        if not reading.is_whole and name not in self._witnesses:
            self._witnesses[name] = {
                capability: Witnesses(self._store, name, model.source, form)
                for capability, form in FORMS.items()
            }
        return reading.digest


def _timing(task: TaskSpec, seconds: float, tallies: Sequence[Tally]) -> pa.Table:
    failures = [text for tally in tallies for text in tally.failures][:MOST_TOLD]
    spent = reduce(Spent.plus, (tally.spent for tally in tallies), Spent())
    row = {
        "task": task.id,
        "seconds": seconds,
        "model_seconds": sum((tally.model_seconds for tally in tallies), 0.0),
        "asked": sum(tally.asked for tally in tallies),
        "cached": sum(tally.cached for tally in tallies),
        "failures": [writable(text[:_MOST_SAID]) for text in failures],
        "requests": spent.requests,
        "requests_again": spent.again,
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "cost": spent.cost,
        "redirects": [
            [writable(address[:_MOST_SAID]) for address in pair]
            for tally in tallies
            for pair in tally.redirects.items()
        ],
    }
    return pa.Table.from_pylist([row], schema=TIMINGS)
