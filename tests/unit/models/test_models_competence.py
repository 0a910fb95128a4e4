import json

import pytest

from scrutiny.core.errors import ModelError
from scrutiny.models.strings.training_records import TrainingGoal, read_competence

RECORD = {"gates": {"beats_5gram": True, "agreement": False}, "masked_accuracy": 0.31}


def test_a_record_is_read(tmp_path):
    assert read_competence(tmp_path) is None
    (tmp_path / "competence.json").write_text(json.dumps(RECORD))
    assert read_competence(tmp_path) == RECORD


GOAL = {"name": "g", "of": "a", "beside": ["b"], "is_reached": True, "found": "+.01"}


def test_goals_are_for_contrasts_of_the_families_that_they_name():
    (goal,) = TrainingGoal.all_in({"goals": [GOAL]})
    assert goal.is_for("b", "a")
    assert not goal.is_for("b", "b")
    assert TrainingGoal.all_in(RECORD) == ()


ODD = [{"name": "g"}, {**GOAL, "is_reached": "no"}, {**GOAL, "beside": 1}, {**GOAL, "more": 1}]


@pytest.mark.parametrize(
    "text",
    [
        *("{", "[]", "{}", '{"gates": [1]}', '{"gates": {"a": 0.5}}', '{"gates": {}, "goals": 1}'),
        *(json.dumps({"gates": {}, "goals": [goal]}) for goal in ODD),
    ],
)
def test_a_record_that_does_not_read(tmp_path, text):
    (tmp_path / "competence.json").write_text(text)
    with pytest.raises(ModelError, match=r"competence record|gates and goals are true or false"):
        read_competence(tmp_path)
