"""What benchmarks measure on: texts of SST-2 or shipped ones, and random classifiers."""

import csv
import itertools
import os
from pathlib import Path

from scrutiny.data.dataset import load_dataset
from scrutiny.models.strings.model_strings import PACKAGED
from scrutiny.models.strings.training_records import checkpoint_folder

#: Where data that are not shipped lie.
DATA = Path(os.environ.get("SCRUTINY_DATA", Path(__file__).parents[2] / "shared" / "data"))
#: Rows that are shipped.
SHIPPED = "builtin:reviews"


def sst2(part):
    """Data string of a part of SST-2; of shipped reviews where it is not at hand."""
    path = DATA / "sst2" / f"{part}.tsv"
    return f"tsv:{path}#text=sentence,label=label" if path.is_file() else SHIPPED


def rows_of(path, count):
    """Rows of a TSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return list(itertools.islice(rows, count))


def texts(count, path=None):
    """Different texts: training sentences of SST-2, a TSV file's, or shipped ones.

    Where there are too few, they come again with a number behind.
    """
    path = path or DATA / "sst2" / "train.tsv"
    if path.is_file():
        found = [row["sentence"] for row in rows_of(path, count)]
    else:
        found = [example.text for example in load_dataset(SHIPPED).examples]
    found = list(dict.fromkeys(found))
    again = (f"{text} {turn}" if turn else text for turn in itertools.count() for text in found)
    return list(itertools.islice(again, count))


def words_of_bert():
    """Folder with the tokenizer of bert-base-uncased.

    Raises
    ------
    SystemExit
        If no package has it.
    """
    folder = PACKAGED["minilm"].folder() or checkpoint_folder("zoo:bert-2x128/seed-1")
    if folder is None:
        raise SystemExit("no tokenizer: scrutiny models add minilm")
    return folder


def classifier(folder, *, layers=6, width=384, seed=0, labels=("negative", "positive")):
    """Model string of a BERT with random weights, which is written into a folder."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(words_of_bert())
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=max(1, width // 32),
        intermediate_size=4 * width,
        initializer_range=0.1,
        id2label=dict(enumerate(labels)),
        label2id={label: i for i, label in enumerate(labels)},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return f"hf:{folder}"
