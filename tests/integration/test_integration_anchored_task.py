"""A task of one file gets what labels of anchored texts get, and nothing edits the anchor."""

import csv
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet
from test_integration_plugin import metadata

import scrutiny
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import PathGradient
from scrutiny.core.registry import registry
from scrutiny.diagnostics.attack.kept_texts import found_in
from scrutiny.plugin import load_model, load_task

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "models"))

PACKAGE = Path(__file__).parents[1] / "aspect_package"
ASPECTS = ("staff", "food", "wine list", "battery life", "price")
#: Named, since a task that ships has these columns, too.
DATA, PAIRS = (f"csv:{name}.csv#task=aspects" for name in ("aspects", "pairs"))
MODEL = "python:aspects:ask#labels=negative|positive"
CHANGES = (
    "append_irrelevant,typos,insert_adverb,synonym_wordnet,keyboard,word_case,ocr,social_media,"
    "punctuation,delete_word,homoglyph,tautology,number_swap"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Working folder with the package, installed for this process, and its data."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(PACKAGE, folder, dirs_exist_ok=True)
    metadata(folder, name="aspects", points={"aspects": "aspects:REGISTRATIONS"})
    words = {"positive": "good", "negative": "awful"}
    with (folder / "aspects.csv").open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file).writerow
        write(("text", "aspect", "label"))
        for i in range(80):
            aspect, other = ASPECTS[i % 5], ASPECTS[(i + 1 + i // 40) % 5]
            label = ("positive", "negative")[i % 2]
            text = f"In {1930 + i} the {aspect} was {words[label]} , and the {other} was fine ."
            write((text, aspect, label))
    with pytest.MonkeyPatch.context() as patched:  # a module's fixture comes before a test's
        patched.syspath_prepend(folder)
        patched.chdir(folder)
        patched.setenv("SCRUTINY_CACHE_DIR", str(folder / "cache"))
        registry.cache_clear()
        yield folder
    registry.cache_clear()


def said_by(command: str) -> str:
    """What a command prints."""
    said = StringIO()
    with redirect_stdout(said):
        assert exit_code_of(group, command.split()) == 0
    return said.getvalue()


@pytest.fixture(scope="module")
def printed(site: Path) -> dict[str, str]:
    """What each command printed, one after the other."""
    asked = f"--model {MODEL} --data {DATA} --display none"
    fewer = "--limit 20 -P budget=40 --draws 100 --out"
    commands = {
        "perturb": f"perturb --data {DATA} --with {CHANGES} --control",
        "audit": f"audit {asked} --out run",
        "attack": f"run attack {asked} {fewer} attack",
        "transfer": f"run attack.transfer {asked} --reference {MODEL} {fewer} attack.transfer",
    }
    return {name: said_by(command) for name, command in commands.items()}


def test_nothing_edits_the_aspect(printed: dict[str, str]) -> None:
    changed = set()
    for line in map(json.loads, printed["perturb"].splitlines()):
        assert line["aspect"] in ASPECTS
        assert line["aspect"] in line["text"], line
        if line["status"] == "ok":
            changed.add(line["recipe"].partition("@")[0])
            assert {field for field, *_ in line["edits"]} == {"text"}
    assert {"append_irrelevant", "typos", "keyboard", "number_swap", "word_case"} <= changed


def test_an_audit_asks_what_it_asks_of_labels(site: Path, printed: dict[str, str]) -> None:
    """Without a line more: level, changes and attacks; what needs probabilities says so."""
    shown = printed["audit"]
    assert "Accuracy 100 %" in shown
    for named in ("typos", "PWWS attack", "irrelevant sentences", "no probabilities"):
        assert " ".join(named.split()) in " ".join(shown.split()), shown
    changes = list((site / "run").rglob("variants*"))
    assert changes


@pytest.fixture(scope="module")
def checkpoint(site: Path) -> Path:
    """Untrained BERT of pairs, and data with the labels that it gives, half of each."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tiny_bert import make_checkpoint

    folder = make_checkpoint(site / "bert", labels=("negative", "positive"))
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    read = transformers.AutoTokenizer.from_pretrained(folder)
    aspects = ("film", "story", "paris", "london", "new york")
    words = ("good", "bad", "dull", "fine", "not good", "very bad", "not fine", "very dull")
    rows = [
        (f"the {aspect} was {one} , and the {aspects[i % 5 - 1]} was {two} .", aspect)
        for i, (one, two, aspect) in enumerate(product(words, words, aspects))
    ][::5]
    given = read(*map(list, zip(*rows, strict=True)), padding=True, return_tensors="pt")
    with torch.no_grad():
        logits = network(**given).logits
        gaps = (logits[:, 1] - logits[:, 0]).tolist()
        middle = sorted(gaps)[len(gaps) // 2] - 1e-4
        network.classifier.bias[1] -= middle
    network.save_pretrained(folder)
    with (site / "pairs.csv").open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file).writerow
        write(("text", "aspect", "label"))
        for row, gap in zip(rows, gaps, strict=True):
            write((*row, ("negative", "positive")[gap > middle]))
    return folder


def test_a_checkpoint_of_pairs_reads_the_text_and_its_anchor(checkpoint: Path, site: Path) -> None:
    """Every answer is the network's own on both texts, so an audit finds no error at all."""
    audit = f"audit --model hf:{checkpoint} --data {PAIRS} --out hf --display none"
    shown = " ".join(said_by(audit).split())
    assert "Accuracy 100 %" in shown
    for named in ("keyboard typos", "PWWS attack", "confidence", "doubtful labels"):
        assert named in shown
    assert "no probabilities" not in shown
    edits = scrutiny.load(site / "hf").variants["edits"].to_pylist()
    assert {field for one in edits for field, *_ in json.loads(one)} == {"text"}


def test_gradients_of_a_checkpoint_are_followed_and_leave_the_anchor(
    checkpoint: Path, site: Path
) -> None:
    """An attack that follows gradients changes the text; both texts are attributed."""
    params: dict[str, Any] = {"recipes": ["a2t"], "items": 20}
    scrutiny.run("attack", f"hf:{checkpoint}", PAIRS, out="attacked", **params)
    model = load_model(f"hf:{checkpoint}", load_task("aspects"))
    example = Example("1", {"text": "the story was dull", "aspect": "the story"})
    (found,) = model.path_gradients([PathGradient.of(example, "positive")])
    assert found.gap < 0.05
    assert all(found.attributions)
    assert found.fields == (0, 0, 0, 0, 1, 1)
    cases = list(scrutiny.load(site / "attacked").cases())
    assert cases
    for case in cases:
        (text, aspect), (changed, kept) = (case[at].split("\n") for at in ("before", "after"))
        assert aspect == kept
        assert text != changed or not case["edits"]


@pytest.mark.usefixtures("printed")
def test_attacks_and_their_transfer_never_edit_the_aspect(site: Path) -> None:
    """Random change neither; the model reads the text behind the aspect, and can be fooled."""
    texts = list(found_in(site / "attack"))
    fooled = [one for one in texts if one.role == "measured" and one.is_success]
    assert fooled
    for one in texts:
        aspect = one.originals[one.fields.index("aspect")]
        assert aspect in ASPECTS
        assert one.texts[one.fields.index("aspect")] == aspect
        assert {field for field, *_ in one.edits} == {"text"}
        assert one.texts[one.fields.index("text")].count(aspect) >= 1
    asked = [v for v in variants_of(site / "attack.transfer") if v["status"] == "ok"]
    assert asked
    assert {edit[0] for one in asked for edit in json.loads(one["edits"])} == {"text"}


def variants_of(run: Path) -> list[dict[str, Any]]:
    """Rows of all tables of variants of a run."""
    return [row for path in run.rglob("*.parquet") if "variants" in str(path)
            for row in parquet.read_table(path).to_pylist()]  # fmt: skip
