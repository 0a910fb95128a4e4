"""lm-evaluation-harness: local-chat-completions on a task of one file, exact match.

Where log-probabilities are the matter, local-completions and likelihoods of the two labels.
"""

import csv
import json
import re

from examples.planted_bugs.cases import TEMPLATE
from examples.planted_bugs.endpoint import Serving
from examples.planted_bugs.running import run, version, where

NAME = "lm-eval"
PROGRAM = "lm-eval"
FAULTY_CODES = {"run": (1, 2)}
_TASK = """task: messages
dataset_path: csv
dataset_kwargs: {{data_files: {{test: "{file}"}}}}
test_split: test
output_type: generate_until
doc_to_text: "{text}"
doc_to_target: "{{{{label}}}}"
generation_kwargs: {{until: [], max_gen_toks: 32}}
metric_list: [{{metric: exact_match, aggregation: mean, higher_is_better: true}}]
"""
_CHOICES = """task: messages
dataset_path: csv
dataset_kwargs: {{data_files: {{test: "{file}"}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{text}"
doc_to_target: "{{{{label}}}}"
doc_to_choice: ["ham", "spam"]
metric_list: [{{metric: acc, aggregation: mean, higher_is_better: true}}]
"""
_TOKENIZER_CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "unk_token": "[UNK]",
    "eos_token": "</s>",
    "model_max_length": 100000,
}


def tokenizer_of(folder):
    """A tokenizer of words with the spaces before them, as the mock counts words."""
    with (folder / "cases.csv").open(encoding="utf-8", newline="") as file:
        said = [TEMPLATE.format(text=row["text"]) for row in csv.DictReader(file)]
    words = {word for text in said for word in re.findall(r"\s*\S+", text)}
    vocabulary = ["[UNK]", "</s>", " ham", " spam", *sorted(words - {" ham", " spam"})]
    split = {"type": "Split", "pattern": {"Regex": r"\s+"}, "invert": False}
    ids = {word: place for place, word in enumerate(vocabulary)}
    return {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {**split, "behavior": "MergedWithNext"},
        "decoder": {"type": "Fuse"},
        "model": {"type": "WordLevel", "vocab": ids, "unk_token": "[UNK]"},
    }


def asking(fault, folder, url):
    """Words of the command that say how the model is asked."""
    if fault.reads != "logprobs":
        args = f"base_url={url}/chat/completions,model=mock,num_concurrent=1"
        chat = ["--apply_chat_template"]
        return ["--model", "local-chat-completions", "--model_args", args, *chat]
    (folder / "words").mkdir(exist_ok=True)
    made_of = {"tokenizer": tokenizer_of(folder), "tokenizer_config": _TOKENIZER_CONFIG}
    for name, made in made_of.items():
        (folder / "words" / f"{name}.json").write_text(json.dumps(made), encoding="utf-8")
    args = f"base_url={url}/completions,model=mock,num_concurrent=1,max_length=100000"
    args += ",tokenizer=./words,tokenized_requests=False"
    return ["--model", "local-completions", "--model_args", args]


def program(folders):
    """Path of its command, or None."""
    return where(PROGRAM, folders)


def version_of(program):
    """Version of the package."""
    code = "import importlib.metadata as m; print(m.version('lm_eval'))"
    return version([program.parent / "python", "-c", code])


def commands(fault, folder, program, healthy):
    """One run with logs of samples."""
    del healthy
    text = TEMPLATE.replace("{text}", "{{text}}").replace("\n", "\\n")
    task = _CHOICES if fault.reads == "logprobs" else _TASK
    (folder / "messages.yaml").write_text(
        task.format(file=folder / "cases.csv", text=text), encoding="utf-8"
    )
    with Serving(fault.name) as served:
        words = ["run", *asking(fault, folder, served.url), "--tasks", "messages"]
        words += ["--include_path", ".", "--log_samples", "--output_path", "logs"]
        yield (
            "run",
            run(
                [program, *words],
                folder,
                shown=f"lm-eval {' '.join(words)}",
                score=r"(?:exact_match|acc)\W+([\d.]+)",
                HF_HUB_OFFLINE="1",
                HF_HOME=str(folder / "hf"),
                OPENAI_API_KEY="none",
            ),
        )
