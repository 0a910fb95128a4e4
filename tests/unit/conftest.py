"""Files of our own for tests of readers and tasks, and the shared data where it is at hand."""

import os
from pathlib import Path

import pytest
from chat_server import quick_retries, serve  # noqa: F401

from scrutiny.data.dataset import load_dataset

ROOT = Path(__file__).parents[2]  # of the repository


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file into the working folder of the test and return its name."""
    monkeypatch.chdir(tmp_path)

    def write_file(name, content):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8", newline="")
        return name

    return write_file


@pytest.fixture
def failure():
    """Message of the error that loading raises, which is one paragraph."""
    from scrutiny.core.errors import UserError

    def message(source, **options):
        with pytest.raises(UserError) as caught:
            load_dataset(source, **options)
        text = str(caught.value)
        assert "\n" not in text
        assert text.endswith((".", ")", "?", "…"))
        return text

    return message


@pytest.fixture
def shared(request):
    """Folder with the shared data that the test's ``data`` marker names."""
    base = Path(os.environ.get("SCRUTINY_DATA", ROOT.parent / "shared" / "data"))
    for name in request.node.get_closest_marker("data").args:
        if not (base / name).is_dir():
            pytest.skip(f"{name} is not under SCRUTINY_DATA")
    return base
