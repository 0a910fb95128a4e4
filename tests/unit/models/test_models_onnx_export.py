"""Export and quantization of tiny classifiers: answers before and after."""

import json
import shutil

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")

from tiny_bert import make_checkpoint  # noqa: E402

from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.models import onnx_export  # noqa: E402
from scrutiny.models.onnx_export import export_classifier  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.testing import check_adapter  # noqa: E402

TEXTS = ["the film was good", "bad", "a very dull story , and not a good film !", ""]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A checkpoint, and its two exports with their records; both are of one traced network."""
    base = tmp_path_factory.mktemp("export")
    source = make_checkpoint(base / "seed-1")
    (source / "training.json").write_text('{"replicates_of": "fine-tuning"}')
    records = {"float32": export_classifier(f"hf:{source}", base / "float32", precision="float32")}
    with pytest.MonkeyPatch.context() as patch:
        traced = base / "float32" / onnx_export.DEFAULT
        patch.setattr(onnx_export, "_export", lambda *g, **_: shutil.copyfile(traced, g[2]))
        records["int8"] = export_classifier(f"hf:{source}", base / "int8")
    return base, records


def test_the_format_changes_no_answer(made, classification, make):
    base, records = made
    before = load_model(f"hf:{base / 'seed-1'}", classification)
    after = load_model(f"onnx:{base / 'float32'}", classification)
    assert after.labels == before.labels
    for one, two in zip(before.predict(make(*TEXTS)), after.predict(make(*TEXTS)), strict=True):
        assert one.scores == pytest.approx(two.scores, abs=1e-5)
    assert records["float32"]["change_by_format"] < 1e-4
    assert "change" not in records["float32"]


def test_eight_bits_change_answers_a_little(made, classification, make):
    base, records = made
    before = load_model(f"hf:{base / 'seed-1'}", classification)
    after = load_model(f"onnx:{base / 'int8'}", classification)
    pairs = zip(before.predict(make(*TEXTS)), after.predict(make(*TEXTS)), strict=True)
    moved = [abs(one.scores[0] - two.scores[0]) for one, two in pairs]
    assert 1e-6 < max(moved) < 0.2
    assert 0 < records["int8"]["change"] < 0.2
    size = {p: (base / p / "model.onnx").stat().st_size for p in ("int8", "float32")}
    assert size["int8"] < size["float32"]


def test_answers_do_not_depend_on_what_stands_beside(made, classification):
    base, _ = made
    check_adapter(load_model(f"onnx:{base / 'int8'}", classification))


def test_what_is_written_beside_the_network(made):
    base, records = made
    record = json.loads((base / "int8" / "quantization.json").read_text())
    assert record == records["int8"]
    assert record["precision"] == "int8"
    assert (base / "int8" / "training.json").is_file()
    with pytest.raises(ModelError, match="is there already"):
        export_classifier(f"hf:{base / 'seed-1'}", base / "int8")


def test_an_export_that_answers_otherwise_is_not_kept(made, tmp_path, monkeypatch):
    base, _ = made
    monkeypatch.setattr(onnx_export, "_largest_change", lambda *_: 0.5)
    monkeypatch.setattr(onnx_export, "_export", lambda *_, **__: None)
    with pytest.raises(ModelError, match="answers otherwise"):
        export_classifier(f"hf:{base / 'seed-1'}", tmp_path / "wrong")
    assert not (tmp_path / "wrong").exists()


def test_families_are_written_as_families(made, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from scrutiny.cli.verbs.models import command
    from scrutiny.models import onnx_export

    base, records = made
    seen = []

    def export(source, folder, *, precision):
        seen.append((source, folder, precision))
        return records["int8"]

    monkeypatch.setattr(onnx_export, "export_classifier", export)
    arguments = ["quantize", f"hf:{base}/seed-{{seed}}", "-o", str(tmp_path)]
    found = CliRunner().invoke(command, arguments)
    assert seen == [(f"hf:{base}/seed-1", tmp_path / "seed-1", "int8")]
    assert f"model: onnx:{tmp_path}/seed-{{seed}}" in found.output
    found = CliRunner().invoke(command, [*arguments, "--json"])
    assert json.loads(found.output)["precision"] == "int8"
