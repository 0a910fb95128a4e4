"""What compare says as parts: a page of one file, everything escaped, tables under charts."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from scrutiny.blocks.terminal_and_markdown import part_lines
from scrutiny.core.claim import Claim, Component, Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import Counts
from scrutiny.diagnostics.invariance.kept_answers import KeptAnswers
from scrutiny.diagnostics.similarity.likeness_chart import Likened
from scrutiny.diagnostics.similarity.side_by_side.sides import UNKNOWN, FlippedItems, Noise
from scrutiny.diagnostics.similarity.side_by_side.sides_agreement import (
    Agreed,
    DifferingInput,
    SidesAgreement,
)
from scrutiny.report.compare.certified import certified
from scrutiny.report.compare.headline import headline, verdicts
from scrutiny.report.compare.output import objects_of
from scrutiny.report.compare.page import cards_of, scales_of
from scrutiny.report.compare.sections import parts_of
from scrutiny.report.page import LARGEST, render_parts, static
from scrutiny.run.comparing.changed_slices import LevelChange
from scrutiny.run.comparing.comparison_results import (
    Level,
    SharedInvariances,
    ShownChange,
    SideBySide,
)
from scrutiny.run.comparing.paired_numbers import RunComparison
from scrutiny.stats.significance.exact_tests import ExactTest

VOID = {"meta", "br", "img", "input", "link", "hr", "line", "circle"}
HOSTILE = "<script>alert('x')</script><img src=x onerror=y>{{7*7}}"


class Outline(HTMLParser):
    """Tags, ids and texts outside of scripts; every tag has to close."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in {"script", "style"}:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())

    @property
    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]


def estimate(value, low, high, metric="hard_scope@1"):
    key = EstimateKey("invariance.scope@1#a", metric, "v2", "dev", reference="v1")
    return Estimate(key, value, low, high, 0.95, "crossed@1", Counts(n=90, skipped=10), 90)


def finding(metric="accuracy@1", verdict="supported", value=0.1):
    claim = Claim("c", f"{metric} is lower in the second run", "x", (Component("e", 0.0),))
    own = estimate(value, value - 0.05, value + 0.05, metric)
    return Finding(claim, own, verdict, "this recipe", "so")


def change(name, says, before=0.9, after=0.8, p=0.2):
    return LevelChange(name, says, 40, 9, before, after, -0.2, 0.0, 0.01, p, p)


NEGATION = change("negation", "with a negation", 1.0, 0.4, 0.0001)


def differing(number, text="The soup was not fresh."):
    return DifferingInput(
        *(f"i{number}", f"dev.csv:{number}", text, "bad", "bad", "good"),
        *(1.0, 0.0, 0.7, 1.0, ("negation",)),
    )


def level(**more):
    own = Level(
        subject="v1",
        reference="v2",
        dataset="dev",
        metric="accuracy@1",
        condition="",
        difference=estimate(0.073, 0.018, 0.128),
        changes=(change("all", "of all"), NEGATION, change("question", "with a question")),
        shown=(ShownChange(NEGATION, "", ("bad", "good", 12, 24)),),
        noise=Noise("another run", 0.02, 220, 1),
        flips=FlippedItems(
            broken=estimate(0.118, 0.079, 0.166),
            mended=estimate(0.045, 0.019, 0.076),
            tests=(ExactTest(26, 0.0076, 0.0, 36, "mcnemar", "two-sided"),),
            n_pairs=1,
            answers_differ=0.164,
        ),
        disagreements=tuple(differing(k) for k in range(14)),
        detectable=0.075,
        outcome="regression",
        agreement=SidesAgreement(
            (
                Agreed("kappa@1", estimate(0.671, 0.568, 0.762), floor=0.9304),
                Agreed("jsd@1", None, "no_probabilities"),
            ),
            "another run",
        ),
    )
    return replace(own, **more)


def kept(reference, target, verdict="supported"):
    def of(*numbers):
        one = estimate(*numbers)
        condition = {"capability": "typo", "amount": 1}
        key = replace(one.key, subject=target, reference=reference, condition=condition)
        return replace(one, key=key)

    said = finding(verdict=verdict)
    (component,) = said.claim.components
    held = replace(component, limit=-0.05, against=f"another run of {reference}")
    return KeptAnswers(
        finding=replace(said, claim=replace(said.claim, components=(held,))),
        hard=of(0.94, 0.92, 0.96),
        random=of(0.9, 0.88, 0.92),
        ceiling=of(0.98, 0.97, 0.99),
        further={"scope_lift@1": of(0.04, 0.01, 0.07)},
    )


def whole(**more):
    found = (finding(), finding("bias@1", "undecided"))
    own = SideBySide(
        RunComparison(found, {"dev": 220}, ("torch: 2.4 and 2.5",)),
        (level(),),
        SharedInvariances("v1", (kept("v1", "v2", "not supported"), kept("v2", "v1"))),
    )
    return replace(own, **more)


def parts(found=None, *, top=40, is_whole=True):
    return [*parts_of(found or whole(), margin=0.02, top=top, is_whole=is_whole)]


def chart(name, found=None, **more):
    return next(c for p in parts(found, **more) for c in p.charts if c.anchor.endswith(name))


def page(found=None, **more):
    found = found or whole()
    said = {
        "title": "v2 against v1",
        "headline": headline(found),
        "scales": [*scales_of(found, 0.02)],
        "cards": [*cards_of(found)],
        "verdicts": [*verdicts(found, 0.02)],
        "certified": [*certified(found, 0.02)],
        "facts": (("First", "v1"), ("Second", "v2")),
        "command": "scrutiny compare hf:./v1 hf:./v2",
        "version": "0.1",
    }
    return render_parts(parts(found), **(said | more))


@pytest.fixture(scope="module")
def text():
    return page()


@pytest.fixture(scope="module")
def outline(text):
    return Outline(text)


def test_the_page_is_one_small_file_that_fetches_nothing(text, outline):
    assert len(text.encode()) < LARGEST
    assert outline.open == []
    for tag, attributes in outline.tags:
        assert "src" not in attributes, tag
        assert attributes.get("href", "#").startswith("#")
        assert tag not in {"link", "iframe", "img", "object", "embed", "base"}
    policy = next(a for _, a in outline.tags if a.get("http-equiv"))["content"]
    assert "default-src 'none'" in policy


def test_ids_are_unique_and_every_link_has_a_target(outline):
    for own in (outline, Outline(page(whole(levels=(level(), level()))))):
        assert len(own.ids) == len(set(own.ids))
        links = {a["href"][1:] for _, a in own.tags if a.get("href", "").startswith("#")}
        assert links <= set(own.ids)


def test_what_stands_where(outline):
    wanted = ["verdict", "levels", "shared", "numbers", "agreement", "differently", "reproduce"]
    assert [one for one in outline.ids if one in wanted] == wanted
    order = [
        "v2 is worse by 7.3 points [1.8, 12.8] (95 %): accuracy 90.0 % → 80.0 % on 40 items of",
        "Worse on inputs with a negation by 60.0 points (100 % → 40.0 %, 40 of 40).",
        "1 of 2 numbers differ: 1 neither better nor worse.",
        "FAIL a loss of more than 2 points is shown.",
        "FAIL a loss of invariances of more than 5 points is shown.",
        "Inputs with a negation",
        "Right before, wrong after",
        "noise floor",
        "Inputs that differ most beyond noise, 14 of 14",
        "Where it changed",
        "How many items flip",
        "Changes that keep the answer of v1, asked of v2",
        "lost: so",
        "Changes that keep the answer of v2, asked of v1 (reported, not judged)",
        "second minus first (Holm over 2)",
        "Floor: two runs of the first model.",
        "2.4 and 2.5",
        "scrutiny compare hf:./v1 hf:./v2",
    ]
    said = outline.text[outline.text.index("v2 is worse") :]
    at = 0
    for one in order:
        at = said.index(one, at)
    assert said.count("The soup was not fresh.") == 14 + 2 * 3


def test_every_chart_has_a_specification_and_a_table(text, outline):
    specs = json.loads(
        re.search(r'<script type="application/json" id="specs">(.*?)</script>', text, re.DOTALL)[1]
    )
    boxes = [a["data-chart"] for _, a in outline.tags if "data-chart" in a]
    assert len(boxes) == 5
    assert set(boxes) == set(specs)
    assert text.count("<table") >= len(boxes)


def test_everything_is_escaped():
    odd = replace(differing(1, HOSTILE), first=HOSTILE, slices=(HOSTILE,))
    levels = (level(dataset=HOSTILE, disagreements=(odd,), changes=(change("all", HOSTILE),) * 3),)
    found = whole(levels=levels, comparison=RunComparison((), {}, (f"{HOSTILE}: {HOSTILE}",)))
    text = page(found, title=HOSTILE, command=HOSTILE)
    for script in (static("vega.min.js"), static("report.js")):
        text = text.replace(script, "")
    assert "<script>alert" not in text
    assert "<img" not in text
    assert Outline(text).text.count("{{7*7}}") > 6


def test_what_is_not_there_is_not_told():
    bare = whole(levels=(), comparison=RunComparison((), {"dev": 2}, ()), shared=None)
    outline = Outline(page(bare, command="", verdicts=[]))
    assert outline.open == []
    assert {"levels", "shared", "likeness", "numbers"}.isdisjoint(outline.ids)
    assert (
        "Nothing was judged: give the largest loss that you accept, such as --margin 0.01"
        in outline.text
    )
    assert "nothing except for the models" in outline.text
    assert parts(bare, is_whole=False) == []
    odd = level(flips=None, noise=UNKNOWN, agreement=SidesAgreement(), changes=(NEGATION,))
    (part, *_) = parts(whole(levels=(replace(odd, shown=(), disagreements=()),)))
    assert [one.anchor for one in part.charts] == ["level-1-slices"]
    assert dict(part.facts)["noise floor"].startswith("not known: the first model was run once.")
    assert dict(part.facts)["inputs"] == "no input differs"


def test_the_noise_floor_is_a_row_and_a_line():
    found = chart("flips")
    assert found.spec["layer"][1]["data"]["values"] == [{"at": 0.02}]
    assert found.table.rows[0] == ("noise floor", "0.0200", "220/220")
    assert found.table.rows[2] == ("right to wrong", "0.118 [0.079, 0.166]", "90/100")
    graded = replace(level().flips, is_graded=True)
    labels = [row[0] for row in chart("flips", whole(levels=(level(flips=graded),))).table.rows]
    assert labels[2:4] == ["worse", "better"]


def test_slices_are_drawn_with_the_margin_on_the_side_of_the_loss():
    def margin(found):
        return chart("slices", found).spec["layer"][1]["data"]["values"][0]["at"]

    assert margin(None) == -0.02
    assert margin(whole(levels=(level(lower_is_better=True),))) == 0.02
    rows = chart("slices").table.rows
    assert [row[0] for row in rows] == ["of all", "with a negation", "with a question"]
    assert " ".join(rows[1][1].split()) == "worse, mostly bad → good (12 of 24 changed answers)"
    back = replace(level().shown[0], goes_back_to="question")
    rows = chart("slices", whole(levels=(level(shown=(back,)),)), is_whole=False).table.rows
    assert [row[1] for row in rows] == ["nothing of its own beyond 'question'"]


def test_numbers_of_another_scale_are_listed_and_not_drawn():
    several = (finding("loss@1", "undecided", 40.0), finding("bias@1", "undecided"), finding())
    found = whole(comparison=RunComparison(several, {"dev": 2}, ()))
    own = chart("numbers-chart", found)
    drawn = [(v["series"], v["value"]) for v in own.spec["data"]["values"]]
    assert drawn == [("differs", 0.1), ("not shown to differ", 0.1)]
    assert [row[1] for row in own.table.rows] == ["0.100 [0.050, 0.150]", "–", "–"]
    assert len(chart("numbers-chart", found, is_whole=False).table.rows) == 1


def test_a_terminal_shows_the_same_parts_in_80_columns():
    lines = [line.plain for part in parts(top=2, is_whole=False) for line in part_lines(part)]
    assert max(map(len, lines)) <= 80
    said = " ".join(" ".join(lines).split())
    assert "change 0.900 → 0.800: −0.073 [−0.128, −0.018]; 90 of 100" in said
    assert "McNemar mid-p .0076 (36 flip)" in said
    assert "kappa 0.671 [0.568, 0.762] 0.930 90/100" in said
    assert "with a negation worse, mostly bad → good" in said
    assert said.count("The soup was not fresh.") == 2
    assert "random changes 0.900 [0.880, 0.920], lift 0.040 [0.010, 0.070]" in said
    assert "question" not in said


@pytest.mark.parametrize(
    ("detectable", "said"), [(0.075, "a difference of 0.075"), (None, "no difference at all")]
)
def test_what_so_many_items_could_show_is_a_difference_that_there_can_be(detectable, said):
    found = whole(levels=(level(detectable=detectable),))
    told = dict(fact for part in parts(found) for fact in part.facts)
    assert told["could show"] == f"{said} (80 % power, these items)"


def test_likeness_of_vectors_stands_beside_the_first_itself():
    value = estimate(0.56, 0.5, 0.6, "likeness(debiased_cka)@1")
    value = replace(value, key=replace(value.key, condition={"pooling": "mean"}))
    row = Likened(value, None, estimate(0, 0, 0))
    found = whole(shared=SharedInvariances("v1", (), (row,), (finding("cka@1"),)))
    own = chart("vectors-chart", found)
    assert own.table.header == ("", "second and first", "untrained networks", "n/planned")
    assert own.table.rows[0][:2] == ("debiased cka (mean)", "0.560 [0.500, 0.600]")
    (part,) = [p for p in parts(found) if p.anchor == "vectors"]
    assert part.facts == (("supported", "cka@1 is lower in the second run; so"),)
    assert [line.split("  ")[0] for line in verdicts(found, 0.02)] == ["FAIL"]
    rows = [one for one in objects_of(found, top=1) if "part" in one]
    assert [one["part"] for one in rows[-3:-1]] == ["representation", "representation claim"]
    assert rows[-3]["own"] is None


def found_of(**more):
    """Comparison of one score alone, with a difference of its own."""
    one = level(**{"shown": (), "agreement": SidesAgreement(), **more})
    return whole(
        levels=(one,), shared=None, comparison=RunComparison((finding(),), {"dev": 220}, ())
    )


@pytest.mark.parametrize(
    ("difference", "state", "lead"),
    [
        ((0.073, 0.018, 0.128), "worse", "v2 is worse by 7.3 points [1.8, 12.8] (95 %)"),
        ((-0.073, -0.128, -0.018), "better", "v2 is better by 7.3 points [1.8, 12.8] (95 %)"),
        ((-0.006, -0.012, -0.0003), "better", "v2 is better by 0.6 points [0.03, 1.20] (95 %)"),
        ((0.02, -0.01, 0.05), "no difference", "between 5.0 points worse and 1.0 better (95 %)"),
        ((0.0, -0.01, 0.01), "no difference", "between 1.0 points worse and 1.0 better (95 %)"),
        ((0.0, None, None), "no difference", "without an interval none can be"),
    ],
)
def test_the_first_sentence_says_better_or_worse_and_by_how_much(difference, state, lead):
    said = headline(
        found_of(
            difference=replace(
                estimate(0.0, 0.0, 0.0),
                **dict(zip(("value", "low", "high"), difference, strict=True)),
            )
        )
    )
    assert said.found == state
    assert lead in said.lead
    assert said.lead.endswith("accuracy 90.0 % \u2192 80.0 % on 40 items of dev.")
    how = "lose more than the rest" if state == "worse" else "be worse"
    assert said.rest == (f"No kind of input is shown to {how} (2 looked at).",)


def test_models_that_answer_alike_are_said_to():
    still = {"difference": estimate(0.0, -0.01, 0.01), "disagreements": ()}
    said = "No difference is shown: both answer alike on these items, and v2 is between"
    alike = (replace(level().overall, n_moved=0),)
    assert headline(found_of(**still, changes=alike)).lead.startswith(said)
    assert said not in headline(found_of(**still)).lead  # some scores differ
    assert said not in headline(found_of(**still, changes=alike, flips=None)).lead


def test_less_is_better_turns_the_sentence_round():
    more = {"difference": estimate(0.073, 0.018, 0.128), "lower_is_better": True, "flips": None}
    said = headline(found_of(**more))
    assert (said.found, said.lead.split(":")[0]) == (
        "better",
        "v2 is better by 0.073 [0.018, 0.128] (95 %)",
    )


def test_a_kind_of_input_that_is_worse_outweighs_a_score_that_is_better():
    better = {"difference": estimate(-0.05, -0.08, -0.02)}
    shown = (ShownChange(NEGATION, "", None), ShownChange(NEGATION, "question", None))
    said = headline(found_of(shown=shown, **better))
    assert said.found == "worse"
    assert said.lead.startswith("v2 is better by 5.0 points")
    assert said.rest[0] == (
        "Worse on inputs with a negation by 60.0 points (100 % \u2192 40.0 %, 40 of 40)."
    )
    several = whole(levels=(level(dataset="calm", shown=(), **better), level()), shared=None)
    said = headline(several)
    assert said.lead.endswith("of dev.")
    assert "(95 %)" in said.lead
    assert "(95 %)" not in said.rest[0]  # once is enough
    assert said.rest[0].startswith("v2 is better by 5.0 points")


def test_numbers_are_counted_by_their_direction():
    def of(*kinds):
        findings = tuple(finding(f"m{k}@1") for k in range(len(kinds)))
        return whole(shared=None, comparison=RunComparison(findings, {"dev": 2}, (), kinds))

    assert headline(of("better", "better")).rest[-1] == "2 of 2 numbers differ, all for the better."
    assert headline(of("worse", "worse")).rest[-1] == "2 of 2 numbers differ, all for the worse."
    mixed = headline(of("better", "worse", "neither")).rest[-1]
    assert mixed.startswith("3 of 3 numbers differ: 1 for the worse (")
    assert mixed.endswith("1 for the better, 1 neither better nor worse.")
    same = (finding(verdict="undecided"), finding("b@1", "undecided"))
    none = whole(shared=None, comparison=RunComparison(same, {"dev": 2}, (), ("better",) * 2))
    assert headline(none).rest[-1] == "None of the 2 numbers of both is shown to differ."


def test_numbers_that_are_better_for_want_of_skill_are_said_to_tell_nothing():
    gained = RunComparison((finding("a@1"), finding("b@1")), {"dev": 2}, (), ("better",) * 2)
    found = replace(found_of(), comparison=gained)
    said = "Of a model without skill, what a change or an attack costs says nothing."
    assert said not in " ".join(headline(found).rest)
    lacking = replace(found, without_skill=("The second: no better than always answering 'a'.",))
    rest = " ".join(headline(lacking).rest)
    assert rest.startswith("The second: no better")
    assert said in rest


def test_cards_hold_cases_of_their_own_way():
    mended = replace(differing(99, "Now it is read."), before=0.0, after=1.0, slices=())
    found = whole(levels=(level(disagreements=(differing(1), mended)),), shared=None)
    cards = {card.title: card for card in cards_of(found)}
    assert [card.way for card in cards.values()] == ["worse", "worse", "better"]
    assert cards["Inputs with a negation"].cost == "60.0 points worse (40 items)"
    broken, better = cards["Right before, wrong after"], cards["Wrong before, right after"]
    assert broken.cost == "11.8 % of 90 items [7.9, 16.6]"
    assert broken.cases == (("The soup was not fresh.", "before: bad, now: good", "bad"),)
    assert [text for text, _, _ in better.cases] == ["Now it is read."]
    several = tuple(finding(f"m{k}@1") for k in range(9))
    numbers = whole(levels=(), comparison=RunComparison(several, {}, (), ("worse",) * 9))
    (card,) = cards_of(numbers)
    assert (card.title, len(card.rows), card.note) == (
        "Other numbers that are worse",
        6,
        "3 more stand below",
    )


def test_the_scale_shows_a_loss_on_the_side_of_the_margin():
    (worse,) = scales_of(found_of(), 0.02)
    assert (worse.state, worse.axis.least, worse.axis.most) == ("hurts", -12.8, 0.0)
    (better,) = scales_of(found_of(difference=estimate(-0.073, -0.128, -0.018)), 0.02)
    assert better.state == "holds"
    for margin, said in ((0.02, "2 points"), (0.01, "1 point"), (0.005, "0.5 points")):
        (scale,) = scales_of(found_of(), margin)
        assert scale.title == (
            "Points of accuracy gained on dev: left of 0 is a loss, the line is the 95 % interval, "
            f"shaded is a loss of less than {said}"
        )
    (bare,) = scales_of(found_of(), None)
    assert bare.title.endswith("the 95 % interval")
    bar = better.axis.bar(better.span)
    assert bar.tolerance < better.axis.place(0) < bar.low
    assert [*scales_of(found_of(flips=None), 0.02)] == []


def test_items_that_one_run_has_alone_are_counted():
    found = RunComparison((), {"dev": 2}, (), (), {"dev": (2, 1)})
    said = headline(whole(levels=(), comparison=found, shared=None))
    assert said.rest[0] == (
        "Left out, as only one run has them: 2 items of the first, 1 of the second."
    )
    alone = headline(whole(levels=(), comparison=RunComparison((), {"dev": 2}, ()), shared=None))
    assert not any("Left out" in one for one in alone.rest)
