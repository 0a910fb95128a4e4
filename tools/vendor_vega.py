"""Fetch Vega, Vega-Lite and Vega-Embed and join them into the one file that reports inline.

    python tools/vendor_vega.py            # needs npm; writes src/scrutiny/report/static/

Versions are pinned here; the digest of what came out is in static/vega.json and is tested.
"""

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

PARTS = {
    "vega": ("6.4.0", "build/vega.min.js"),
    "vega-lite": ("6.5.0", "build/vega-lite.min.js"),
    "vega-embed": ("7.3.0", "build/vega-embed.min.js"),
}
#: What the three minified builds contain besides Vega's own packages.
BUNDLED = (
    "d3-array",
    "d3-geo-projection",
    "delaunator",
    "fast-json-patch",
    "internmap",
    "json-stringify-pretty-compact",
    "robust-predicates",
    "semver",
    "topojson-client",
)
STATIC = Path(__file__).parents[1] / "src/scrutiny/report/static"


def main():
    with tempfile.TemporaryDirectory() as folder:
        packages = [f"{name}@{version}" for name, (version, _) in PARTS.items()]
        quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        (Path(folder) / "package.json").write_text('{"private": true}')
        subprocess.run(["npm", "install", *quiet, *packages], cwd=folder, check=True)
        modules = Path(folder) / "node_modules"
        write_bundle(modules)
        (STATIC / "NOTICE.md").write_text(notice(modules), encoding="utf-8")


def write_bundle(modules):
    pieces, record = [], {}
    for name, (version, path) in PARTS.items():
        source = (modules / name / path).read_bytes()
        record[name] = {"version": version, "sha256": hashlib.sha256(source).hexdigest()}
        text = source.decode("utf-8").split("//# sourceMappingURL=")[0].strip()
        assert "</script" not in text.lower(), name
        pieces.append(f"/* {name} {version}, BSD-3-Clause; notices in NOTICE.md */\n{text}")
    bundle = ("\n".join(pieces) + "\n").encode("utf-8")
    record["bundle"] = {"bytes": len(bundle), "sha256": hashlib.sha256(bundle).hexdigest()}
    (STATIC / "vega.min.js").write_bytes(bundle)
    (STATIC / "vega.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def notice(modules):
    versions = ", ".join(f"{name} {version}" for name, (version, _) in PARTS.items())
    head = (
        "# Notices for vega.min.js\n\n"
        f"`vega.min.js` joins the published minified builds of {versions}, unchanged but for the\n"
        "source-map comments (`tools/vendor_vega.py`). They contain the packages below.\n"
    )
    sections = [section(modules, name) for name in (*PARTS, *BUNDLED)]
    return head + "".join(sections)


def section(modules, name):
    folder = modules / name
    about = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    rights = next(iter(sorted(folder.glob("LICEN[CS]E*"))))
    text = rights.read_text(encoding="utf-8").strip()
    if name == "d3-array":
        name = "d3 (all d3-* packages)"
    return f"\n## {name} {about['version']} ({about['license']})\n\n```\n{text}\n```\n"


if __name__ == "__main__":
    main()
