import json

import pytest
from click.testing import CliRunner
from pretraining_texts import write_texts

pytest.importorskip("torch")
pytest.importorskip("transformers")

from scrutiny.cli.verbs.train import command
from scrutiny.core.errors import PlanError
from scrutiny.training import trainer

SIZES = [
    part
    for field in (
        "layers=1",
        "hidden=16",
        "heads=2",
        "feed_forward=32",
        "positions=128",
        "vocabulary=70",
        "phases=[[1.0, 16, 4]]",
        "precision=fp32",
    )
    for part in ("--set", field)
]


def invoke(*arguments, catch=True):
    return CliRunner().invoke(
        command, ["pretrain", *map(str, arguments)], standalone_mode=False, catch_exceptions=catch
    )


def test_pretrain_trains_all_seeds(tmp_path):
    texts, out = write_texts(tmp_path), tmp_path / "out"
    given = ["--text", texts, "--out", out, *SIZES, "--steps", 6, "--seeds", "1,2"]
    given += ["--checkpoints", 3, "--masking", "static", "--weights", "fp16", "--json"]
    result = invoke(*given)
    assert result.return_value == 0, result.output
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [r["step"] for r in rows if "step" in r] == [6, 6]
    assert [r["folder"] for r in rows if "folder" in r] == [str(out / f"seed-{s}") for s in (1, 2)]
    record = json.loads((out / "seed-2" / "training.json").read_text())
    assert (record["recipe"]["masking"], record["recipe"]["precision"]) == ("static", "fp32")
    assert (out / "seed-1" / "step-3" / "model.safetensors").is_file()


def test_a_recipe_file_and_flags(tmp_path):
    recipe = tmp_path / "recipe.toml"
    recipe.write_text("hidden = 8\nsteps = 99\n")
    given = ["--text", write_texts(tmp_path), "--out", tmp_path / "out", "--recipe", recipe]
    result = invoke(*given, *SIZES, "--steps", 2, "--init-seeds", 4, "--data-seeds", 5)
    assert result.return_value == 0, result.output
    folder = tmp_path / "out" / "init_seed-4" / "data_seed-5"
    assert result.stdout.split() == [str(folder)]
    found = json.loads((folder / "training.json").read_text())["recipe"]
    assert (found["hidden"], found["steps"]) == (16, 2)  # --set over the file, --steps over both


@pytest.mark.parametrize("has_it", [True, False])
def test_bfloat16_is_for_devices_that_have_it_unless_it_is_stated(tmp_path, monkeypatch, has_it):
    monkeypatch.setattr(trainer, "has_bfloat16", lambda device: has_it)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('precision = "bf16"')
    texts, sizes = write_texts(tmp_path), SIZES[:-2]  # without a precision
    for name, more in (
        ("chosen", []),
        ("stated", ["--set", "precision=bf16"]),
        ("written", ["--recipe", recipe]),
    ):
        out = tmp_path / name
        result = invoke("--text", texts, "--out", out, *sizes, "--steps", 1, *more)
        assert result.return_value == 0, result.output
        record = json.loads((out / "seed-1" / "training.json").read_text())
        is_told = not has_it and name == "chosen"
        assert record["recipe"]["precision"] == ("fp32" if is_told else "bf16")
        assert result.stderr.count("cpu only emulates bfloat16") == is_told


def test_devices_without_instructions_for_it_are_told_apart(monkeypatch):
    for found, expected in (({"avx512_bf16": True}, True), ({"avx2": True}, False)):
        monkeypatch.setattr("torch.cpu.get_capabilities", lambda found=found: found, raising=False)
        assert trainer.has_bfloat16("cpu") is expected
    monkeypatch.setattr("torch.cuda.is_bf16_supported", lambda: True)
    assert trainer.has_bfloat16("cuda:0")


@pytest.mark.parametrize("wrong", ["layer=2", "layers=", "layers"])
def test_a_wrong_field_is_a_users_mistake(tmp_path, wrong):
    with pytest.raises(PlanError):
        invoke("--text", write_texts(tmp_path), "--out", tmp_path, "--set", wrong, catch=False)


def test_held_out_text_gives_a_competence_record(tmp_path):
    out = tmp_path / "out"
    (tmp_path / "held").mkdir()
    long = "The old man and the sea was a good book, and the cat was warm. It was good. "
    documents = [[long * 4 + f"The {name} sat there."] for name in ("cat", "dog", "king")]
    held = write_texts(tmp_path / "held", documents)
    given = ["--text", write_texts(tmp_path), "--out", out, *SIZES]
    given += ["--steps", 2, "--checkpoints", 1, "--held-out", held]
    result = invoke(*given)
    assert result.return_value == 0, result.output
    for folder in (out / "seed-1", out / "seed-1" / "step-1"):
        record = json.loads((folder / "competence.json").read_text())
        assert record["gates"] == {"fivegram": False, "agreement": False, "next_sentence": False}
        assert record["held_out"][0]["name"] == "texts.txt"
    before = (out / "seed-1" / "competence.json").stat().st_mtime_ns
    assert invoke(*given).return_value == 0
    assert (out / "seed-1" / "competence.json").stat().st_mtime_ns == before


def test_seeds_are_numbers(tmp_path):
    with pytest.raises(PlanError, match="--seeds '1;2' cannot be read"):
        invoke("--text", write_texts(tmp_path), "--out", tmp_path, "--seeds", "1;2", catch=False)


def test_help_imports_no_torch():
    import subprocess
    import sys

    code = (
        "import sys; from scrutiny.cli.verbs.train import command\n"
        "command(['pretrain', '--help'], standalone_mode=False)\n"
        "sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
