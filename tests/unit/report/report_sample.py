"""A finished run as the report reads it, made up: 18 changes, 5 replicates, every verdict."""

import math
from dataclasses import replace
from random import Random

from scrutiny.blocks.cases import Evidence, EvidenceItem, ReplicateAnswers
from scrutiny.blocks.run_view import DatasetLine, DiagnosticNotes, Missing, RunFacts, RunView
from scrutiny.core.claim import Check, Claim, Component, Finding
from scrutiny.core.edit import Edit
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import Counts
from scrutiny.stats.agreement.flips import FlipCounts

KIND = "robustness@1#5f3a9c"
SUBJECT = "sentiment"
DATASET = "reviews"
REPLICATES = tuple(f'{{"seed":{seed}}}' for seed in range(1, 6))
CHANGES = {  # drop of accuracy, drop beyond the control, planned, skipped, refused
    "typos": (0.081, 0.052, 640, 0, 0),
    "reverse_negation": (0.214, 0.183, 640, 402, 12),
    "antonym_swap": (0.142, 0.101, 640, 311, 7),
    "keyboard": (0.034, 0.012, 640, 0, 0),
    "ocr": (0.028, 0.009, 640, 4, 0),
    "spelling_error": (0.019, 0.006, 640, 88, 0),
    "social_media": (0.022, 0.008, 640, 215, 0),
    "contraction": (0.004, 0.001, 640, 350, 0),
    "insert_adverb": (0.002, -0.021, 640, 51, 3),
    "punctuation": (0.001, -0.024, 640, 0, 0),
    "word_case": (0.003, -0.031, 640, 0, 0),
    "tense": (0.006, -0.019, 640, 77, 5),
    "number_swap": (0.001, -0.028, 640, 490, 0),
    "entity_swap": (0.002, -0.030, 640, 533, 0),
    "name_place_swap": (0.000, -0.033, 640, 561, 0),
    "append_irrelevant": (0.005, -0.022, 640, 0, 0),
    "synonym_wordnet": (0.007, -0.017, 640, 30, 41),
    "masked_lm": (None, None, 640, 0, 0),
}
TEXTS = (
    ("The crew was friendly and the room was clean.", "friendly", "freindly", "positive"),
    ("I would not stay here again, the bed was awful.", "awful", "awfull", "negative"),
    ("Our waiter forgot two orders & never said sorry.", "forgot", "frogot", "negative"),
    ("A charming little museum, worth the detour.", "charming", "charmnig", "positive"),
)


def sample():
    """The whole run."""
    random = Random(7)
    pairs = [_robustness(name, random) for name in CHANGES]
    extra = _performance()
    estimates = [e for f in pairs for e in (f.estimate, f.control) if e is not None]
    estimates += [_control_level(f, random) for f in pairs if f.estimate is not None]
    return RunView(
        facts=FACTS,
        manifest={"version": "0.1.0", "plan": {"seed": 0}, "data": {"reviews": "sha256:3fd1"}},
        estimates=(extra.estimate, *extra_levels(random), *estimates, _leakage()),
        findings=(extra, *pairs),
        evidence={f.claim.id: evidence(f.claim.id, random) for f in pairs if f.estimate},
        notes=NOTES,
        datasets=(
            DatasetLine("reviews", "builtin:reviews", 640, "b3:41ac09", "0 of 640 texts in any"),
        ),
        missing=(
            Missing(KIND, "reverse_negation@1", "skipped", "no_negation", 402),
            Missing(KIND, "synonym_wordnet@1", "refused", "grammar", 41),
        ),
        families={"robustness": "changes hurt builtin:sentiment more than random change does"},
    )


def one_replicate():
    """The same run with a single model: nothing of seeds."""
    view = sample()

    def single(estimate):
        if estimate is None:
            return None
        return replace(estimate, n_replicates=1, variance={}, by_replicate={}, method="items@1")

    findings = tuple(
        replace(
            f,
            estimate=single(f.estimate),
            control=single(f.control),
            scope="this checkpoint",
            checks=(Check("items", "yes"), Check("seeds", "not run", "one replicate")),
        )
        for f in view.findings
    )
    evidence_ = {
        name: replace(
            e, flips=None, cases=tuple(replace(c, answers=c.answers[:1]) for c in e.cases)
        )
        for name, e in view.evidence.items()
    }
    estimates = tuple(single(e) for e in view.estimates)
    facts = replace(view.facts, replicates=())
    return replace(view, facts=facts, findings=findings, estimates=estimates, evidence=evidence_)


def many(count=200):
    """A run with this many findings of one family, each with its evidence."""
    random = Random(3)
    findings = []
    for i in range(count):
        base = _robustness("typos" if i % 3 else "tense", random)
        claim = replace(base.claim, id=f"rob-{i}", says=f"change {i} hurts the model a lot")
        estimate = _with_condition(base.estimate, f"change{i}@1")
        control = _with_condition(base.control, f"change{i}@1")
        findings.append(replace(base, claim=claim, estimate=estimate, control=control))
    estimates = tuple(e for f in findings for e in (f.estimate, f.control))
    shown = {f.claim.id: evidence("typos", random) for f in findings}
    return RunView(
        facts=FACTS, estimates=estimates, findings=tuple(findings), evidence=shown, notes=NOTES
    )


def empty():
    """A run that measured nothing."""
    return RunView(facts=RunFacts(path="runs/none"))


HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>\"'&{{7*7}}\x1b[31m\u202e"


def hostile():
    """The sample with markup in every text, label and claim."""
    view = sample()
    first = view.findings[1]
    claim = replace(first.claim, says=HOSTILE, id=HOSTILE, family=HOSTILE)
    estimate = replace(
        first.estimate,
        key=replace(first.estimate.key, subject=HOSTILE, condition={"x": HOSTILE}, dataset=HOSTILE),
        by_replicate={HOSTILE: 0.5, '{"seed":2}': 0.4},
        variance={HOSTILE: 1e-4, "items": 1e-4},
    )
    checks = (Check("seeds", HOSTILE, HOSTILE),)
    finding = replace(first, claim=claim, estimate=estimate, reason=HOSTILE, checks=checks)
    case = EvidenceItem(
        item=HOSTILE,
        dataset=HOSTILE,
        variant="v",
        source=HOSTILE,
        gold=HOSTILE,
        fields={HOSTILE: HOSTILE},
        edits=(Edit(HOSTILE, 0, 4, HOSTILE),),
        answers=(ReplicateAnswers(HOSTILE, HOSTILE, "b"),),
        turned="broken",
    )
    flips = FlipCounts((3, 1), {HOSTILE: (3.5, 0.5)})
    note = DiagnosticNotes(HOSTILE, (HOSTILE,), (HOSTILE,))
    return replace(
        view,
        facts=replace(view.facts, title=HOSTILE, command=HOSTILE, environment={HOSTILE: HOSTILE}),
        manifest={HOSTILE: HOSTILE},
        estimates=(*view.estimates, estimate),
        findings=(*view.findings, finding),
        evidence={**view.evidence, HOSTILE: Evidence((case,), flips, 1)},
        notes={"robustness": note},
        datasets=(DatasetLine(HOSTILE, HOSTILE, 1, HOSTILE, HOSTILE, (HOSTILE,)),),
        missing=(Missing(KIND, HOSTILE, HOSTILE, HOSTILE, 1),),
        families={HOSTILE: HOSTILE},
    )


def _with_condition(estimate, change):
    return replace(estimate, key=replace(estimate.key, condition={"change": change}))


FACTS = RunFacts(
    path="runs/audit-sentiment",
    title="builtin:sentiment on builtin:reviews",
    subjects=(SUBJECT,),
    command="scrutiny audit --model builtin:sentiment/seed-{seed} --data builtin:reviews --seed 0",
    seed=0,
    replicates=tuple(f"seed {seed}" for seed in range(1, 6)),
    draws=2000,
    method="crossed@1",
    level=0.95,
    version="0.1.0",
    promise="records are byte-identical for any batch size and number of workers",
    environment={"python": "3.11.7", "numpy": "2.3.0", "device": "cpu"},
)

NOTES = {
    "robustness": DiagnosticNotes(
        "How much accuracy falls when the wording changes and the answer should not.",
        (
            "Each of 640 texts was changed once by each of 18 changes, seed 0.",
            "Beside each change stands a control: as many random edits of the same size.",
        ),
        ("A change that alters the meaning counts as an error of the model.",),
    )
}


def _estimate(value, half, *, metric, role="measured", condition=None, counts=None, seed_share=0.4):
    key = EstimateKey(KIND, metric, SUBJECT, DATASET, role=role, condition=condition or {})
    spread = half / 2.2
    offsets = (-1.1, -0.4, 0.1, 0.5, 0.9)
    variance = spread**2
    return Estimate(
        key=key,
        value=value,
        low=value - half,
        high=value + half,
        level=0.95,
        method="crossed@1",
        counts=counts or Counts(640),
        n_units=(counts or Counts(640)).n,
        n_replicates=5,
        variance={
            "seeds": variance * seed_share,
            "items": variance * (0.9 - seed_share),
            "both": variance * 0.1,
        },
        by_replicate={
            name: value + offset * spread * math.sqrt(5 * seed_share)
            for name, offset in zip(REPLICATES, offsets, strict=True)
        },
        resample_id="r1",
    )


def _robustness(name, random):
    drop, excess, planned, skipped, refused = CHANGES[name]
    claim = Claim(
        id=name,
        says=f"{name.replace('_', ' ')} hurts builtin:sentiment more than random change does",
        diagnostic=KIND,
        components=(Component(f"{name}.excess", 0.01, "control: random change"),),
        family="robustness",
    )
    if drop is None:
        return Finding(
            claim, None, "refused", "this checkpoint", "needs the extra hf, which is not installed"
        )
    counts = Counts(planned - skipped - refused, skipped=skipped, refused=refused)
    half = 0.9 / math.sqrt(counts.n) * random.uniform(0.5, 0.8)
    share = random.uniform(0.15, 0.75)
    condition = {"change": f"{name}@1"}
    made = {"condition": condition, "counts": counts, "seed_share": share}
    estimate = _estimate(drop, half, metric="drop(accuracy)@1", **made)
    control = _estimate(excess, half * 0.7, metric="excess(accuracy)@1", role="contrast", **made)
    verdict, reason, seeds = _decide(control)
    return Finding(
        claim=claim,
        estimate=estimate,
        verdict=verdict,
        scope="this recipe",
        reason=reason,
        checks=(
            Check("items", "yes" if verdict == "supported" else seeds),
            Check("seeds", seeds, "5 replicates"),
            Check("choices:draw", seeds, "3 draws"),
        ),
        control=control,
        p_supported=0.0004 if verdict == "supported" else 0.3,
        p_not_supported=0.001 if verdict == "not supported" else 0.6,
        minimum_detectable_effect=1.4 * (control.high - control.value),
        evidence={"control": replace(estimate.key, role="control")},
    )


def _decide(control):
    if control.low > 0.01:
        return "supported", "every interval lies beyond the limit of 0.010", "yes"
    if control.high < 0.01:
        return "not supported", "the main interval lies below the limit of 0.010", "no"
    return "undecided", "the interval straddles the limit of 0.010", "undecided"


def _control_level(finding, random):
    """The drop under the control itself."""
    main, excess = finding.estimate, finding.control
    return replace(
        _estimate(
            main.value - excess.value,
            (main.high - main.value) * random.uniform(0.6, 0.9),
            metric="drop(accuracy)@1",
            role="control",
            counts=main.counts,
        ),
        key=replace(main.key, role="control"),
    )


def _performance():
    key = EstimateKey("performance@1#000000", "accuracy@1", SUBJECT, DATASET)
    estimate = replace(_estimate(0.861, 0.021, metric="accuracy@1"), key=key)
    claim = Claim(
        "skill",
        "builtin:sentiment beats the majority class",
        key.diagnostic,
        (),
        family="skill",
        needs_control=False,
    )
    checks = (Check("items", "yes"), Check("seeds", "yes"))
    reason = "the interval lies above .50"
    return Finding(claim, estimate, "supported", "this recipe", reason, checks, None, 1e-9, 1.0)


def extra_levels(random):
    """Accuracies of a baseline and of an untrained model, claimed of by nobody."""
    for subject, role, value in (("majority", "baseline", 0.5), ("untrained", "null", 0.503)):
        key = EstimateKey("performance@1#000000", "accuracy@1", subject, DATASET, role=role)
        half = 0.02 * random.uniform(0.8, 1.2)
        yield replace(_estimate(value, half, metric="accuracy@1"), key=key)


def _leakage():
    key = EstimateKey("leakage@1#000000", "mean@1", SUBJECT, DATASET)
    made = _estimate(0.0, 0.003, metric="mean@1")
    return replace(made, key=key, low=0.0, variance={}, by_replicate={}, method="wilson@1")


def evidence(claim_id, random):
    """Four items that flipped, and how many flipped in how many replicates."""
    cases = tuple(
        EvidenceItem(
            item=f"r{i}",
            dataset=DATASET,
            variant=f"{claim_id}-0",
            source=f"reviews.tsv:{i + 2}",
            gold=gold,
            fields={"text": text},
            edits=(Edit("text", text.index(old), text.index(old) + len(old), new),),
            answers=tuple(
                ReplicateAnswers(
                    f"seed {s}", gold, "negative" if gold == "positive" else "positive"
                )
                if random.random() < 0.7
                else ReplicateAnswers(f"seed {s}", gold, gold)
                for s in range(1, 6)
            ),
            turned="broken",
        )
        for i, (text, old, new, gold) in enumerate(TEXTS)
    )
    observed = (540, 41, 22, 14, 11, 12)
    baselines = {
        "coin flip": (468.0, 148.0, 22.0, 1.9, 0.1, 0.0),
        "margin": (528.0, 58.0, 25.0, 14.0, 9.0, 6.0),
    }
    return Evidence(cases, FlipCounts(observed, baselines), 100)
