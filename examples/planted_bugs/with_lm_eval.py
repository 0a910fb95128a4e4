"""lm-evaluation-harness: local-chat-completions on a task of one file, exact match."""

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
    (folder / "messages.yaml").write_text(
        _TASK.format(file=folder / "cases.csv", text=text), encoding="utf-8"
    )
    with Serving(fault.name) as served:
        url = f"{served.url}/chat/completions"
        words = ["run", "--model", "local-chat-completions", "--model_args"]
        words += [f"base_url={url},model=mock,num_concurrent=1", "--tasks", "messages"]
        words += ["--include_path", ".", "--apply_chat_template", "--log_samples"]
        words += ["--output_path", "logs"]
        yield (
            "run",
            run(
                [program, *words],
                folder,
                shown=f"lm-eval {' '.join(words)}",
                score=r"exact_match\W+([\d.]+)",
                HF_HUB_OFFLINE="1",
                HF_HOME=str(folder / "hf"),
                OPENAI_API_KEY="none",
            ),
        )
