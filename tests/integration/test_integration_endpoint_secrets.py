"""A server that says back all that it was sent: no secret of it is kept or shown anywhere."""

import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.models.http import sending

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
HEADER, COOKIE, KEY = "sk-HHHH1111literal-header", "sess-CCCC2222cookie", "sk-KKKK3333api-key"
USER, WORD, SIGN = "user4444name", "pass5555word", "sign6666ature"
BASIC = b64encode(f"{USER}:{WORD}".encode()).decode()
SECRETS = (HEADER, COOKIE, KEY, WORD, SIGN, BASIC)


class Echo(BaseHTTPRequestHandler):
    """Says headers and path back: as an error, at the edge of what is cut, or in its answer."""

    how: ClassVar[str] = "error"

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        asked = json.loads(self.rfile.read(length))
        heard = f"{dict(self.headers)} {self.path}"
        text = {
            "error": heard,
            "cut": "x" * 280 + heard,
            "answer": f"positive {heard}",
            "odd": heard,
        }[self.how]
        if self.how == "answer":
            said = {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 3}}
        elif self.how == "odd":
            said = {"unexpected": {"echo": [text] * 9}, "asked": asked}
        else:
            said = {"error": {"message": text}}
        body = json.dumps(said).encode()
        self.send_response(200 if self.how in ("answer", "odd") else 400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(sending, "_senders", {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "kept" / "cache"))
    rows = [
        f"a {w} film {n},{k}"
        for n in range(6)
        for w, k in (("good", "positive"), ("bad", "negative"))
    ]
    Path("x.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    lines = [
        f'url = "http://{USER}:{WORD}@127.0.0.1:{port}/v1/chat/completions?sig={SIGN}"',
        'api = "chat"', 'model = "m"', 'labels = ["negative", "positive"]', "attempts = 1",
        'read = "start"', f'api_key = "{KEY}"',
        "[headers]", f'X-Odd-Name = "{HEADER}"', f'Cookie = "id={COOKIE}"',
    ]  # fmt: skip
    Path("secret.toml").write_text("\n".join(lines))
    Path("secret.toml").chmod(0o600)
    return tmp_path


@pytest.mark.parametrize("how", ["error", "cut", "answer", "odd"])
def test_no_secret_is_kept_or_shown(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], how: str
) -> None:
    monkeypatch.setattr(Echo, "how", how)
    words = ["run", "performance", "--model", "http:secret.toml", "--data", "csv:x.csv"]
    monkeypatch.setattr("sys.argv", ["scrutiny", *words])
    exit_code_of(group, [*words, "--out", "kept/run", "--html", "kept/page.html"])
    for form in ("md", "csv", "json", "xml", "txt"):
        exit_code_of(group, ["report", "kept/run", "-o", f"kept/report.{form}"])
    exit_code_of(group, ["doctor", "--model", "http:secret.toml"])
    said = capfd.readouterr()
    held = {"stdout": said.out.encode(), "stderr": said.err.encode()}
    held |= {str(p): p.read_bytes() for p in Path("kept").rglob("*") if p.is_file()}
    assert len(held) > 6
    whole = [KEY[:12], *SECRETS] if how == "cut" else SECRETS
    found = {
        (name, secret) for name, data in held.items() for secret in whole if secret.encode() in data
    }
    assert found == set()


def test_the_answer_is_read_all_the_same(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Echo, "how", "answer")
    words = ["run", "performance", "--model", "http:secret.toml", "--data", "csv:x.csv"]
    assert exit_code_of(group, [*words, "--out", "kept/run"]) == 0
    manifest = Path("kept/run/manifest.json").read_text()
    assert "http:secret.toml" in manifest
    assert "127.0.0.1" in manifest or "secret.toml" in manifest


@pytest.mark.parametrize(
    "model",
    [
        "http://{word}@127.0.0.1:{port}/v1",
        "http://:{word}@127.0.0.1:{port}/v1",
        "http://me:a/b@{word}@127.0.0.1:{port}/v1",
        "http://127.0.0.1:{port}/v1?sig={word}",
    ],
)
def test_no_secret_of_an_address_is_kept_or_shown(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    model: str,
    port: int,
) -> None:
    monkeypatch.setattr(Echo, "how", "error")
    source = model.format(word=WORD, port=port) + "#api=chat,model=m,labels=negative|positive"
    words = ["run", "performance", "--model", source, "--data", "csv:x.csv", "--out", "kept/run"]
    monkeypatch.setattr("sys.argv", ["scrutiny", *words])
    exit_code_of(group, words)
    said = capfd.readouterr()
    held = [said.out, said.err]
    held += [p.read_bytes().decode("latin-1") for p in here.rglob("kept/**/*") if p.is_file()]
    assert not any(WORD in text for text in held)
