"""TextAttack's attacks on the victims of ``attacks.py`` and ``attack_model_speed.py``.

    PEER_PYTHON attack_peers.py < task.json > found.json

Runs in TextAttack's environment. The task has the victim (weights of the linear one, or the folder
of a classifier), the texts with their labels, and the names of recipes. ``NLTK_DATA`` must hold
WordNet, omw-1.4, a tagger and stop words. A recipe that cannot be built or run says why.
"""

import json
import math
import random
import re
import sys
from time import process_time

_WORD = re.compile(r"\w\w+")
RECIPES = {
    "deepwordbug": "DeepWordBugGao2018",
    "pwws": "PWWSRen2019",
    "pruthi": "Pruthi2019",
}


class LinearVictim:
    """TF-IDF of single words and a logistic regression, in plain Python: the same on both sides."""

    def __init__(self, weights, bias):
        self.weights = {word: tuple(pair) for word, pair in weights.items()}  # (idf, weight)
        self.bias = bias
        self.texts = self.calls = 0
        self.seconds = 0.0

    def positive(self, texts):
        """Probability of the second label for each text."""
        begin = process_time()
        found = [self._one(text) for text in texts]
        self.texts += len(texts)
        self.calls += 1
        self.seconds += process_time() - begin
        return found

    def _one(self, text):
        counts = {}
        seen, known = counts.get, self.weights.get
        for word in _WORD.findall(text.lower()):
            counts[word] = seen(word, 0) + 1
        total = norm = 0.0
        for word, count in counts.items():
            pair = known(word)
            if pair:
                value = count * pair[0]
                norm += value * value
                total += value * pair[1]
        z = self.bias + (total / math.sqrt(norm) if norm else 0.0)
        return 1 / (1 + math.exp(-z))


def summary(victim, *, success, attacked, queries, changed, seconds):
    """Numbers of one attack."""
    return {
        "attacked": attacked,
        "success": success,
        "queries": queries,
        "sent": victim.texts,
        "calls": victim.calls,
        "changed": changed,
        "seconds": seconds,
        "in_victim": victim.seconds,
    }


class NeuralVictim:
    """A classifier of transformers in TextAttack's own wrapper, with the time that it takes.

    The wrapper pads every text to the longest that the tokenizer allows; ``longest`` lowers that.
    """

    def __init__(self, folder, longest):
        import torch
        from textattack.models.wrappers import HuggingFaceModelWrapper
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        torch.set_num_threads(1)
        model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
        tokenizer = AutoTokenizer.from_pretrained(folder)
        if longest:
            tokenizer.model_max_length = longest
        self._asked = HuggingFaceModelWrapper(model, tokenizer)
        self.model, self.tokenizer = self._asked.model, self._asked.tokenizer
        self.texts = self.calls = 0
        self.seconds = 0.0

    def __call__(self, texts):
        begin = process_time()
        found = self._asked(texts)
        self.texts += len(texts)
        self.calls += 1
        self.seconds += process_time() - begin
        return found


def wrapped(victim):
    """A victim as TextAttack asks it."""
    import numpy as np
    from textattack.models.wrappers import ModelWrapper

    class Wrapper(ModelWrapper):
        model = getattr(victim, "model", None)
        tokenizer = getattr(victim, "tokenizer", None)

        def __call__(self, texts):
            if isinstance(victim, NeuralVictim):
                return victim(texts)
            p = np.array(victim.positive(texts))
            return np.stack([1 - p, p], axis=1)

    return Wrapper()


def attack_all(name, task):
    """What TextAttack finds, and what it took."""
    import numpy as np
    from textattack import attack_recipes
    from textattack.attack_results import SkippedAttackResult, SuccessfulAttackResult

    if "model" in task:
        victim = NeuralVictim(task["model"], task["longest"])
    else:
        victim = LinearVictim(task["weights"], task["bias"])
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - TextAttack draws from the global one
    attack = getattr(attack_recipes, RECIPES[name]).build(wrapped(victim))
    results = []
    begin = process_time()
    for text, label in zip(task["texts"], task["labels"], strict=True):
        results.append(attack.attack(text, label))
    seconds = process_time() - begin
    tried = [r for r in results if not isinstance(r, SkippedAttackResult)]
    won = [r for r in tried if isinstance(r, SuccessfulAttackResult)]
    shares = []
    for r in won:
        old, new = r.original_result.attacked_text, r.perturbed_result.attacked_text
        shares.append(len(old.all_words_diff(new)) / max(1, len(old.words)))
    return summary(
        victim,
        success=len(won),
        attacked=len(tried),
        queries=sum(r.num_queries for r in tried),
        changed=sum(shares) / max(1, len(shares)),
        seconds=seconds,
    )


def main():
    task = json.load(sys.stdin)
    out, sys.stdout = sys.stdout, sys.stderr
    found = {}
    for name in task["recipes"]:
        best = None
        for _ in range(task["repeats"]):
            try:
                one = attack_all(name, task)
            except Exception as error:
                best = f"{type(error).__name__}: {error}"[:200]
                break
            best = one if best is None or one["seconds"] < best["seconds"] else best
        found[name] = best
    json.dump(found, out)


if __name__ == "__main__":
    main()
