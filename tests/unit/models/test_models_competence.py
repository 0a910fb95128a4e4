import json

import pytest

from scrutiny.core.errors import ModelError
from scrutiny.models.strings.competence import read_competence

RECORD = {"gates": {"beats_5gram": True, "agreement": False}, "masked_accuracy": 0.31}


def test_a_record_is_read(tmp_path):
    assert read_competence(tmp_path) is None
    (tmp_path / "competence.json").write_text(json.dumps(RECORD))
    assert read_competence(tmp_path) == RECORD


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"gates": [1]}', '{"gates": {"a": 0.5}}'])
def test_a_record_that_does_not_read(tmp_path, text):
    (tmp_path / "competence.json").write_text(text)
    with pytest.raises(ModelError, match=r"competence record|gates are true or false"):
        read_competence(tmp_path)
