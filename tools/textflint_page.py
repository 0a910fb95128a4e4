"""Write the tables of docs/papers/textflint2021.md from the results on TextFlint's site.

    python tools/textflint_page.py ../shared/data/textflint_site

The folder holds pairs.tsv.gz (published scores before and after a change), human_scores.tsv.gz
(means and medians of raters) and papers.tsv.gz (lists of papers). What stands above the mark is
written by hand and kept; its table beside our own models is printed with

    python tools/textflint_page.py ../shared/data/textflint_site --run runs/tasks

where runs/tasks is a run of examples/all_tasks.toml.
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
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.report.compare.published_table import review_markdown
from scrutiny.report.load import load_view
from scrutiny.report.sections.change_matrix import costs_of
from scrutiny.run.importing.published_review import review
from scrutiny.run.importing.published_tables import read_published
from scrutiny.stats.intervals.one_factor import t_over_replicates
from scrutiny.stats.intervals.share_limits import exact_limits

PAGE = Path("docs/papers/textflint2021.md")
MARK = "<!-- Made by tools/textflint_page.py from the site's files; edit what stands above. -->"
#: Funnel of a talk of its authors: papers, on the tasks, with code, sharing data, reproducible.
FUNNEL = (15086, 3764, 1372, 527, 154)
#: Recipes that do what a change of the site describes, by its name there.
OURS = {
    "WordCase-upper": "word_case",
    "WordCase-title": "word_case(case=title)",
    "WordCase-lower": "word_case(case=lower)",
    "Typos": "typos",
    "SpellingError": "spelling_error",
    "Keyboard": "keyboard",
    "Ocr": "ocr",
    "SwapSyn-WordNet": "synonym_wordnet",
    "InsertAdv": "insert_adverb",
    "AppendIrr": "append_irrelevant",
    "Contraction": "contraction",
    "Tense": "tense",
    "TwitterType": "social_media",
    "AddPunc": "punctuation",
    "SwapNum": "number_swap",
    "SwapNamedEnt": "entity_swap",
    "RevTgt": "reverse_opinion",
    "RevNon": "reverse_other_opinions",
    "AddDiff": "add_aspects",
    "NumWord": "number_clash",
    "SwapAnt": "antonym_clash",
    "AddSent": "tautology(said=sentence,fields=text_pair)",
    "DoubleDenial": "double_denial",
    "ConcatSent": "concatenate",
    "EntTypos": "typos(where=within,share=1)",
    "OOV": "entity_swap(names=unseen)",
    "SwapLonger": "entity_swap(names=longer)",
    "CrossCategory": "entity_type_swap",
    "AddSubtree": "add_fact(form=clause)",
    "RemoveSubtree": "delete_subtree",
    "SwapPrefix": "prefix_swap",
    "RndConcat": "concatenate(count=1)",
    "RndDelete": "drop_sentence",
    "RndInsert": "add_sentence",
    "RndRepeat": "add_sentence(what=again)",
    "RndShuffle": "sentence_order",
    "AddSentDiverse": "distractor",
    "ModifyPos": "sentence_order(to=edge,fields=context)",
}
#: Measurement and score of examples/all_tasks.toml, by the name of the task there.
TASKS = {
    "SA": ("sentiment", "accuracy"),
    "NLI": ("inference", "accuracy"),
    "ABSA": ("aspects", "accuracy"),
    "NER": ("entities", "entity_f1"),
    "POS": ("trees", "upos"),
    "DP": ("trees", "las"),
    "COREF": ("coreference", "conll_f1"),
    "MRC": ("reading", "answer_f1"),
}
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


def beside(folder, run):
    """Median relative loss of the site's results, and that of ours on changed texts, in percent."""
    published = defaultdict(list)
    for row in filter(is_single, rows_of(folder / "pairs.tsv.gz")):
        before, after = float(row["original"] or 0), float(row["changed"] or 0)
        if 0 < before <= 100 and after <= 100:  # a few are misprints
            published[row["transformation"], row["task"]].append((before - after) / before)
    ours = {}
    for cell in costs_of(load_view(run)):
        alone, level = cell.alone, cell.level
        if cell.is_told and alone and alone.value is not None and level and level.value:
            measure = cell.finding.claim.id.partition("/")[0]
            ours[cell.change, measure, cell.column[-1]] = alone.value / level.value
    lines = []
    for name, recipe in OURS.items():
        cells = []
        for task, place in TASKS.items():
            there = published.get((name, task))
            here = ours.get((parse_recipe(recipe).name, *place))
            both = there and here is not None
            cells.append(f"{hundred(np.median(there))} / {hundred(here)}" if both else "")
        if any(cells):
            lines.append([name, f"`{recipe}`", *cells])
    return table(["change", "recipe", *TASKS], lines, right=range(2, 2 + len(TASKS)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--run", help="print the table beside our own models, and write nothing")
    asked = parser.parse_args()
    folder = asked.folder
    if asked.run:
        print(beside(folder, asked.run))
        return
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
