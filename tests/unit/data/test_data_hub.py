import os
import subprocess
import sys

import pytest

from scrutiny.core.errors import MissingExtraError
from scrutiny.data.dataset import load_dataset
from scrutiny.data.readers.objects import HubName, parse_name

ROWS = [{"sentence": f"row {i}", "label": i % 2} for i in range(6)]


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("glue/sst2:validation[:200]@rev", HubName("glue", "sst2", "validation[:200]", "rev")),
        ("stanfordnlp/imdb:test", HubName("stanfordnlp/imdb", None, "test", None)),
        ("nyu-mll/glue/sst2:train", HubName("nyu-mll/glue", "sst2", "train", None)),
        ("imdb@refs/convert/parquet", HubName("imdb", None, None, "refs/convert/parquet")),
        ("./folder:test[5:10]", HubName("./folder", None, "test[5:10]", None)),
        ("~/a/b/c", HubName("~/a/b/c", None, None, None)),
        (r"C:\data\saved:train", HubName(r"C:\data\saved", None, "train", None)),
    ],
)
def test_names(target, name):
    assert parse_name(target) == name


def test_stated_configuration():
    assert parse_name("org/set:test", config="en") == HubName("org/set", "en", "test", None)


@pytest.fixture
def datasets():
    return pytest.importorskip("datasets")


@pytest.fixture
def saved(datasets, tmp_path):
    datasets.disable_progress_bars()
    one = datasets.Dataset.from_list(ROWS)
    datasets.DatasetDict(train=one, test=one.select([4, 5])).save_to_disk(tmp_path / "two")
    one.save_to_disk(tmp_path / "one")
    return tmp_path


def test_saved_folders(saved):
    data = load_dataset(f"hf:{saved}/two:test")
    assert [e.text for e in data.examples] == ["row 4", "row 5"]
    assert data.name == "two-test"
    assert len(load_dataset(f"hf:{saved}/one")) == 6
    assert [e.text for e in load_dataset(f"hf:{saved}/one:train[1:3]").examples] == [
        "row 1",
        "row 2",
    ]
    assert len(load_dataset(f"hf:{saved}/two:train[:100]")) == 6


def test_saved_folder_splits(saved, failure):
    assert "several splits: train, test. Choose one" in failure(f"hf:{saved}/two")
    assert "no split 'dev'; it has train, test" in failure(f"hf:{saved}/two:dev")
    assert "[a:b], in rows" in failure(f"hf:{saved}/two:train[:10%]")


def test_what_is_asked_of_the_library(datasets, monkeypatch):
    asked = []

    def load(*args, **options):
        asked.append((args, options))
        return datasets.Dataset.from_list(ROWS)

    monkeypatch.setattr(datasets, "load_dataset", load)
    data = load_dataset("hf:glue/sst2:validation[:6]@r1#text=sentence")
    assert asked == [(("glue", "sst2"), {"split": "validation[:6]", "revision": "r1"})]
    assert data.examples[0].source == "glue/sst2:validation[:6]@r1:1"
    assert data.name == "sst2-validation"


def test_the_only_split_is_taken(datasets, monkeypatch):
    only = datasets.DatasetDict(train=datasets.Dataset.from_list(ROWS))
    monkeypatch.setattr(datasets, "load_dataset", lambda *_, **__: only)
    assert len(load_dataset("hf:org/set")) == 6


def test_whatever_fails_is_one_paragraph(datasets, monkeypatch, failure):
    def fail(*_, **__):
        raise ValueError("Unknown split 'dev'.\nMore lines.")

    monkeypatch.setattr(datasets, "load_dataset", fail)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    message = failure("hf:org/set:dev")
    assert "could not be loaded: ValueError: Unknown split 'dev'." in message
    assert "config=NAME" in message


def test_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtraError, match=r'pip install "scrutiny\[hf\]"'):
        load_dataset("hf:glue/sst2:validation")


def test_offline_is_honored(datasets, tmp_path):
    code = (
        "from scrutiny.data.dataset import load_dataset\n"
        "from scrutiny.core.errors import DataError\n"
        "try:\n    load_dataset('hf:glue/sst2:validation')\n"
        "except DataError as error:\n    print(error)\n"
    )
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment, capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert "HF_HUB_OFFLINE is set" in done.stdout
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("target", ["org/set@", "org/set:", "org/set:te st", "org/set@a:b"])
def test_names_that_do_not_read(datasets, failure, target):
    assert "cannot be read: it is hf:org/name:split[:200]@revision" in failure(f"hf:{target}")


def test_offline_failure_in_this_process(datasets, monkeypatch, failure):
    def fail(*_, **__):
        raise ConnectionError

    monkeypatch.setattr(datasets, "load_dataset", fail)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    message = failure("hf:org/set:dev")
    assert "ConnectionError: ConnectionError." in message
    assert "HF_HUB_OFFLINE is set" in message
