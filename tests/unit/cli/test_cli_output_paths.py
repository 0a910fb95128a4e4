from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.early_checks import must_be_beside, what_is_wrong
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.errors import PlanError
from scrutiny.store.files import save_text


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").write_text("kept")
    Path("circle").symlink_to("circle")
    Path("to-folder").symlink_to("folder")
    Path("to-file").symlink_to("file")
    Path("to-nothing").symlink_to("folder/new")
    Path("run").mkdir()
    Path("run/manifest.json").write_text("{}")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("folder", "is a folder"),
        ("new/", "is a folder"),
        ("to-folder", "is a folder"),
        ("circle", "leads to itself"),
        ("file/page.html", "'file' is a file, and cannot hold 'page.html'"),
        ("run/records.parquet", "is a file of the run"),
        ("run/journal.sqlite-wal", "is a file of the run"),
    ],
)
def test_a_place_that_holds_no_file_is_said(here: Path, name: str, words: str) -> None:
    assert words in what_is_wrong(name)


@pytest.mark.parametrize(
    "name", ["page.html", "new/page.html", "file", "run/page.html", "to-file", "/dev/null"]
)
def test_every_other_place_will_do(here: Path, name: str) -> None:
    assert what_is_wrong(name) == ""


def test_a_place_where_nothing_can_be_written_is_known_by_trying() -> None:
    assert "nothing can be written to '/proc': " in what_is_wrong("/proc/new.html")


@pytest.mark.parametrize("name", ["to-file", "to-nothing"])
def test_a_link_stays_and_what_it_leads_to_is_written(here: Path, name: str) -> None:
    save_text(Path(name), "new")
    assert Path(name).is_symlink()
    assert Path(name).resolve().read_text() == "new"


@pytest.mark.parametrize("name", ["run", "run/manifest.json"])
def test_a_page_is_no_part_of_a_run(here: Path, name: str) -> None:
    with pytest.raises(PlanError, match="--html"):
        must_be_beside(Path(name), Path("run"))
    must_be_beside(Path("run/page.html"), Path("run"))


def test_the_page_of_an_audit_is_looked_at_before_anything_is_asked(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("out/report.html").mkdir(parents=True)
    words = "audit --model builtin:sentiment --data builtin:reviews --out out"
    assert exit_code_of(group, words.split()) == 2
    assert "The page cannot be written: 'out/report.html'" in " ".join(
        capsys.readouterr().err.split()
    )
    assert not Path("out/journal.sqlite").exists()
