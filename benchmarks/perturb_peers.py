"""Sentences per CPU-second of a peer's augmenters; ``perturb_speed.py`` runs it in its environment.

    PEER_PYTHON perturb_peers.py nlpaug|textattack REPEATS < texts.json > rates.json

``NLTK_DATA`` must hold WordNet, a tagger and stop words. The augmenters that a peer ships are at
their own defaults: nlpaug's change 30 % of the words, TextAttack's (``typos``, ``synonyms``) 10 %.
TextAttack's single transformations, which it ships without an augmenter, change 30 %. One that
cannot be built or run says why.
"""

import json
import random
import sys
from time import process_time


def nlpaug_augmenters():
    import nlpaug.augmenter.char as nac
    import nlpaug.augmenter.word as naw

    def random_char(action):
        return lambda: nac.RandomCharAug(action=action).augment

    return {
        "keyboard": lambda: nac.KeyboardAug().augment,
        "ocr": lambda: nac.OcrAug().augment,
        "typos replace": random_char("substitute"),
        "typos swap": random_char("swap"),
        "typos insert": random_char("insert"),
        "typos delete": random_char("delete"),
        "spelling": lambda: naw.SpellingAug().augment,
        "synonyms": lambda: naw.SynonymAug().augment,
        "antonyms": lambda: naw.AntonymAug().augment,
    }


def textattack_augmenters():
    from textattack import augmentation, transformations
    from textattack.augmentation import Augmenter
    from textattack.constraints.pre_transformation import RepeatModification, StopwordModification

    def of(name):
        def build():
            transformation = getattr(transformations, name)()
            constraints = [RepeatModification(), StopwordModification()]
            return Augmenter(
                transformation=transformation,
                constraints=constraints,
                pct_words_to_swap=0.3,
                transformations_per_example=1,
            ).augment

        return build

    return {
        "keyboard": of("WordSwapQWERTY"),
        "typos": lambda: augmentation.CharSwapAugmenter().augment,
        "typos replace": of("WordSwapRandomCharacterSubstitution"),
        "typos swap": of("WordSwapNeighboringCharacterSwap"),
        "typos insert": of("WordSwapRandomCharacterInsertion"),
        "typos delete": of("WordSwapRandomCharacterDeletion"),
        "synonyms": lambda: augmentation.WordNetAugmenter().augment,
    }


def rate(build, texts, repeats):
    """Best rate of a few runs, or the reason why there is none."""
    try:
        augment = build()
        augment(texts[0])
        best = 0.0
        for repeat in range(repeats):
            random.seed(repeat)
            begin = process_time()
            for text in texts:
                augment(text)
            best = max(best, len(texts) / (process_time() - begin))
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    return best


def main():
    peer, repeats = sys.argv[1], int(sys.argv[2])
    texts = json.load(sys.stdin)
    out, sys.stdout = sys.stdout, sys.stderr
    known = {"nlpaug": nlpaug_augmenters, "textattack": textattack_augmenters}[peer]()
    rates = {name: rate(build, texts, repeats) for name, build in known.items()}
    json.dump(rates, out)


if __name__ == "__main__":
    main()
