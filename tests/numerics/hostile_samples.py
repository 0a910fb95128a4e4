"""Small valid files of every kind that scrutiny reads, by name."""

import json
from typing import Any, Final

from hostile_files import (
    Kind,
    arrow_of,
    data,
    lines_of,
    log_of,
    parquet_of,
    predictions,
    scores_file,
    text_of,
    xlsx_of,
)

from scrutiny.data.dataset import load_dataset
from scrutiny.data.labels import parse_label_map
from scrutiny.diagnostics.suites.expectations import parse_expectation
from scrutiny.run.estimating.accepted import read_accepted
from scrutiny.run.importing import deepeval, inspect_log, lm_eval, promptfoo
from scrutiny.run.planning.plan_file import read_plan

ROWS: Final[list[dict[str, Any]]] = [
    {"id": f"i{k}", "text": f"I {'liked' if k % 2 else 'hated'} film {k}.", "label": "ab"[k % 2]}
    for k in range(4)
]
TABLE: Final = "id,text,label\n" + "".join(f'{r["id"]},"{r["text"]}",{r["label"]}\n' for r in ROWS)
WORD: Final = "{}\t{}\t{}\tNOUN\tNN\t_\t{}\t{}\t_\t_\n"
TREE: Final = "".join(
    f"# newdoc id = d{k}\n# sent_id = s{k}\n# text = dogs bark .\n"
    + WORD.format(1, "dogs", "dog", 2, "nsubj")
    + WORD.format(2, "bark", "bark", 0, "root")
    + WORD.format(3, ".", ".", 2, "punct")
    + "\n"
    for k in range(2)
)
AGREEING: Final = "".join(
    f"# sent_id = v{k}\n"
    f"1\tdog{n}\tdog\tNOUN\t_\tNumber={'Plur' if n else 'Sing'}\t2\tnsubj\t_\t_\n"
    "2\tis\tbe\tAUX\t_\tMood=Ind|Number="
    + ("Plur" if n else "Sing")
    + "|Person=3|Tense=Pres|VerbForm=Fin\t0\troot\t_\t_\n\n"
    for k, n in enumerate(("", "s"))
)
CONLL2012: Final = "".join(
    f"#begin document (d{k}); part 000\nd 0 0 Ada - - (1)\nd 0 1 saw - - -\nd 0 2 her - - (1)|(2\n"
    "\nd 0 0 own - - 2)\n\n#end document\n"
    for k in range(2)
)
ASKED: Final = {"id": "q", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]}
SQUAD: Final = {
    "data": [{"title": "t", "paragraphs": [{"context": "Ada wrote it.", "qas": [ASKED]}]}]
}
CHANGED: Final = ASKED | {"id": "r", "original_id": "q"}
QUOREF: Final = {
    "data": [{"paragraphs": [{"context": "Ada wrote it.", "context_id": "c", "qas": [CHANGED]}]}]
}
SUITE: Final = [
    {"suite": 1, "task": "text-classification"},
    {"id": "a", "text": "Fine.", "label": "p", "group": "g"},
    {"id": "b", "text": "Not fine.", "label": "n", "of": "a", "test": "t", "expect": "gold",
     "capability": "negation", "edits": '[["text",0,1,"Not f",[],false]]', "facts": {"n": 1}},
    {"id": "c", "text": "Fine!", "of": "a", "expect": "same", "test": "u", "draw": 1},
    {"id": "d", "text": "Fine?", "of": "a", "expect": "moves(label=p,most=0.1)", "role": "control",
     "twin_of": "c", "test": "u"},
]  # fmt: skip
WHOLE: Final = [
    {"suite": 1, "task": "token-tagging"},
    {"id": "a", "fields": {"text": "Ada ran."}, "gold": [["text", 0, 3, "PER"]], "language": "en",
     "tokens": {"text": [[0, 3], [4, 8]]}, "spans": [["text", 0, 3, "x"]], "protected": []},
    {"id": "b", "fields": {"text": "Ada sat."}, "of": "a", "expect": "same", "test": "t"},
]  # fmt: skip
GAP: Final = (
    "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
    "one\tVera met Olga before she left.\tshe\t21\tVera\t0\tTRUE\tOlga\t9\tFALSE\thttp://x.example\n"
)
CROWS: Final = (
    ",sent_more,sent_less,stereo_antistereo,bias_type,annotations\n"
    '0,"The old clerk, too, was slow.","The young clerk, too, was slow.",stereo,age,x\n'
    "1,My uncle knits.,My aunt knits.,antistereo,gender,x\n"
)
TRIPLE: Final = {
    "id": "e1", "target": "baker", "bias_type": "profession", "context": "The baker was BLANK.",
    "sentences": [
        {"id": k, "sentence": f"The baker was {k}.", "gold_label": k, "labels": [{}]}
        for k in ("unrelated", "stereotype", "anti-stereotype")
    ],
}  # fmt: skip
STEREOSET: Final = {"version": "1.0", "data": {"intrasentence": [TRIPLE], "intersentence": []}}
BIAS: Final = {
    name: {"category": name, "examples": ["oak", "saw", "This is kind."]}
    for name in ("targ1", "targ2", "attr1", "attr2")
}
STORY: Final = [
    {"sent": {"a1": "It", "a2": "never", "a3": "rains"},
     "negframe": [{"neg_cue": ["a2"], "neg_scopes": ["a1", "a3"]}]},
]  # fmt: skip
CD_SCO: Final = "".join(
    f"g01\t0\t{i}\t{word}\t{word}\tX\t*\t{cue}\t{scope}\t_\n"
    for i, (word, cue, scope) in enumerate(
        [("Nobody", "Nobody", "_"), ("saw", "_", "saw"), ("it", "_", "it")]
    )
)
REVIEW: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<DOCUMENT><P><SENTENCE><W>I</W>'
    '<cue ID="1" type="negation"><W>do</W><W>n\'t</W></cue><xcope ID="2"><ref ID="3" SRC="1"/>'
    "<C><W>mind</W></C></xcope></SENTENCE></P></DOCUMENT>\n"
)
BIO: Final = (
    '<?xml version="1.0" encoding="utf-8"?>\n<Annotation><DocumentSet><Document>'
    '<DocID type="PMID">17</DocID><DocumentPart type="Title"><sentence id="S1">It was '
    '<xcope id="X"><cue type="negation" ref="X">not</cue> dry</xcope></sentence>'
    "</DocumentPart></Document>"
    "</DocumentSet></Annotation>\n"
)
MATRES: Final = (
    '<DATA><SENTENCE UNITID="u1" LABEL="BEFORE" PERTURB="{}">We///we///PRP///O '
    "sat///sit///VBD///E1 and///and///CC///O ran///run///VBD///E2</SENTENCE></DATA>\n"
)
ROPES: Final = {
    "data": [{"paragraphs": [{"background": "Wet.", "situation": "Dan ran.", "qas": [ASKED]}]}]
}
SAMPLES: Final = [
    {
        "doc_id": k, "doc": {"sentence": f"S {k}."}, "target": "1", "filter": "none", "acc": 1.0,
        "arguments": {f"gen_args_{i}": {"arg_0": "S", "arg_1": f" {i}"} for i in range(2)},
        "resps": [[["-2.0", "False"]], [["-0.5", "True"]]], "metrics": ["acc"],
        "filtered_resps": [["-2.0", "False"], ["-0.5", "True"]],
        "doc_hash": f"{k:064x}", "prompt_hash": "c" * 64, "target_hash": "d" * 64,
    }
    for k in range(3)
]  # fmt: skip
RESULTS: Final = {
    "results": {"t": {"acc,none": 1.0, "acc_stderr,none": 0.1}}, "n-shot": {"t": 0},
    "configs": {"t": {"task": "t"}}, "higher_is_better": {"t": {"acc": True}}, "model_name": "m",
}  # fmt: skip
INSPECT: Final = {
    "version": 2, "status": "success",
    "eval": {"model": "m", "task": "t", "created": "2026-01-01", "config": {"epochs": 1}},
    "results": {"scores": [{"name": "match", "metrics": {"accuracy": {"value": 1.0}}}]},
    "samples": [
        {"id": k, "epoch": 1, "input": "Who?", "target": "Ada", "metadata": {"kind": "x"},
         "scores": {"match": {"value": "C", "answer": "Ada"}}, "output": {"completion": "Ada"}}
        for k in range(2)
    ],
}  # fmt: skip
PREDICTIONS: Final = [
    {"id": "0", "label": "a", "probabilities": {"a": 0.75, "b": 0.25}},
    {"id": "1", "label": "b", "probabilities": {"a": 0.25, "b": 0.75}},
]
PLAN: Final = """seed = 3
[data.reviews]
source = "csv:reviews.csv"
[models.good]
source = "builtin:sentiment"
labels = { positive = "a" }
[[measure]]
id = "level"
diagnostic = "robustness@1"
models = ["good"]
params = { draws = 2 }
[resampling]
draws = 100
level = 0.95
[[claim]]
says = "it is good"
estimate = "level"
rule = "> 0.5"
"""
ACCEPTED: Final = '[[accept]]\nrisk = "typos"\nwhy = "known"\nmost = 0.1\nuntil = 2030-01-01\n'


def text_file(text: str, name: str, scheme: str, options: str = "", **more: Any) -> Kind:
    """Kind of a file of text that a scheme reads."""
    return Kind(text.encode(), name, data(scheme, options), **more)


def json_file(value: Any, name: str, scheme: str, options: str = "", **more: Any) -> Kind:
    """Kind of a JSON file that a scheme reads."""
    content = json.dumps(value, indent=1).encode()
    return Kind(content, name, data(scheme, options), is_json=True, **more)


CELLS = [{"id": "i0", "text": "Good.", "label": "a"}, {"id": "i1", "text": "Bad.", "label": "b"}]
SPANS = [
    {"text": "Ada is in Paris.", "spans": [{"start": 0, "end": 3, "label": "PER"}]},
    {"text": "It rained.", "spans": []},
]
PROMPTFOO = {
    "results": {
        "version": 3,
        "results": [
            {"promptIdx": 0, "testIdx": n, "vars": {"q": "1+1"}, "provider": {"id": "openai:x"},
             "prompt": {"raw": "Q: 1+1", "label": "p"}, "response": {"output": "2"},
             "success": True, "score": 1, "gradingResult": {"pass": True, "score": 1}}
            for n in range(2)
        ],
    }
}  # fmt: skip
DEEPEVAL = {
    "testCases": [
        {"name": f"t{n}", "input": "1+1", "actualOutput": "2", "expectedOutput": "2",
         "success": True, "metricsData": [{"name": "Correctness", "score": 1.0, "success": True}]}
        for n in range(2)
    ]
}  # fmt: skip

KINDS: Final[dict[str, Kind]] = {
    "csv": text_file(TABLE, "d.csv", "csv"),
    "csv with a header of none": text_file(
        TABLE, "h.csv", "csv", "#header=none,text=1,label=2,quote=none"
    ),
    "csv with a map": text_file(TABLE, "m.csv", "csv", "#labels=a:p|b:q,group=id"),
    "tsv": text_file(TABLE.replace(",", "\t"), "d.tsv", "tsv"),
    "jsonl": Kind(lines_of(ROWS), "d.jsonl", data("jsonl"), is_json=True),
    "json": json_file(ROWS, "d.json", "json"),
    "json of columns": json_file({k: [r[k] for r in ROWS] for k in ROWS[0]}, "c.json", "json"),
    "json with a field": json_file({"v": 1, "rows": ROWS}, "f.json", "json", "#field=rows"),
    "parquet": Kind(parquet_of(ROWS), "d.parquet", data("parquet")),
    "arrow": Kind(arrow_of(ROWS), "d.arrow", data("arrow")),
    "xlsx": Kind(xlsx_of(CELLS), "d.xlsx", data("xlsx")),
    "spans": Kind(lines_of(SPANS), "spans.jsonl", data("spans"), is_json=True),
    "brat": text_file("T1\tPER 0 3\tAda\nT2\tCITY 10 15\tParis\n", "b.ann", "brat",
                      beside={"b.txt": b"Ada is in Paris.\n"}),
    "conll": text_file("-DOCSTART- O\n\nAda B-PER\nran O\n\n# id = x\nit O\n", "d.conll", "conll"),
    "conllu": text_file(TREE, "d.conllu", "conllu"),
    "conllu raw": text_file(TREE, "r.conllu", "conllu", "#spacing=raw,subtypes=drop"),
    "conllu classes": text_file(TREE, "u.conllu", "conllu", "#annotation=upos"),
    "conll2012": text_file(CONLL2012, "e.conll", "conll2012"),
    "conll2012 windows": text_file(CONLL2012, "w.conll", "conll2012", "#window=4"),
    "squad": json_file(SQUAD, "q.json", "squad"),
    "answers of the hub": Kind(
        lines_of([{"question": "Who?", "context": "Ada wrote it.",
                   "answers": {"text": ["Ada"], "answer_start": [0]}}]),
        "a.jsonl", data("jsonl", "#task=question-answering"), is_json=True,
    ),
    "tags": Kind(
        lines_of([{"tokens": ["Ada", "ran"], "tags": ["B-PER", "O"]}]), "t.jsonl", data("jsonl"),
        is_json=True,
    ),
    "arcs": Kind(
        lines_of([{"words": ["a", "b"], "heads": [2, 0], "relations": ["x", "root"]}] * 2),
        "arcs.jsonl", data("jsonl", "#task=dependency-arcs"), is_json=True,
    ),
    "clusters": Kind(
        lines_of([{"words": ["Ada", "saw", "her"], "clusters": [[[0, 0], [2, 2]]]}]),
        "k.jsonl", data("jsonl", "#task=coreference"), is_json=True,
    ),
    "suite": Kind(lines_of(SUITE), "s.jsonl", data("suite"), is_json=True),
    "suite of whole items": Kind(lines_of(WHOLE), "w.jsonl", data("suite"), is_json=True),
    "contrast": text_file(
        "of,text,label\ni0,Bad film.,a\ni1,Good one.,b\n", "after.csv", "contrast",
        "#originals=before.csv,of=of", beside={"before.csv": TABLE.encode()},
    ),
    "matres": text_file(
        MATRES.format("order"), "after.xml", "contrast", "#originals=before.xml",
        beside={"before.xml": MATRES.format("").encode()},
    ),
    "ropes": json_file(
        ROPES, "after.json", "contrast", "#originals=before.json",
        beside={"before.json": json.dumps(ROPES).encode()},
    ),
    "quoref": json_file(
        QUOREF, "new.json", "contrast", "#originals=old.json",
        beside={"old.json": json.dumps(SQUAD).encode()},
    ),
    "story": json_file(STORY, "story.json", "negation"),
    "cd-sco": text_file(CD_SCO, "train.txt", "negation"),
    "sfu": text_file(REVIEW, "no1.xml", "negation"),
    "bioscope": text_file(BIO, "bio.xml", "negation"),
    "stereoset": json_file(STEREOSET, "dev.json", "stereoset"),
    "crows-pairs": text_file(CROWS, "crows.csv", "crows-pairs"),
    "gap": text_file(GAP, "gap.tsv", "gap"),
    "dream": json_file(
        [[["M: Who left?", "W: Ada."],
          [{"question": "Who left?", "choice": ["Ada", "Bo"], "answer": "Ada"}], "d1"]],
        "dream.json", "dream",
    ),
    "winograd": text_file(
        "Bo said he saw Al before he left.\nhe\nBo,Al\nAl\n\nBo met Al when [MASK] came.\n[MASK]\n"
        " Bo , Al\n Bo\n", "wsc.txt", "winograd",
    ),
    "relations": text_file(
        '1\t"The <e1>key</e1> is in the <e2>box</e2>."\nContent-Container(e1,e2)\nComment:\n\n',
        "task8.txt", "relations",
    ),
    "segmented": text_file("我 来到 北京\n他 走 了\n", "pku.utf8", "segmented"),
    "agreement": text_file(AGREEING, "v.conllu", "agreement"),
    "segmented trees": text_file(TREE, "s.conllu", "segmented"),
    "parallel": text_file("One.\nTwo.\n", "a.txt", "parallel", "#to=b.txt",
                          beside={"b.txt": b"Uno.\nDos.\n"}),
    "parallel trees": text_file(TREE, "a.conllu", "parallel", "#to=b.conllu",
                                beside={"b.conllu": TREE.encode()}),
    "text": text_file("One passage.\n\nAnother one.\n", "p.txt", "text"),
    "sent-bias": json_file(BIAS, "weat1.jsonl", "sent-bias"),
    "head-scores": Kind(scores_file(), "s.npz", data("head-scores", "#corpus=story")),
    "lm-eval": Kind(lines_of(SAMPLES), "samples_t_2026-01-01T00-00-00.jsonl", log_of(lm_eval),
                    is_json=True),
    "results of lm-eval": Kind(
        json.dumps(RESULTS).encode(), "results_2026-01-02T00-00-00.json",
        lambda path: log_of(lm_eval)(path.with_name("samples_t_2026-01-02T00-00-00.jsonl")),
        is_json=True, beside={"samples_t_2026-01-02T00-00-00.jsonl": lines_of(SAMPLES)},
    ),
    "inspect": Kind(json.dumps(INSPECT).encode(), "i.json", log_of(inspect_log), is_json=True),
    "promptfoo": Kind(json.dumps(PROMPTFOO).encode(), "f.json", log_of(promptfoo), is_json=True),
    "promptfoo lines": Kind(
        lines_of(PROMPTFOO["results"]["results"]), "f.jsonl", log_of(promptfoo), is_json=True
    ),
    "deepeval": Kind(json.dumps(DEEPEVAL).encode(), "e.json", log_of(deepeval), is_json=True),
    "predictions": Kind(lines_of(PREDICTIONS), "p.jsonl", predictions, is_json=True),
    "predictions of csv": Kind(b"id,p_a,p_b\n0,0.75,0.25\n1,0.25,0.75\n", "p.csv", predictions),
    "predictions of parquet": Kind(
        parquet_of([{"id": "0", "label": "a"}, {"id": "1", "label": "b"}]), "p.parquet", predictions
    ),
    "plan": Kind(PLAN.encode(), "plan.toml", read_plan),
    "accepted": Kind(ACCEPTED.encode(), "accepted.toml", read_accepted),
    "label map": Kind(b"0:negative|1:posi%2Ctive", "labels", text_of(parse_label_map)),
    "data string": Kind(b"csv:d.csv#text=text,label=label,group=id|text,labels=a:p|b:q,permute=3",
                        "string", text_of(load_dataset), beside={"d.csv": TABLE.encode()}),
    "expectation": Kind(b"moves(label=positive,most=0.1)", "expect", text_of(parse_expectation)),
    "expectation of a metric": Kind(b"gold(least=0.5,metric=accuracy)", "gold",
                                    text_of(parse_expectation)),
}  # fmt: skip
