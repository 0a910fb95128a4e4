"""Wordings: costs that are planted and none that are not, the worst one, and the budget."""

from hashlib import blake2b

import pytest
from toy_runs import estimate, run

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.wordings.wording_scores import part
from scrutiny.diagnostics.wordings.wordings import PromptWordings, WordingParams
from scrutiny.models.prompting.wordings import Wording, by_wording, wording_of
from scrutiny.report.load import load_view
from scrutiny.testing import check_diagnostic

N = 160
ROWS = [{"id": f"i{n}", "text": f"text {n}", "label": ("bad", "good")[n % 2]} for n in range(N)]
WORDINGS = [
    {"name": "blank", "before": " ", "is_edit": True},
    {"name": "kind", "before": "Please. "},
    {"name": "rude", "before": "Now! "},
    {"name": "idle", "line_end": "\n\n"},
]


def share(*parts):
    """Number from 0 to 1 that belongs to these parts."""
    return int(blake2b(str(parts).encode(), digest_size=4).hexdigest(), 16) / 2**32


class Worded(Model):
    """Right on four items of five, and with "Now!" in front on half of them less ``loss``."""

    source = "testing:Worded"
    task = "text-classification"
    labels = ("bad", "good")
    capabilities = frozenset({"predict", "wordings"})
    is_batch_invariant = True

    def __init__(self, loss=0.0, noise=0.0, seed=0):
        self.loss, self.noise, self.seed = loss, noise, seed
        self.asked = 0

    def wordings(self, stated):
        return [one for one in stated if one.before]

    def predict(self, examples):
        keys = {p: key for key, places in by_wording(examples).items() for p in places}
        return [self._answer(one.fields["text"], keys[p]) for p, one in enumerate(examples)]

    def _answer(self, text, key):
        self.asked += 1
        before = wording_of(key).before if key else ""
        is_right = share("skill", text) < 0.8
        if before.startswith("Now"):
            is_right &= share("loss", text) >= self.loss
        if share("noise", self.seed, text, before, self.asked) < self.noise:
            is_right = not is_right
        return Prediction(self.labels[(int(text.split()[1]) + (not is_right)) % 2])


class Varying(Worded):
    """The same, of a model that may answer otherwise when it is asked again."""

    capabilities = frozenset({"predict", "wordings", "varies"})


def of(model, tmp_path, **params):
    return run("wordings", model, ROWS, tmp_path / "run", **{"wordings": WORDINGS, **params})


def captions(folder):
    found = part(load_view(folder.path))
    assert found is not None
    return found.charts


def test_it_keeps_the_promises_of_its_protocol():
    examples = tuple(Example(r["id"], {"text": r["text"]}, r["label"]) for r in ROWS[:20])
    check_diagnostic(PromptWordings(), model=Worded(), examples=examples)


def test_a_planted_loss_is_found_and_no_other(tmp_path):
    folder = of(Worded(loss=0.25), tmp_path)
    states = {one.claim.risk.what: one.verdict for one in folder.findings() if one.claim.risk}
    assert states.pop("wording: rude") == "hurts"
    assert set(states.values()) <= {"holds", "can't tell", "not tested"}
    assert states["wording: idle"] == "not tested"
    rude = estimate(folder, "drop(accuracy)", wording="rude")
    hits = [share("skill", f"text {n}") < 0.8 for n in range(N)]
    lost = sum(hit and share("loss", f"text {n}") < 0.25 for n, hit in enumerate(hits))
    assert rude.value == pytest.approx(lost / N)
    (skill,) = [one for one in folder.findings() if not one.claim.risk]
    assert skill.verdict == "supported"
    assert [c.against for c in skill.claim.components] == [
        *("reference", "choice: wording kind", "choice: wording rude", "choice: wording idle"),
    ]
    scores, budget = captions(folder)
    assert "The worst of 3 wordings (rude)" in scores.caption
    assert "more than chance" in scores.caption
    assert "not asked: idle" in scores.caption
    assert [row[0] for row in budget.table.rows] == ["items", "wordings", "items x wordings"]


def test_equal_wordings_cost_nothing(tmp_path):
    folder = of(Worded(), tmp_path)
    for name in ("blank", "kind", "rude", "idle"):
        assert estimate(folder, "drop(accuracy)", wording=name).value == 0.0
    scores, budget = captions(folder)
    assert "no more than chance explains" in scores.caption
    assert "Largest share: items, 100 %" in budget.caption
    assert "640 instead of 160" in budget.caption


def test_the_budget_names_the_planted_largest_share(tmp_path):
    """Three answers of four lost in one of two wordings: the score is one of the wording."""
    folder = of(Worded(loss=0.9), tmp_path)
    _, budget = captions(folder)
    assert "Largest share: wordings" in budget.caption


def test_models_that_vary_are_asked_twice(tmp_path):
    model = Varying(noise=0.2)
    folder = of(model, tmp_path)
    assert model.asked == 2 * 4 * N
    scores, budget = captions(folder)
    assert "Asked again in its own words" in scores.caption
    assert budget.table.rows[-1][0] == "repeats"
    floor = estimate(folder, "flip_rate", group="changed", wording="own")
    assert 0.2 < floor.value < 0.45


class Nervous(Worded):
    """Loses a third of the items to a blank in front."""

    def _answer(self, text, key):
        found = super()._answer(text, key)
        if key and wording_of(key).before == " " and int(text.split()[1]) % 6 < 2:
            return Prediction("bad" if found.answer == "good" else "good")
        return found


def test_edits_that_mean_nothing_are_a_risk_of_their_own(tmp_path):
    folder = of(Nervous(), tmp_path)
    states = {one.claim.risk.what: one.verdict for one in folder.findings() if one.claim.risk}
    assert states["edits that mean nothing"] == "hurts"
    assert states["wording: kind"] != "hurts"


class Silent(Worded):
    """Has no answer to the first ten items in the kind wording, and none at all in the rude one."""

    def _answer(self, text, key):
        before = wording_of(key).before if key else ""
        if before.startswith("Now") or (before.startswith("P") and int(text.split()[1]) < 10):
            raise RuntimeError("silent")
        return super()._answer(text, key)


def test_answers_that_are_missing_are_said(tmp_path):
    scores, budget = captions(of(Silent(), tmp_path))
    assert "The worst of 2 wordings" in scores.caption
    assert "150 of 160 items have an answer in each of these wordings" in scores.caption
    assert "Without a single answer: rude" in scores.caption
    assert "150 items" in budget.caption


def test_one_wording_and_one_that_changes_nothing(tmp_path):
    folder = of(Worded(), tmp_path, wordings=[WORDINGS[3]])
    (scores,) = captions(folder)
    assert "not asked: idle" in scores.caption
    folder = run("wordings", Worded(), ROWS[:1], tmp_path / "one", wordings=WORDINGS[1:2])
    assert len(captions(folder)) == 1


def test_odd_parameters_are_refused(tmp_path):
    with pytest.raises(PlanError, match="at least one"):
        WordingParams(wordings=())
    with pytest.raises(PlanError, match="repeats"):
        WordingParams(repeats=0)
    with pytest.raises(PlanError, match="befor"):
        of(Worded(), tmp_path, wordings=[{"name": "x", "befor": "y"}])
    assert WordingParams(wordings=(Wording("x", before="y"),)).each()[0].name == "x"


def test_noise_alone_is_within_chance(tmp_path):
    """Of a model with noise, through records and page; the null is tried alone in its own test."""
    inside = 0
    for seed in range(3):
        folder = run(
            "wordings", Varying(noise=0.1, seed=seed), ROWS, tmp_path / str(seed), wordings=WORDINGS
        )
        inside += "no more than chance explains" in captions(folder)[0].caption
    assert inside >= 2
