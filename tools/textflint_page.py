"""Write the tables of docs/papers/textflint2021.md from the results on TextFlint's site.

    python tools/textflint_page.py ../shared/data/textflint_site

The folder holds pairs.tsv.gz (published scores before and after a change), human_scores.tsv.gz
(means and medians of raters) and papers.tsv.gz (lists of papers). What stands above the mark is
written by hand and kept.
"""

import argparse
import csv
import gzip
import json
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from scrutiny.blocks.terminal_and_markdown import table
from scrutiny.core.boundary.printable import hundred
from scrutiny.report.compare.published_table import review_markdown
from scrutiny.run.importing.published_review import review
from scrutiny.run.importing.published_tables import read_published
from scrutiny.stats.intervals.one_factor import t_over_replicates
from scrutiny.stats.intervals.share_limits import exact_limits

PAGE = Path("docs/papers/textflint2021.md")
MARK = "<!-- Made by tools/textflint_page.py from the site's files; edit what stands above. -->"
#: Funnel of a talk of its authors: papers, on the tasks, with code, sharing data, reproducible.
FUNNEL = (15086, 3764, 1372, 527, 154)
_KINDS = (("grammaticality", 0), ("plausibility", 2))  # places in a list of means and medians
_FEWEST = 3  # tasks of a change that gets limits


def rows_of(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def is_single(row):
    """Whether a result is of one change, and of no subpopulation of the texts."""
    stage = row["file"].replace("+", "_").split("_")
    return stage[0] in ("ut", "domain") and stage[1] not in ("ut", "domain")


def write_table(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def reviewed(folder):
    """Tables of single changes, by `scrutiny review`."""
    rows = [row for row in rows_of(folder / "pairs.tsv.gz") if is_single(row)]
    with TemporaryDirectory() as name:
        path = Path(name, "single-changes.csv")
        write_table(path, rows)
        return review_markdown(review(read_published(f"{path}#metric=file")))


def human_scores(folder):
    """Change of raters' scores by change, over tasks."""
    found = defaultdict(lambda: defaultdict(list))
    for row in rows_of(folder / "human_scores.tsv.gz"):
        scores = json.loads(row["json"])
        name = row["file"].removesuffix(".json").strip().replace("_", "-")
        for kind, place in _KINDS:
            before, after = scores["ori_list"][place], scores["trans_list"][place]
            if before is not None and after is not None:
                found[kind][name].append((float(before), float(after)))
    first, second = (found[kind] for kind, _ in _KINDS)
    lines = []
    for name in first.keys() & second.keys():
        cells = [name, str(len(second[name]))]
        for kind in (first, second):
            before, after = np.array(kind[name]).T
            apart = after - before
            said = f"{before.mean():.2f} → {after.mean():.2f}: {apart.mean():+.2f}"
            if apart.size >= _FEWEST:
                limits = t_over_replicates(apart)
                said += f" [{limits.low:+.2f}, {limits.high:+.2f}]"
            cells.append(said.replace("-", "−"))
        lines.append((float(np.diff(first[name]).mean()), name, cells))
    header = ["change", "tasks", *(kind for kind, _ in _KINDS)]
    return table(header, [cells for *_, cells in sorted(lines)], right=(1,))


def funnel(folder):
    """Steps of the funnel, as far as the lists hold."""
    papers = rows_of(folder / "papers.tsv.gz")
    uses = Counter((p["task"], d) for p in papers for d in {*p["datasets"].split("|")} if d)
    coded = [p for p in papers if p["code"]]
    sharing = [
        p for p in coded if any(uses[p["task"], d] > 1 for d in p["datasets"].split("|") if d)
    ]
    titles = [len({p["paper"] for p in some}) for some in (papers, coded, sharing)]
    listed = ["–", *(f"{n:,}" for n in titles), "–"]
    steps = (
        "papers from 2011 to 2021",
        "on the tasks",
        "with code",
        "sharing a data set",
        "reproducible",
    )
    low, high = exact_limits(FUNNEL[-1] / FUNNEL[-2], FUNNEL[-2], tail=0.025)
    share = f"{100 * FUNNEL[-1] / FUNNEL[-2]:.2f}"
    said = (
        f"Of the papers that share a data set, {share} % are reproducible; of as many "
        f"drawn at random that would be known to {hundred(float(low))} to "
        f"{hundred(float(high))} %."
    )
    rows = [[step, f"{n:,}", here] for step, n, here in zip(steps, FUNNEL, listed, strict=True)]
    return (
        table(["step", "in a talk of its authors", "on the site's lists"], rows, right=(1, 2))
        + f"\n\n{said}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0].rstrip()
    blocks = [
        head,
        MARK,
        "## Single changes",
        reviewed(folder).rstrip(),
        "## What raters said",
        human_scores(folder),
        "## The funnel of papers",
        funnel(folder),
    ]
    PAGE.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
