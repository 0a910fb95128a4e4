"""TextAttack's side of ``attack_table.py``, in TextAttack's environment.

    PEER_PYTHON attack_table_peers.py < task.json > found.json

The task names the victim's folder, texts with labels, the budget and recipes; ``PYTHONPATH`` must
hold this package's source for the linear victim (numpy is all that takes), and ``NLTK_DATA``
WordNet, omw-1.4, stop words and the tagger. A recipe whose resources would have to be downloaded is
put together from TextAttack's own classes, with the recipe's own numbers: the word vectors and the
masked language model are those that our side is given, and no sentence encoder stands on either
side. A recipe that cannot be built or run says why.
"""

import json
import random
import sys
from difflib import SequenceMatcher
from pathlib import Path
from time import process_time
from unittest import mock

import numpy as np
from textattack import Attack, attack_recipes, transformations
from textattack.attack_results import (
    MaximizedAttackResult,
    SkippedAttackResult,
    SuccessfulAttackResult,
)
from textattack.constraints.grammaticality import PartOfSpeech
from textattack.constraints.overlap import MaxWordsPerturbed
from textattack.constraints.pre_transformation import (
    MaxModificationRate,
    RepeatModification,
    StopwordModification,
)
from textattack.constraints.semantics import WordEmbeddingDistance
from textattack.goal_functions import UntargetedClassification
from textattack.models.wrappers import HuggingFaceModelWrapper, ModelWrapper
from textattack.search_methods import (
    AlzantotGeneticAlgorithm,
    GreedySearch,
    GreedyWordSwapWIR,
    ParticleSwarmOptimization,
)
from textattack.shared import WordEmbedding

_LENGTH = 128  # pieces; both wrappers of TextAttack pad every text to the longest there can be
_COARSE = {
    **dict.fromkeys(("NN", "NNS", "NNP", "NNPS"), "NOUN"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"), "VERB"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "ADJ"),
    **dict.fromkeys(("RB", "RBR", "RBS", "WRB"), "ADV"),
    **dict.fromkeys(("PRP", "PRP$", "WP", "WP$"), "PRON"),
    **dict.fromkeys(("DT", "PDT", "WDT", "EX"), "DET"),
    **dict.fromkeys(("POS", "RP", "TO"), "PRT"),
    "IN": "ADP",
    "CD": "NUM",
    "CC": "CONJ",
}


class Words(ModelWrapper):
    """Our linear classifier, which runs here as it is."""

    model = None

    def __init__(self, folder):
        from scrutiny.models.words.linear_classifier import LinearWordModel, read_linear

        self._model = LinearWordModel(read_linear(Path(folder), folder), folder)
        self.seen = set()

    def __call__(self, texts):
        from scrutiny.core.example import Example

        self.seen.update(texts)
        examples = [Example(str(i), {"text": text}) for i, text in enumerate(texts)]
        return np.array([answer.scores for answer in self._model.predict(examples)])


class Network(HuggingFaceModelWrapper):
    """A checkpoint of transformers that counts what it is asked."""

    def __init__(self, folder):
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
        tokenizer = AutoTokenizer.from_pretrained(folder, model_max_length=_LENGTH)
        super().__init__(model, tokenizer)
        self.seen = set()

    def __call__(self, texts):
        self.seen.update(texts)
        return super().__call__(texts)


class Near(dict):
    """Rows of nearest neighbors, made when asked for; 0.3.11 cannot do without such a table."""

    def __init__(self, matrix):
        super().__init__()
        self._matrix = matrix

    def __missing__(self, row):
        cosines = self._matrix @ self._matrix[row]
        self[row] = np.argsort(-cosines, kind="stable")[:64].tolist()
        return self[row]


class SameCoarsePos(PartOfSpeech):
    """Its own constraint, with the coarse tags written out: NLTK's map is one more download."""

    def __init__(self, allow_verb_noun_swap=True):
        super().__init__(tagset=None, allow_verb_noun_swap=allow_verb_noun_swap)

    def _can_replace_pos(self, pos_a, pos_b):
        return super()._can_replace_pos(_COARSE.get(pos_a, pos_a), _COARSE.get(pos_b, pos_b))


class Given:
    """What the task brings: vectors, a masked language model, the victim."""

    def __init__(self, task):
        self.victim = Words(task["words"]) if "words" in task else Network(task["network"])
        self._task = task

    def vectors(self):
        """Embedding of the file that our side reads, rows of length one."""
        words, rows = [], []
        with Path(self._task["vectors"]).open(encoding="utf-8") as file:
            for line in file:
                word, *numbers = line.split(" ")
                words.append(word)
                rows.append(np.array(numbers, dtype=np.float32))
        matrix = np.stack(rows)
        index = {word: row for row, word in enumerate(words)}
        return WordEmbedding(matrix, index, dict(enumerate(words)), Near(matrix))

    def masked_lm(self):
        """Keywords for a transformation with a masked language model."""
        from transformers import AutoModelForMaskedLM, AutoTokenizer

        folder = self._task["masked_lm"]
        return {
            "masked_language_model": AutoModelForMaskedLM.from_pretrained(folder),
            "tokenizer": AutoTokenizer.from_pretrained(folder),
            "max_length": _LENGTH,
        }

    def attack(self, constraints, transformation, search, *, stop_words=True):
        """Attack with the constraints that nearly all recipes have."""
        first = [RepeatModification(), *([StopwordModification()] if stop_words else [])]
        goal = UntargetedClassification(self.victim)
        return Attack(goal, [*first, *constraints], transformation, search)


def textfooler(given):
    vectors = given.vectors()
    constraints = [WordEmbeddingDistance(vectors, min_cos_sim=0.5), SameCoarsePos()]
    swap = transformations.WordSwapEmbedding(max_candidates=50, embedding=vectors)
    return given.attack(constraints, swap, GreedyWordSwapWIR("delete"))


def textbugger(given):
    edges = {"random_one": True, "skip_first_char": True, "skip_last_char": True}
    with mock.patch("builtins.open", mock.mock_open(read_data="")):  # a file that 0.3.11 left out
        homoglyphs = transformations.WordSwapHomoglyphSwap()
    bugs = [
        transformations.WordSwapRandomCharacterInsertion(letters_to_insert=" ", **edges),
        transformations.WordSwapRandomCharacterDeletion(**edges),
        transformations.WordSwapNeighboringCharacterSwap(**edges),
        homoglyphs,
        transformations.WordSwapEmbedding(max_candidates=5, embedding=given.vectors()),
    ]
    swap = transformations.CompositeTransformation(bugs)
    return given.attack([], swap, GreedyWordSwapWIR("delete"))


def alzantot(given):
    vectors = given.vectors()
    near = WordEmbeddingDistance(vectors, max_mse_dist=0.5, compare_against_original=False)
    swap = transformations.WordSwapEmbedding(max_candidates=8, embedding=vectors)
    search = AlzantotGeneticAlgorithm(pop_size=60, max_iters=20, post_crossover_check=False)
    return given.attack([MaxWordsPerturbed(max_percent=0.2), near], swap, search)


def pso(given):
    search = ParticleSwarmOptimization(pop_size=60, max_iters=20)
    return given.attack([], transformations.WordSwapWordNet(), search)


def checklist(given):
    kinds = ("Extend", "Contract", "ChangeNumber")  # names and places ask for a tagger of entities
    swaps = [getattr(transformations, f"WordSwap{kind}")() for kind in kinds]
    swap = transformations.CompositeTransformation(swaps)
    return given.attack([], swap, GreedySearch(), stop_words=False)


def bae(given):
    swap = transformations.WordSwapMaskedLM(
        method="bae", max_candidates=50, min_confidence=0.0, **given.masked_lm()
    )
    return given.attack([SameCoarsePos()], swap, GreedyWordSwapWIR("delete"))


def bert_attack(given):
    swap = transformations.WordSwapMaskedLM(
        method="bert-attack", max_candidates=8, **given.masked_lm()
    )
    constraints = [MaxWordsPerturbed(max_percent=0.4)]
    return given.attack(constraints, swap, GreedyWordSwapWIR("unk"))


def clare(given):
    model = given.masked_lm()
    swap = transformations.CompositeTransformation(
        [
            transformations.WordSwapMaskedLM(
                method="bae", max_candidates=50, min_confidence=5e-4, **model
            ),
            transformations.WordInsertionMaskedLM(max_candidates=50, min_confidence=0.0, **model),
            # merging asks for Flair's tagger, which would have to be downloaded
        ]
    )
    return given.attack([], swap, GreedySearch())


def a2t(given):
    vectors = given.vectors()
    constraints = [
        SameCoarsePos(allow_verb_noun_swap=False),
        MaxModificationRate(max_rate=0.1, min_threshold=4),
        WordEmbeddingDistance(vectors, min_cos_sim=0.8),
    ]
    swap = transformations.WordSwapEmbedding(max_candidates=20, embedding=vectors)
    search = GreedyWordSwapWIR("gradient", truncate_words_to=_LENGTH - 2)
    return given.attack(constraints, swap, search)


def recipe(name):
    """A recipe of TextAttack as it is."""
    return lambda given: getattr(attack_recipes, name).build(given.victim)


ATTACKS = {
    "deepwordbug": recipe("DeepWordBugGao2018"),
    "pwws": recipe("PWWSRen2019"),
    "pruthi": recipe("Pruthi2019"),
    "input_reduction": recipe("InputReductionFeng2018"),
    "hotflip": recipe("HotFlipEbrahimi2017"),
    "textfooler": textfooler,
    "textbugger": textbugger,
    "alzantot": alzantot,
    "pso": pso,
    "checklist": checklist,
    "bae": bae,
    "bert_attack": bert_attack,
    "clare": clare,
    "a2t": a2t,
}


def changed_share(old, new):
    """Share of the words that a text lost, gained or exchanged."""
    codes = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    count = sum(max(j - i, n - m) for kind, i, j, m, n in codes if kind != "equal")
    return count / max(1, len(old))


def attack_all(name, given, task):
    """What one recipe finds, and what it took."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - TextAttack draws from the global one
    attack = ATTACKS[name](given)
    attack.goal_function.query_budget = task["budget"]
    found = {
        "attacked": 0,
        "asked": [],
        "counted": [],
        "changed": [],
        "pairs": [],
        "rows": 0,
        "raised": 0,
    }
    begin = process_time()
    for text, label in zip(task["texts"], task["labels"], strict=True):
        if process_time() - begin > task["seconds"]:
            break
        given.victim.seen.clear()
        found["rows"] += 1
        try:
            result = attack.attack(text, label)
        except (StopIteration, IndexError, AssertionError):  # of a search, in the middle of a text
            found["raised"] += 1
            continue
        if isinstance(result, SkippedAttackResult):
            continue
        found["attacked"] += 1
        found["asked"].append(len(given.victim.seen))
        found["counted"].append(result.num_queries)
        old, new = result.original_result.attacked_text, result.perturbed_result.attacked_text
        # the goal of input reduction has no end of its own; ours is one word
        is_reduced = isinstance(result, MaximizedAttackResult) and len(new.words) == 1
        if is_reduced or isinstance(result, SuccessfulAttackResult):
            found["changed"].append(changed_share(old.words, new.words))
            found["pairs"].append([old.text, new.text])
    return {**found, "seconds": process_time() - begin}


def main():
    task = json.load(sys.stdin)
    out, sys.stdout = sys.stdout, sys.stderr
    given, found = Given(task), {}
    for name in task["recipes"]:
        try:
            found[name] = attack_all(name, given, task)
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    json.dump(found, out)


if __name__ == "__main__":
    main()
