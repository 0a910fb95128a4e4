"""TextAttack's attacks on the linear victim of ``attacks.py``, in TextAttack's environment.

    PEER_PYTHON attack_peers.py < task.json > found.json

The task has the victim, the texts with their labels, and the names of recipes. ``NLTK_DATA`` must
hold WordNet, omw-1.4, a tagger and stop words. A recipe that cannot be built or run says why.
"""

import json
import math
import random
import re
import sys
from time import process_time

_WORD = re.compile(r"(?u)\b\w\w+\b")
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
        for word in _WORD.findall(text.lower()):
            if word in self.weights:
                counts[word] = counts.get(word, 0) + 1
        total = norm = 0.0
        for word, count in counts.items():
            idf, weight = self.weights[word]
            value = count * idf
            norm += value * value
            total += value * weight
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


def attack_all(name, task):
    """What TextAttack finds, and what it took."""
    import numpy as np
    from textattack import attack_recipes
    from textattack.attack_results import SkippedAttackResult, SuccessfulAttackResult
    from textattack.models.wrappers import ModelWrapper

    victim = LinearVictim(task["weights"], task["bias"])

    class Wrapper(ModelWrapper):
        model = None

        def __call__(self, texts):
            p = np.array(victim.positive(texts))
            return np.stack([1 - p, p], axis=1)

    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - TextAttack draws from the global one
    attack = getattr(attack_recipes, RECIPES[name]).build(Wrapper())
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
