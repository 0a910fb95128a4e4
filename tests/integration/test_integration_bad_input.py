"""Every row of docs/bad-input.md and of rare_input.md: one paragraph, the right exit code."""

import csv
import gzip
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from warm_command import WarmCommand

PAGE = Path(__file__).parents[2] / "docs" / "bad-input.md"
#: Mistakes that hardly anybody makes: not for the docs, but for the test.
RARE = Path(__file__).parent / "rare_input.md"
SHORT = {
    "DATA": "--data csv:reviews.csv",
    "MODEL": "--model builtin:sentiment",
    "OUT": "--out out",
}
#: A command that needs a shell, an environment or another stdout runs as a process of its own:
#: what the shell does first, a variable, the words of the command, and the device behind stdout.
NEEDS_SHELL = re.compile(r"^\(|^[A-Z]+=| > /")
PARTS = re.compile(r"\(?(.*; )?(?:([A-Z_]+)=(\S+) )?scrutiny (.*?)(?: > (/\S+))?\)?")
BLOCK = 1024  # bytes that `ulimit -f` counts as one
#: A command as one text, and its outcome.
Ask = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRESS = re.compile(r"^(Preparing variants|Asking models|A kill costs)[^\n]*\n", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    says: str
    command: str
    code: int
    words: str


@dataclass(frozen=True)
class Outcome:
    code: int
    stdout: str
    stderr: str


def cases(*pages: Path) -> list[Case]:
    found = []
    for line in "".join(page.read_text(encoding="utf-8") for page in pages).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("|") and len(cells) == 4 and cells[1].startswith("`"):
            command = re.sub(r"\b(DATA|MODEL|OUT)\b", lambda m: SHORT[m[1]], cells[1].strip("`"))
            found.append(Case(cells[0], command, int(cells[2]), cells[3]))
    return found


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with every file that the rows speak of."""
    folder = tmp_path_factory.mktemp("workshop")
    write_tables(folder)
    write_models(folder)
    write_plans(folder)
    old, cache = Path.cwd(), os.environ.get("SCRUTINY_CACHE_DIR")
    os.environ["SCRUTINY_CACHE_DIR"] = str(folder / "cache")
    os.chdir(folder)
    try:
        for name, data in (("done", "csv:reviews.csv"), ("other", "csv:colors.csv")):
            model = "Good" if name == "done" else "Painter"
            arguments = f"run performance --model python:./models.py:{model} --data {data}"
            assert run(f"scrutiny {arguments} --out {name} --display none").code == 0
    finally:
        os.chdir(old)
        if cache is None:
            del os.environ["SCRUTINY_CACHE_DIR"]
        else:
            os.environ["SCRUTINY_CACHE_DIR"] = cache
    shutil.copytree(folder / "done", folder / "unfinished")
    (folder / "unfinished" / "estimates.parquet").unlink()
    return folder


@pytest.fixture
def here(workshop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Working folder of one case: a copy of all files."""
    folder = tmp_path / "here"
    shutil.copytree(workshop, folder, copy_function=shutil.copyfile)
    monkeypatch.chdir(folder)
    # as in `warm_command`: under a limit of file size, compiled files would be cut off for all
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    before = list(sys.path)
    yield folder
    sys.path[:] = before


def run(command: str) -> Outcome:
    """Outcome of a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = exit_code_of(group, words_of(command)[1:])
    return Outcome(code, out.getvalue(), err.getvalue())


def words_of(command: str) -> list[str]:
    return shlex.split(command, comments=False)


def run_as_in_shell(command: str, warm: WarmCommand) -> Outcome:
    """Outcome of a command in a process of its own, behind what the shell does first."""
    parts = PARTS.fullmatch(command)
    assert parts is not None
    first, name, value, words, device = (part or "" for part in parts.groups())
    subprocess.run(["bash", "-c", first], check=True)
    blocks = re.fullmatch(r"ulimit -f (\d+); ", first)
    with pytest.MonkeyPatch.context() as patched:
        if name:
            patched.setenv(name, value)
        done = warm.run(
            *shlex.split(words), most_bytes=BLOCK * int(blocks[1]) if blocks else 0, stdout=device
        )
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("case", cases(PAGE, RARE), ids=lambda case: case.says)
def test_row_of_the_page(case: Case, here: Path, warm: WarmCommand) -> None:
    if "headless" in case.command:
        make_headless(here / "headless")
    needs_shell = NEEDS_SHELL.search(case.command)
    found = run_as_in_shell(case.command, warm) if needs_shell else run(case.command)
    assert "Traceback" not in found.stderr, found.stderr
    assert found.code == case.code, (found.stdout, found.stderr)
    said = found.stderr if case.code in (2, 3, 130) else found.stderr + found.stdout
    assert " ".join(case.words.split()) in " ".join(said.split())
    if case.code in (2, 3, 130):
        assert found.stdout == ""
        assert_is_one_paragraph(found.stderr)


def assert_is_one_paragraph(text: str) -> None:
    paragraph = PROGRESS.sub("", text)
    assert paragraph.endswith("\n")
    assert "\n\n" not in paragraph.strip("\n")
    assert 1 <= len(paragraph.splitlines()) <= 9
    for line in paragraph.splitlines():
        assert len(line) <= 80 or " " not in line.strip()


def test_page_has_many_cases_and_all_exit_codes() -> None:
    assert len(cases(PAGE)) >= 80
    assert len(cases(RARE)) >= 80
    assert {case.code for case in cases(PAGE)} == {0, 1, 2, 3, 4, 130}
    all_of_them = cases(PAGE, RARE)
    assert len({case.says + case.command for case in all_of_them}) == len(all_of_them)


RUN = (
    "run robustness --with typos --model builtin:sentiment --data csv:reviews.csv --draws 100 "
    "--display none"
)
TABLES = ("items", "variants", "records", "outputs", "estimates")


@pytest.fixture
def python_m(warm: WarmCommand) -> Ask:
    """Function of a command, which runs in a process with a limit of the size of files."""

    def ask(arguments: str, *, most_bytes: int = 0) -> subprocess.CompletedProcess[str]:
        return warm.run(*shlex.split(arguments), most_bytes=most_bytes)

    return ask


def test_run_that_hit_limits_goes_on_and_gives_the_same_file(here: Path, python_m: Ask) -> None:
    whole = python_m(f"{RUN} --out whole --no-cache")
    assert whole.returncode == 0, whole.stderr
    for most_bytes in (20_000, 120_000):  # early, and later on
        cut = python_m(f"{RUN} --out cut --no-cache", most_bytes=most_bytes)
        assert cut.returncode == 3, cut.stderr
        assert cut.stdout == ""
        assert "re-issue the same command" in " ".join(cut.stderr.split())
        assert not list(Path("cut").glob(".*tmp"))
    again = python_m(f"{RUN} --out cut --no-cache")
    assert again.returncode == 0, again.stderr
    for name in TABLES:
        ours, theirs = (Path(f, f"{name}.parquet").read_bytes() for f in ("whole", "cut"))
        assert ours == theirs, name
    assert again.stdout.replace("cut", "whole") == whole.stdout


def test_interrupted_run_goes_on_where_it_stopped(here: Path, python_m: Ask) -> None:
    command = "run performance --model python:./models.py:InterruptsOnce --data csv:reviews.csv"
    first = python_m(command)
    assert first.returncode == 130, first.stderr
    assert first.stdout == ""
    second = python_m(command)
    assert second.returncode == 0, second.stderr
    assert sorted(p.name for p in Path("runs").iterdir()) == ["performance-1"]
    third = python_m(command)  # finished runs are left alone
    assert third.returncode == 0, third.stderr
    assert sorted(p.name for p in Path("runs").iterdir()) == ["performance-1", "performance-2"]


def test_interrupt_of_a_crew_is_one_sentence(here: Path) -> None:
    """A terminal interrupts the driver and its workers alike; only the driver speaks."""
    arguments = [*shlex.split(RUN)[:-2], "--out", "out", "--workers", "2", "--no-cache"]
    process = subprocess.Popen(
        [sys.executable, "-m", "scrutiny", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    said = process.stderr.readline()
    assert said.startswith("Preparing variants")
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    # where the interrupt hits an import, Python itself ends by the signal: 130 for a shell, too
    assert process.returncode in (130, -signal.SIGINT)
    assert out == ""
    assert "Traceback" not in err
    assert "Interrupted." in err


def test_missing_answers_leave_a_claim_undecided(here: Path) -> None:
    found = run("scrutiny run performance --model python:./models.py:Nan --data csv:reviews.csv")
    assert found.code == 0
    assert "undecided" in found.stdout
    assert "16/40" in found.stdout


def test_failing_report_leaves_the_old_one(here: Path, python_m: Ask) -> None:
    Path("report.html").write_text("old")
    done = python_m("report done -o report.html", most_bytes=8192)
    assert done.returncode == 3
    assert Path("report.html").read_text() == "old"
    assert [p.name for p in Path().glob(".report*")] == []


def write_tables(folder: Path) -> None:
    rows = [
        (f"I {'liked' if i % 2 else 'hated'} the film number {i}.", ("negative", "positive")[i % 2])
        for i in range(40)
    ]
    color = {"positive": "red", "negative": "blue"}
    digit = {"positive": "1", "negative": "0"}
    plain = ("review", "label")
    table(folder / "reviews.csv", plain, rows)
    table(folder / "colors.csv", plain, [(f"{t} Really.", color[label]) for t, label in rows])
    table(folder / "numbers.csv", plain, [(t, digit[label]) for t, label in rows])
    table(folder / "one-class.csv", plain, [(t, "positive") for t, _ in rows])
    from_one = {"positive": "2", "negative": "1"}
    table(folder / "from-one.csv", plain, [(t, from_one[label]) for t, label in rows])
    cases = [(t, label.title() if i == 1 else label) for i, (t, label) in enumerate(rows)]
    table(folder / "cases.csv", plain, cases)
    table(folder / "accents.csv", plain, [("one", "n\u00e9"), ("two", "ne\u0301")])
    table(folder / "one-item.csv", plain, rows[:1])
    table(folder / "header-only.csv", plain, [])
    table(folder / "no-label.csv", plain, [(t, "") for t, _ in rows])
    table(folder / "blank.csv", plain, [(" ", label) for _, label in rows])
    table(folder / "some-blank.csv", plain, [("", "positive")] * 5 + rows[5:])
    named = ("id", "review", "label")
    table(folder / "twice.csv", named, [(i // 2, *row) for i, row in enumerate(rows)])
    table(folder / "named.csv", named, [(f"r{i}", *row) for i, row in enumerate(rows)])
    lines = [f"Ada B-PER\nsaw O\nRome B-LOC\n{i} O\n" for i in range(40)]
    (folder / "names.conll").write_text("\n".join(lines))
    (folder / "empty.csv").write_text("")
    (folder / "wide.csv").write_bytes((folder / "reviews.csv").read_text().encode("utf-16-le"))
    (folder / "latin1.csv").write_bytes("review,label\nsehr schön,positive\n".encode("latin-1"))
    (folder / "folder").mkdir()
    (folder / "folder" / "notes.txt").write_text("nothing of interest")
    cut_parquet(folder / "cut.parquet", rows)
    write_odd_files(folder, rows)
    some = [{"id": f"r{i}", "label": row[1]} for i, row in enumerate(rows[:30])]
    (folder / "some.jsonl").write_text("".join(json.dumps(line) + "\n" for line in some))
    (folder / "preds.jsonl").write_text('{"id": "1", "label": "positive"}\n')
    (folder / "nameless.jsonl").write_text('{"item": "1", "label": "positive"}\n')


def table(path: Path, header: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def write_odd_files(folder: Path, rows: list[tuple[str, str]]) -> None:
    """Files that readers choke on, or would read in silence as what they are not."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts, labels = (list(column) for column in zip(*rows, strict=True))
    twice = pa.table([texts, texts, labels], names=["review", "review", "label"])
    pq.write_table(twice, folder / "twice.parquet")
    once = pa.array(["x" * 10_000_000])
    many = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), once)
    bomb = pa.table({"review": many, "label": ["positive", "negative"] * 500})
    pq.write_table(bomb, folder / "bomb.parquet", compression="zstd", store_schema=False)
    bytes_of = pa.array([b"sch\xf6n", *(text.encode() for text in texts[1:])])
    unchecked = pa.StringArray.from_buffers(len(texts), *bytes_of.buffers()[1:])
    pq.write_table(pa.table({"review": unchecked, "label": labels}), folder / "latin1.parquet")
    line = '{{"review": {}, "label": "positive"}}\n'
    fine = line.format('"fine"') + line.format('"bad"').replace("positive", "negative")
    (folder / "twice.json").write_text('[\n{"review": "one", "review": "two", "label": "a"}]')
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "digits.jsonl").write_text(line.format("9" * 5000) + fine)
    (folder / "half.jsonl").write_text(line.format('"so\\ud800"') + fine)
    write_odd_annotations(folder)
    table(folder / "empty-id.csv", ("id", "review", "label"), [("", *row) for row in rows])
    (folder / "review.txt").write_text("A film.\n")


def write_odd_annotations(folder: Path) -> None:
    """Suites, trees, answers and documents that cannot be."""
    base = {"id": "a", "text": "I liked it.", "label": "positive"}
    last = {**base, "id": "z", "text": "I did like it.", "of": "a", "expect": "same", "test": "t"}
    odd = {
        "half-test": {"of": "a", "test": "\ud800"},
        "circle": {"of": "x", "expect": "same", "test": "t"},
        "edits": {"of": "a", "expect": "same", "test": "t", "edits": "not json"},
    }
    for name, case in odd.items():
        rows = [base, {**base, "id": "x", "text": "I liked this.", **case}, last]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    whole = {"id": "a", "fields": {"text": "Fine."}, "expect": "gold", "gold": "x", "test": "t"}
    (folder / "whole.jsonl").write_text(json.dumps(whole) + "\n")
    test = 'suite = 1\ntask = "text-classification"\n[[tests]]\ntest = "t"\nexpect = "gold"\n'
    (folder / "lable.toml").write_text(test + 'cases = [{text = "x", lable = "y"}]\n')
    word = "{}\t{}\t_\t_\t_\t_\t{}\tdep\t_\t_\n"
    (folder / "circle.conllu").write_text(word.format(1, "go", 2) + word.format(2, "on", 1))
    (folder / "digits.conllu").write_text(word.format(1, "go", "9" * 5000))
    asked = {"id": "q", "question": "Who?", "answers": [{"text": "Ada", "answer_start": "0"}]}
    paragraph = {"context": "Ada wrote it.", "qas": [asked]}
    (folder / "start.json").write_text(json.dumps({"data": [{"paragraphs": [paragraph]}]}))
    write_files_of_other_tools(folder)
    (folder / "open.conll").write_text("#begin document (d); part 000\nd 0 0 He - - (1)\n")


def write_files_of_other_tools(folder: Path) -> None:
    """Questions, spans, results and packed tables that cannot be read."""
    two = [{"text": "Ada", "answer_start": 0}, {"text": "it", "answer_start": 10}]
    for name, answers, more in (("open", [], {}), ("parts", two, {"context_id": "c"})):
        asked = {"id": "q", "question": "Who?", "answers": answers}
        paragraph = {"context": "Ada wrote it.", "qas": [asked], **more}
        (folder / f"{name}.json").write_text(json.dumps({"data": [{"paragraphs": [paragraph]}]}))
    lines = {
        "nested": {"data": {"text": "Fine."}, "label": "positive"},
        "several": {"text": "Fine.", "label": ["joy", "love"]},
        "far": {"text": "Ada ran.", "label": [[0, 90, "PER"]]},
    }
    for name, row in lines.items():
        (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "alone.ann").write_text("T1\tPER 0 3\tAda\n")
    packed = gzip.compress((folder / "reviews.csv").read_bytes())
    (folder / "cut.csv.gz").write_bytes(packed[:60])
    results = {
        "promptfoo": {"evalId": "e", "results": {"version": 3, "results": []}},
        "link": {"testRunLink": "https://app.example/run/1"},
        "talk": {"testCases": [], "conversationalTestCases": [{}]},
    }
    for name, value in results.items():
        (folder / f"{name}.json").write_text(json.dumps(value))


def cut_parquet(path: Path, rows: list[tuple[str, str]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts, labels = zip(*rows, strict=True)
    pq.write_table(pa.table({"review": texts, "label": labels}), path)
    path.write_bytes(path.read_bytes()[:300])


MODELS = """
import os, signal, sys
from pathlib import Path

class Model:
    labels = ("negative", "positive")
    def predict_proba(self, texts):
        return [self.one(text) for text in texts]
class Good(Model):
    def one(self, text): return [0.1, 0.9] if "liked" in text else [0.9, 0.1]
class Cases(Good):
    labels = ("negative", "positive", "Positive")
    def one(self, text): return [*super().one(text), 0.0]
class Masked(Good):
    def predict_proba(self, texts):
        import numpy as np
        return np.ma.masked_less(super().predict_proba(texts), 0.5)
class Painter(Good):
    labels = ("blue", "red")
class Nan(Good):
    def one(self, text):
        return [float("nan")] * 2 if text[-2] in "125678" else super().one(text)
class AllNan(Model):
    def one(self, text): return [float("nan")] * 2
class Shape(Model):
    def one(self, text): return [0.2, 0.3, 0.5]
class Few(Model):
    def predict_proba(self, texts): return [[0.5, 0.5]]
class Logits(Model):
    def one(self, text): return [3.0, -2.0]
class Raises(Good):
    def one(self, text):
        if text.endswith("1."): raise ValueError("no ones")
        return super().one(text)
class Exits(Good):
    def one(self, text): return sys.exit(0) if text.endswith("1.") else super().one(text)
class Leaves(Model):
    def one(self, text): os._exit(0)
class HalfMessage(Good):
    def one(self, text):
        if text.endswith("1."): raise ValueError("half \\ud800")
        return super().one(text)
class HalfLabel(Good):
    labels = ("negative", "\\ud800")
class OneNone(Good):
    def one(self, text): return None if text.endswith(" 11.") else super().one(text)
class DropsOne(Good):
    def predict_proba(self, texts):
        return super().predict_proba([text for text in texts if not text.endswith(" 11.")])
class Named:
    labels = ("negative", "positive")
    def predict(self, texts): return [self.one(text) for text in texts]
class OneOdd(Named):
    def one(self, text): return "odd" if text.endswith(" 11.") else "positive"
class AllOdd(Named):
    def one(self, text): return "odd"
def tags(texts):
    return [["O"] * (3 if text.endswith(" 7") else 4) for text in texts]
def open_types(texts):
    return [[(0, 3, "PERSON"), (8, 12, "GPE")] for _ in texts]
class Typed:
    labels = ("GPE", "PERSON")
    def predict(self, texts): return open_types(texts)
class RaisesAlways(Model):
    def one(self, text): raise ValueError("out of order")
class Interrupts(Model):
    def one(self, text): os.kill(os.getpid(), signal.SIGINT); return [0.5, 0.5]
class InterruptsOnce(Good):
    def one(self, text):
        if not Path("interrupted").exists():
            Path("interrupted").touch()
            os.kill(os.getpid(), signal.SIGINT)
        return super().one(text)
number = 5
"""


def write_models(folder: Path) -> None:
    (folder / "models.py").write_text(MODELS)
    (folder / "broken.py").write_text("import nowhere_to_be_found\n")
    (folder / "syntax.py").write_text("def f(:\n")
    (folder / "dated.toml").write_text(
        'url = "http://127.0.0.1:9/v1"\napi = "chat"\nlabels = ["negative", "positive"]\n'
        "extra = { until = 2026-01-01 }\n"
    )
    (folder / "blocked").mkdir()
    for name in ("torch", "transformers"):
        (folder / "blocked" / f"{name}.py").write_text("raise ImportError('not installed')\n")


PLAN = """[data.reviews]
source = "csv:reviews.csv"
[models.good]
source = "python:./models.py:Good"
[[measure]]
id = "level"
diagnostic = "performance@1"
"""


def write_plans(folder: Path) -> None:
    claim = '[[claim]]\nsays = "it is good"\nestimate = "{}"\nrule = "{}"\n'
    labels = 'source = "python:./models.py:Good"\nlabels = { positive = "grand" }'
    plans = {
        "syntax.toml": PLAN.replace("[[measure]]", "[[measure]"),
        "key.toml": PLAN.replace("source = ", "sorce = ", 1),
        "section.toml": PLAN.replace("[models.", "[model."),
        "seed.toml": 'seed = "one"\n' + PLAN,
        "model.toml": PLAN + 'models = ["goood"]\n',
        "diagnostic.toml": PLAN.replace("performance", "robustnes"),
        "same-id.toml": PLAN + '[[measure]]\nid = "level"\ndiagnostic = "robustness"\n',
        "nothing.toml": PLAN.partition("[[measure]]")[0],
        "repeated.toml": PLAN + '[[measure]]\nid = "again"\ndiagnostic = "performance"\n',
        "quoted.toml": 'seed = "3"\n' + PLAN,
        "truth.toml": "seed = true\n" + PLAN,
        "single.toml": PLAN.replace("[[measure]]", "[measure]"),
        "claim.toml": PLAN + claim.format("nowhere", "> 0.5"),
        "rule.toml": PLAN + claim.format("level", "=> 0.5"),
        "infinite.toml": PLAN + claim.format("level", "<= 1e999"),
        "nan.toml": PLAN + "[resampling]\nlevel = nan\n",
        "labels.toml": PLAN.replace('source = "python:./models.py:Good"', labels),
        "unused-label.toml": PLAN.replace(
            'source = "python:./models.py:Good"', labels.replace("positive", "positve")
        ),
        "plan.yaml": "measure: []\n",
        "twice.json": '{"seed": 1, "seed": 2}',
        "deep.json": '{"data":' * 100_000,
        "deep.toml": "seed = " + "[" * 100_000,
        "digits.json": '{"seed": ' + "9" * 5000 + "}",
        "half.json": '{"measure": [{"id": "\\ud800", "diagnostic": "performance"}]}',
        "nameless.toml": PLAN.replace('"level"', '" "'),
        "nameless-model.toml": PLAN.replace("[models.good]", '[models.""]'),
    }
    (folder / "plans").mkdir()
    for name, text in plans.items():
        (folder / "plans" / name).write_text(text)


def make_headless(folder: Path) -> None:
    """Checkpoint of an encoder: everything but a classification head."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        pytest.skip("needs the extra hf")
    from transformers import BertConfig, BertModel, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "i", "liked", "hated", "the", "film"]
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
    )
    BertModel(config).save_pretrained(folder)
