"""Cases that read wrong before verdicts compared printed limits: whole runs with planted answers.

A model is wrong on the items that are listed for the mark at the end of a text, and on every text
in capitals; so each change breaks and mends as many items as it is told to.
"""

import re
from io import StringIO

import pytest

import scrutiny
from scrutiny.perturb.engine.rewrite import keeps_label
from scrutiny.report.load import load_view
from scrutiny.report.text import write_first_screen

LABELS = ("bad", "good")
WIDE = (90, 55)  # of 872 items a loss of 4.0 [1.3, 6.7], alone
SHARP = (68, 30)  # a loss of 4.4 [2.2, 6.6], alone
NO_WORD = re.compile(r"\bseeds?\b|\brecipe\b|\breplicates?\b", re.IGNORECASE)


def rows(count):
    return [{"text": f"the film number {n} is fine", "label": LABELS[n % 2]} for n in range(count)]


class Planted:
    """Wrong on the first items where a mark is new, and on the last ones where there is none."""

    labels = LABELS
    start = 0

    def __init__(self, flips, items=872):
        self.flips, self.items = flips, items

    def predict_proba(self, texts):
        return [self._answer(text) for text in texts]

    def _answer(self, text):
        n, mark = int(re.search(r"\d+", text)[0]), re.search(r" mark(\w+)$", text)
        says = (n + self._is_wrong(n, mark and mark[1], text)) % 2
        return (1.0 - says, float(says))

    def _is_wrong(self, n, mark, text):
        broken, mended = self.flips.get(mark, (0, 0))
        most = max(count for _, count in self.flips.values())
        is_hard = n >= self.items - most
        if text.isupper():
            return not is_hard
        return (
            self.start <= n < self.start + broken or (is_hard and n < self.items - mended)
            if mark
            else is_hard
        )


def marked(name):
    return keeps_label(lambda text: f"{text} mark{name}")


def asked(tmp_path, flips, *, items=872, model=None, **params):
    """Finished run of a model whose changes break and mend so many items."""
    changes = {name: marked(name) for name in flips}
    return scrutiny.run(
        "robustness",
        model=model or Planted(flips, items),
        data=rows(items),
        transformations=changes | params.pop("more", {}),
        out=tmp_path / "run",
        **params,
    )


def risk(run, what):
    (found,) = run.risks.where(what=what)
    return found


@pytest.fixture(scope="module")
def fifteen(tmp_path_factory):
    flips = {"wide": WIDE, "sharp": SHARP} | {f"none{k}": (0, 0) for k in range(12)}
    return asked(tmp_path_factory.mktemp("a"), flips, more={"upper": keeps_label(str.upper)})


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return asked(tmp_path_factory.mktemp("b"), {"wide": WIDE})


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    """Three seeds that lose 4, 5 and 6 points, other items each, while 5 % flip."""
    place = tmp_path_factory.mktemp("c")
    for seed, broken in enumerate((40, 49, 57), 1):
        (place / f"model_{seed}.py").write_text(
            "from test_integration_one_rule import Planted\n"
            f"class Model(Planted):\n    start = {60 * seed}\n"
            f"    def __init__(self): super().__init__({{'typo': ({broken}, 5)}})\n"
        )
    return asked(place, {"typo": (0, 0)}, model=f"python:{place}/model_{{seed}}.py:Model")


def shown(run, path):
    """First screen, page and Markdown of a run, the last before anything is unfolded."""
    stream = StringIO()
    write_first_screen(load_view(run.path), stream)
    page, comment = (run.report(path / f"report.{suffix}") for suffix in ("html", "md"))
    return stream.getvalue(), page, comment.partition("<details>")[0]


def above_the_details(page):
    """Words of a page above its folded details."""
    words = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]+>", " ", page)
    above, fold, _ = " ".join(words.split()).partition("how intervals were made")
    assert fold
    return above


def test_a_fall_of_a_hundred_points_hurts(fifteen):
    found = risk(fifteen, "upper")
    assert (found["state"], round(found["cost"], 3)) == ("hurts", round((872 - 2 * 55) / 872, 3))


def test_four_points_alone_hurt_and_say_no_word_about_seeds(alone, tmp_path):
    found = risk(alone, "wide")
    assert found["state"] == "hurts"
    assert (found["low"], found["high"]) == pytest.approx((0.013, 0.067), abs=0.001)
    screen, page, comment = shown(alone, tmp_path)
    for text in (screen, page, comment):
        assert re.search(r"costs 4\.0 points \\?\[1\.3, 6\.[78]", text)
    for text in (screen, above_the_details(page), comment, found["reason"]):
        assert not NO_WORD.search(text)


def test_four_points_among_fifteen_cannot_be_told(fifteen, tmp_path):
    found = risk(fifteen, "wide")
    assert found["state"] == "can't tell"
    assert (found["low"], found["high"]) == pytest.approx((0.0, 0.08), abs=0.0025)
    for text in shown(fifteen, tmp_path):
        assert re.search(r"0\.0\D{1,16}8\.[012]", text)


def test_a_sharper_loss_among_fifteen_hurts(fifteen):
    found = risk(fifteen, "sharp")
    assert found["state"] == "hurts"
    assert found["low"] > 0


def test_a_rule_about_one_of_fifteen_reads_its_limits_among_fifteen(fifteen):
    (found,) = fifteen.gate("drop(accuracy) <= 0.0 where transformation=wide")
    assert (found.verdict, found.limits[0].n_rows) == ("undecided", 15)
    assert found.estimate.high == risk(fifteen, "wide")["high"]


def test_a_rule_about_what_was_planned_alone_reads_its_limits_alone(alone):
    (found,) = alone.gate("drop(accuracy) <= 0.0 where transformation=wide")
    assert (found.verdict, found.limits[0].n_rows) == ("not supported", 1)
    assert found.estimate.low == risk(alone, "wide")["low"]


def test_three_seeds_that_lose_four_five_and_six_points_hurt(seeds):
    (finding,) = (f for f in seeds.findings if f.claim.risk)
    lost = sorted(round(100 * v) for v in finding.estimate.by_replicate.values())
    assert lost == [4, 5, 6]
    assert (finding.verdict, finding.scope) == ("hurts", "this recipe")
    assert "of these models alone [" in finding.reason


@pytest.mark.parametrize("tolerance", [0.02, 0.01])
def test_limits_within_six_tenths_hold(tmp_path, tolerance):
    run = asked(tmp_path, {"small": (10, 10)}, items=1500, tolerance=tolerance)
    found = risk(run, "small")
    assert (found["low"], found["high"]) == pytest.approx((-0.006, 0.006), abs=0.0003)
    assert found["state"] == "holds"
