"""Audit plan: measurements of a profile for a model and its data, at modest budgets."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scrutiny.blocks.labels import short_names
from scrutiny.core.boundary.json_text import canonical_json, plain
from scrutiny.core.claim import Claim, Component, Risk
from scrutiny.core.diagnostic import Diagnostic, applies, fits
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.expressions import expression_in_words
from scrutiny.core.facts import wanted_in_words
from scrutiny.core.languages import in_words, may_be
from scrutiny.core.model import Family
from scrutiny.core.plan import (
    DataPlan,
    EstimatePlan,
    MeasurePlan,
    ModelPlan,
    Plan,
    Resampling,
)
from scrutiny.core.plugin_base import family_name
from scrutiny.core.record import grouped
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.data.dataset import Dataset
from scrutiny.data.reading import OnBadRow
from scrutiny.models.strings.model_families import expand
from scrutiny.reliability.metrics import metric_of
from scrutiny.run.planning.audit_profiles import LANGUAGE, SHIP, Profile, profile_of
from scrutiny.run.planning.loading import Opened
from scrutiny.run.planning.measurements import compares, lacks_training
from scrutiny.tasks.scores import score_of
from scrutiny.tasks.tasks import load_task

#: What a model offers an audit beside its capabilities: that changed texts can be asked.
_OTHER_TEXTS: Final = "other texts"
#: That it is behind a URL, where each text costs.
_REMOTE: Final = "remote"
#: And that its answers cannot be compared with gold ones.
_UNSCORED: Final = "unscored"
#: Said where there is nothing to audit, by commands that need data as well.
WHICH_DATA: Final = (
    'Say which data: --data builtin:reviews, or --data "csv:dev.csv#text=sentence,label=label".'
)
#: Said of diagnostics that read the training data, where none are named.
NO_TRAINING: Final = "{} was left out: it needs what the model was trained on (--training STRING)."
#: The front page needs p-values below .05 / 2 / 40: at least 2,000 draws.
AUDIT_DRAWS = 4_000
#: Skill (label by label, with its confidence) and leakage are what other rows presuppose: first.
_FIRST = ("performance", "classes", "calibration", "labels", "leakage")


def audit_plan(
    models: Sequence[ModelPlan],
    data: Sequence[DataPlan],
    *,
    opened: Opened | None = None,
    on_bad_row: OnBadRow = "skip",
    only: Sequence[str] = (),
    reference: ModelPlan | None = None,
    profile: str | Profile = "",
) -> Plan:
    """Plan of every diagnostic of a profile that applies, on the data or on its own data.

    Parameters
    ----------
    models, data
        Models to audit; one is loaded to detect its capabilities. Without data, a diagnostic is
        measured on what it brings.
    opened
        What the command has open: it goes on with it.
    on_bad_row
        What is done with rows that cannot be read.
    only
        Names of diagnostics, whatever the profile, where not all are wanted.
    reference
        Model that each is measured beside, itself among them; without one, diagnostics of two
        models are left out.
    profile
        Name of the profile, the newest of its name where no version stands ("ship@1"); by default
        "ship", and "language" without data; or a profile itself.

    Raises
    ------
    PlanError
        If nothing of it applies.
    UnknownNameError
        If there is no such profile.
    """
    named = profile or (SHIP if data else LANGUAGE)
    wanted = named if isinstance(named, Profile) else profile_of(named)
    beside = () if reference is None else (reference,)
    everyone = {model.name: model for model in (*beside, *models)}
    opened = opened or Opened()
    opened.expect(map(_first, everyone.values()))
    read = {d.name: opened.dataset(d, on_bad_row) for d in data}
    tasks = {name: load_task(dataset.task) for name, dataset in read.items()}
    suites = {name for name, dataset in read.items() if dataset.is_suite}
    declared = {
        (name, d): (task, _offered(model, task, opened))
        for name, model in everyone.items()
        for d, task in tasks.items()
    }
    offered = {capability for _, offers in declared.values() for capability in offers}
    offered |= (set() if reference is None else {"reference"}) | ({"suite"} if suites else set())
    own = {model.name for model in models}
    there = {d.name: d for d in data}
    measures: list[MeasurePlan] = []
    foreign: dict[str, list[str]] = {}
    chosen = _chosen(wanted, only, {"", *offered} if data else None)
    for name in chosen:
        diagnostic = registry().load("diagnostic", name)()
        fitting = [
            (model, dataset)
            for (model, dataset), found in declared.items()
            if (dataset in suites) == diagnostic.of_suites
            and _fits(diagnostic, *found)
            and not lacks_training(diagnostic, tasks[dataset], there[dataset])
        ]
        if diagnostic.searches and wanted.diagnostics and not only:
            fitting = [pair for pair in fitting if _REMOTE not in declared[pair][1]]
        second = ""
        if diagnostic.wants_reference:
            if reference is None:
                continue
            second = reference.name
            fitting = [(m, d) for m, d in fitting if (second, d) in fitting]
        else:
            fitting = [pair for pair in fitting if pair[0] in own]
        planned = _measures(name, diagnostic, fitting, tasks)
        if not planned and not second:
            able = {m for (m, _), (_, offers) in declared.items() if diagnostic.needs <= offers}
            asked = [model for model in models if model.name in able or not data]
            planned = _on_own_data(name, diagnostic, asked, opened)
            brought = DataPlan(diagnostic.audit_data, diagnostic.audit_data)
            if planned and not may_be(opened.dataset(brought).languages, _spoken(read)):
                foreign.setdefault(brought.name, []).append(name)
                planned = []
            there |= {d: DataPlan(d, d) for m in planned for d in m.data}
        measures += [wanted.stated(replace(m, reference=second)) for m in planned]
    told = {m.diagnostic for m in measures}.union(*foreign.values())
    unasked = [name for name in chosen if name not in told and (only or wanted.diagnostics)]
    left_out = (
        *_left_out(foreign, read, opened),
        *_misfits(unasked, tasks, are_named=bool(only)),
        *_untrained([name for name in chosen if name not in told], declared, there),
    )
    if not measures:
        said = _nothing_applies("" if only else wanted.name, data)
        raise PlanError(" ".join((*left_out, said)))
    losses = [
        loss
        for one in measures
        if family_name(one.diagnostic) == "performance"
        for loss in _on_other_data(one, everyone, read)
    ]
    return Plan(
        data=tuple(there.values()),
        models=tuple(everyone.values()),
        measure=tuple(measures),
        estimate=tuple(estimate for estimate, _ in losses),
        claim=tuple(claim for _, claim in losses),
        resampling=Resampling(draws=AUDIT_DRAWS),
        on_bad_row=on_bad_row,
        profile=wanted.name,
        left_out=left_out,
    )


def _on_other_data(
    measure: MeasurePlan, models: Mapping[str, ModelPlan], read: Mapping[str, Dataset]
) -> Iterator[tuple[EstimatePlan, Claim]]:
    """What a model loses on each further dataset of a measurement, beside the first one.

    No loss is told of models in several conditions, whose scores on one dataset are several.
    """
    first, *others = [name for name in measure.data if name in read]
    task = load_task(read[first].task).on(read[first].examples)
    if not others or task.scored_by is None:
        return
    scored = score_of(task)
    direction = metric_of(scored.level, task.measures).higher_is
    says = expression_in_words(scored.level)
    short = short_names([first, *others])
    for model in measure.models:
        several = {str(one.condition) for one in _family(models[model]).replicates}
        for other in others if len(several) == 1 and direction else ():
            name = f"loss/{model}/{other}"
            a, b = (first, other) if direction == "better" else (other, first)
            yield (
                EstimatePlan(
                    name,
                    measure.id,
                    scored.level,
                    contrast={"a": {"dataset": a}, "b": {"dataset": b}},
                    where={"subject": model},
                ),
                Claim(
                    id=name,
                    says=f"{says} is worse on {short[other]} than on {short[first]}",
                    diagnostic="performance",
                    components=(Component(name, 0.0),),
                    family="other data",
                    competence=(
                        (
                            f"{measure.id}/{model}/{first}/level",
                            task.chance([e for e in read[first].examples if e.gold is not None]),
                        ),
                    ),
                    risk=Risk(
                        f"{short[other]} instead of {short[first]}",
                        scored.tolerance,
                        "costs {} points",
                    ),
                ),
            )


def _nothing_applies(profile: str, data: Sequence[DataPlan]) -> str:
    """Sentences that say of what (a profile, or names) nothing applies, and what does."""
    if not data:
        return (
            "Without data, an audit asks a language model about stereotypes and associations, and "
            f"nothing of that applies to this model. {WHICH_DATA}"
        )
    if profile and profile_of(profile).diagnostics:
        return (
            f"No diagnostic of the profile {profile!r} applies to this model and this data. "
            "The profile study (--profile study) asks every diagnostic that does."
        )
    return (
        "No diagnostic applies to this model and this data. `scrutiny list diagnostics` says what "
        "each of them needs."
    )


def _chosen(wanted: Profile, only: Sequence[str], offered: Collection[str] | None) -> list[str]:
    """Diagnostics that are named, or else of the profile, if what they need is offered; in order.

    ``offered`` is None where nothing is known of it.
    """
    found = []
    for name in in_page_order(registry().names("diagnostic")):
        entry = registry().entry("diagnostic", name)
        names = {name, name.partition("@")[0]}
        named = names & {*only, *wanted.also} if only else wanted.has(entry)
        if named and (offered is None or entry.registration.needs in offered):
            by_itself = not registry().load("diagnostic", name).only_when_named
            if by_itself or names & {*only, *wanted.also}:
                found.append(name)
    return found


def _misfits(
    unasked: Sequence[str], tasks: Mapping[str, Task], *, are_named: bool
) -> Iterator[str]:
    """A sentence on diagnostics that measure other items than are there, by what they measure.

    Of those that the user did not name, only what has a reason is worth a sentence.
    """
    loaded = ((name, registry().load("diagnostic", name)()) for name in unasked if tasks)
    misfits = grouped(
        ((wanted_in_words(one.wants), one.why_only), name.partition("@")[0])
        for name, one in loaded
        if not any(fits(one, task) for task in tasks.values()) and (are_named or one.why_only)
    )
    here = ", ".join(dict.fromkeys(str(task.facts) for task in tasks.values()))
    for (measured, why), names in misfits.items():
        verb = "was left out: it measures" if len(names) == 1 else "were left out: they measure"
        yield (
            f"{', '.join(names)} {verb} {measured}, and these data are of {here}"
            f"{': ' * bool(why)}{why}."
        )


def in_page_order(names: Sequence[str]) -> list[str]:
    """Names of diagnostics that an audit plans, in page order."""
    rank = {name: place for place, name in enumerate(_FIRST)}
    return sorted(names, key=lambda name: (rank.get(name.partition("@")[0], len(rank)), name))


def _untrained(
    unasked: Sequence[str],
    declared: Mapping[tuple[str, str], tuple[Task, frozenset[str]]],
    there: Mapping[str, DataPlan],
) -> Iterator[str]:
    """A sentence on each diagnostic that was not planned because the data name no training data."""
    for name in unasked:
        diagnostic = registry().load("diagnostic", name)()
        fitting = [(d, found) for (_, d), found in declared.items() if _fits(diagnostic, *found)]
        if any(lacks_training(diagnostic, task, there[d]) for d, (task, _) in fitting):
            yield NO_TRAINING.format(name.partition("@")[0])


def _measures(
    name: str,
    diagnostic: Diagnostic[Any],
    fitting: Sequence[tuple[str, str]],
    tasks: Mapping[str, Task],
) -> list[MeasurePlan]:
    """One measurement for all that fits; one per dataset if models or tasks differ."""
    by_data = grouped((dataset, model) for model, dataset in fitting)
    groups: dict[str, tuple[list[str], list[str], Any]] = {}
    for dataset, models in by_data.items():
        params = plain(diagnostic.audit_params(tasks[dataset]))
        alike = groups.setdefault(canonical_json([models, params]), (models, [], params))
        alike[1].append(dataset)
    short = name.partition("@")[0]
    return [
        MeasurePlan(
            id=short if len(groups) == 1 else f"{short}-{datasets[0]}",
            diagnostic=name,
            models=tuple(models),
            data=tuple(datasets),
            params=params,
            is_audit=True,
        )
        for models, datasets, params in groups.values()
    ]


def _on_own_data(
    name: str, diagnostic: Diagnostic[Any], models: Sequence[ModelPlan], opened: Opened
) -> list[MeasurePlan]:
    """Measurement on a diagnostic's own data, if the audited data does not fit."""
    source = diagnostic.audit_data
    if not source:
        return []
    task = load_task(opened.dataset(DataPlan(source, source)).task)
    fitting = []
    for model in models:
        try:
            offers = _offered(model, task, opened)
        except ModelError:  # an adapter that knows other tasks only
            continue
        is_of_kind = not diagnostic.audit_asks or diagnostic.audit_asks & offers
        if is_of_kind and _fits(diagnostic, task, offers):
            fitting.append((model.name, source))
    return _measures(name, diagnostic, fitting, {source: task})


def _left_out(
    foreign: Mapping[str, Sequence[str]], read: Mapping[str, Dataset], opened: Opened
) -> tuple[str, ...]:
    """Sentence about diagnostics whose own data is in another language; or nothing.

    Parameters
    ----------
    foreign
        Their names, by the data that they bring.
    read
        The audited data.
    """
    if not foreign:
        return ()
    own = {code for s in foreign for code in opened.dataset(DataPlan(s, s)).languages}
    names = sorted(name.partition("@")[0] for several in foreign.values() for name in several)
    is_one = len(names) == 1
    return (
        f"{', '.join(names)} {'was' if is_one else 'were'} left out: the sentences that "
        f"{'it brings' if is_one else 'they bring'} ({', '.join(foreign)}) are in {in_words(own)}, "
        f"and the texts of {', '.join(read)} in {in_words(_spoken(read))}. To ask the model about "
        f"them all the same, add --data {' --data '.join(foreign)}.",
    )


def _spoken(read: Mapping[str, Dataset]) -> frozenset[str]:
    """Languages of datasets."""
    return frozenset(code for dataset in read.values() for code in dataset.languages)


def _fits(diagnostic: Diagnostic[Any], task: Task, offers: frozenset[str]) -> bool:
    """Whether a diagnostic applies, and asks nothing of a model that it cannot be asked."""
    can_be_asked = _OTHER_TEXTS in offers or not diagnostic.asks_other_texts
    can_be_told = _UNSCORED not in offers or not compares(diagnostic)
    return can_be_asked and can_be_told and applies(diagnostic, task, offers)


def _offered(model: ModelPlan, task: Task, opened: Opened) -> frozenset[str]:
    """What a model offers for a task: its capabilities, and what can be done with it besides."""
    card = opened.card(model.name, _first(model), task)
    others = {_OTHER_TEXTS} if card.answers_other_texts else set()
    others |= {_UNSCORED} if card.unscored else set()
    others |= {_REMOTE} if card.is_remote else set()
    return card.capabilities | others


def _first(model: ModelPlan) -> str:
    """Model string of the first replicate."""
    return _family(model).replicates[0].source


def _family(model: ModelPlan) -> Family:
    """Replicates of a model of the plan."""
    return expand(model.source, random=model.random, name=model.name, seeds=model.seeds)
