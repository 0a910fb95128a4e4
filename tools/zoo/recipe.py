"""The zoo's recipe: what is trained, from what, and in which order.

Two layers are trained first. Both sizes then start from them, the four layers by stacking, and take
the same further steps on the same batches, so that sizes differ in layers alone and not in how much
text they met. The student starts there too: it differs from the two layers in its teacher alone.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache

from scrutiny.training.pretraining.checkpoint_files import RECORD
from scrutiny.training.pretraining.corpus import save_tokenizer
from scrutiny.training.pretraining.job import PretrainingJob, Seeds, Start, Stated, Teacher
from scrutiny.training.pretraining.pretraining import prepare
from scrutiny.training.pretraining.recipe import Phase, PretrainingRecipe

FIRST = "first-2x128"  # in the working folder only
SMALL, LARGE, STUDENT = "bert-2x128", "bert-4x128", "bert-2x128-distilled"
STATED = Stated(
    "CC BY-SA 4.0",
    (
        "Standard Ebooks, twelve books (CC0 1.0)",
        "WikiText-2, validation part: contributors of Wikipedia; Merity et al. 2016 (CC BY-SA 3.0)",
        "movie_reviews, sentence_polarity, subjectivity: Pang and Lee 2004, 2005 (CC BY 4.0)",
        "product_reviews_1: Hu and Liu 2004 (CC BY 4.0)",
        "WNUT-17, training part: Derczynski et al. 2017 (CC BY 4.0)",
        "wikigold: Balasuriya et al. 2009 (CC BY 4.0)",
        "SemEval-2010 task 8, training part: Hendrickx et al. 2010 (CC BY 3.0)",
        "UD English EWT, training part: Silveira et al. 2014 and contributors (CC BY-SA 4.0)",
    ),
)


@dataclass(frozen=True)
class Edition:
    """What is trained.

    Parameters
    ----------
    first
        Recipe of the two layers that all start from.
    further
        Recipe of the steps that follow; the number of layers is the family's.
    seeds
        In the order in which they are trained.
    checkpoints
        Steps kept on the way, of the seeds in ``with_checkpoints``.
    """

    first: PretrainingRecipe = field(default_factory=lambda: PretrainingRecipe(layers=2))
    further: PretrainingRecipe = field(
        default_factory=lambda: PretrainingRecipe(
            steps=6000,
            phases=(Phase(0.3, 128, 32), Phase(0.8, 64, 64), Phase(1.0, 128, 32)),
            learning_rate=1.5e-3,
            warmup=0.05,
        )
    )
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    checkpoints: tuple[int, ...] = (200, 500, 1000, 2500, 5000)
    with_checkpoints: tuple[int, ...] = (1, 2)

    def runs(self):
        """(family, seed) of every run, in order: each after what it starts from."""
        for seed in self.seeds:
            yield from ((family, seed) for family in (FIRST, SMALL, LARGE))
        yield STUDENT, self.seeds[0]

    def layers(self, family):
        return 2 * self.first.layers if family == LARGE else self.first.layers


def folder_of(work, family, seed):
    return work / "runs" / family / f"seed-{seed}"


def is_done(work, family, seed):
    return (folder_of(work, family, seed) / RECORD).exists()


def job_of(work, edition, family, seed):
    """Job of a run; what it starts from has to be there."""
    given = prepared_for(work)
    vocabulary, seeds = given.recipe.vocabulary, Seeds(seed, seed)
    if family == FIRST:
        recipe = replace(edition.first, vocabulary=vocabulary)
        return PretrainingJob(replace(given, recipe=recipe), seeds, stated=STATED)
    recipe = replace(edition.further, vocabulary=vocabulary, layers=edition.layers(family))
    start = Start(folder_of(work, FIRST, seed), f"{FIRST}/seed-{seed}", edition.first.steps)
    job = PretrainingJob(
        replace(given, recipe=recipe), seeds, precision="fp16", stated=STATED, start=start
    )
    if family == STUDENT:
        teacher = Teacher(folder_of(work, LARGE, seed), f"zoo:{LARGE}/seed-{seed}")
        return replace(job, teacher=teacher)
    is_kept = seed in edition.with_checkpoints
    return replace(job, checkpoints=edition.checkpoints if is_kept else ())


@lru_cache(maxsize=1)
def prepared_for(work):
    """Texts of the working folder, in pieces of the vocabulary that all families share."""
    folder = work / "tokenizer"
    is_there = (folder / "tokenizer.json").exists()
    made = prepare(texts_of(work), PretrainingRecipe(), tokenizer=folder if is_there else None)
    if not is_there:
        save_tokenizer(made.tokenizer, folder, PretrainingRecipe().positions)
    return made


def texts_of(work):
    """Training files, the largest first: their order is part of the recipe."""
    files = (work / "texts" / "training").glob("*.txt")
    return sorted(files, key=lambda path: (-path.stat().st_size, path.name))


def held_out_of(work):
    return sorted((work / "texts" / "held_out").glob("*.txt"))
