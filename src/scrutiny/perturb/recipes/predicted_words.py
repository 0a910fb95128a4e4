"""Attacks by words that a masked language model predicts: BERT-Attack, CLARE and BAE."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from scrutiny.perturb.constraints.meaning import SamePos
from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.recipes.similar_words import (
    NO_ENCODER,
    OTHER_ENCODER,
    WINDOW,
    closest,
    similar,
)
from scrutiny.perturb.search import (
    Amount,
    Asking,
    Changeable,
    Method,
    Move,
    Problem,
    Search,
    Space,
)
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.judging import Closeness, best, reached
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked, rank
from scrutiny.perturb.search.methods.plain_searches import Greedy
from scrutiny.perturb.words.masked_words import (
    MaskedInsert,
    MaskedMerge,
    MaskedReplace,
    ShownReplace,
)


@dataclass(frozen=True, slots=True)
class BertAttack(Attack):
    """Words replaced by predictions of a masked language model for the unmasked text.

    Most likely tokens at each place of the unmasked text, combined to words.

    Words are ranked by what the model loses when an unknown word stands there.

    Parameters
    ----------
    variant
        ``as_published``: 48 candidates, words ranked by putting ``[MASK]`` there. ``textattack``
        (since 0.3.11): 8, for the sake of speed, and ``[UNK]``.
    share
        Largest share of words changed.
    similarity
        Smallest cosine of the sentence to the original: .2 as in TextAttack; the authors take .4 to
        .7 for long reviews and 0 to .2 for inference.
    no_antonyms
        Leave out opposites, as the paper does for sentiment.

    **Measures** how far changes bring a model that another finds natural where it sees the word.

    **Misleads when** read without the share that is valid.

    References
    ----------
    Li, Ma, Guo, Xue & Qiu (2020), BERT-ATTACK: adversarial attack against BERT using BERT.

    Examples
    --------
    >>> BertAttack().search(Given()).method.unknown
    '[MASK]'
    """

    id = "bert_attack@1"
    title = "BERT-Attack"
    languages = frozenset({"en", "zh"})
    resources = ("masked_lm",)
    lacking: ClassVar[Mapping[str, str]] = {"encoder": NO_ENCODER}
    deviations = (
        "Of words of several pieces the combinations of the least perplexity are found exactly; "
        "TextAttack 0.3.11 computes the perplexities and does not use them.",
        "Candidates are read off the text as it is after the steps before; the paper reads all of "
        "them off the original.",
        OTHER_ENCODER,
    )

    variant: Literal["as_published", "textattack"] = "as_published"
    share: float = 0.4
    similarity: float = 0.2
    no_antonyms: bool = False

    def search(self, given: Given) -> Search:
        """Greedy, by importance."""
        top, unknown = (48, "[MASK]") if self.variant == "as_published" else (8, "[UNK]")
        space = Space.of(
            ShownReplace(top=top, no_antonyms=self.no_antonyms),
            may_change=Changeable(stop_words=True),
            amount=Amount(share=self.share),
            constraints=similar(given, least_cosine=self.similarity),
        )
        method = GreedyRanked(ranking="unk", unknown=unknown, prefer=closest(given))
        return Search(space, Untargeted(), method)


@dataclass(frozen=True, slots=True)
class Clare(Attack):
    """Words replaced, inserted and merged as a masked language model predicts.

    In each step, the best of all replacements, insertions and merges of the text.

    Parameters
    ----------
    candidates
        Likeliest words that are looked at for each.
    similarity
        Smallest cosine of the sentence to the original.
    replaces_from, merges_from
        How likely a word has to be to replace one, or two.

    **Measures** how far fluent changes of any of three kinds bring a model.

    **Misleads when** the budget is small: a step asks about every candidate of every place. Read
    without the share that is valid.

    References
    ----------
    Li, Zhang, Peng, Chen, Brockett, Sun & Dolan (2021), Contextualized perturbation for textual
    adversarial attack.

    Examples
    --------
    >>> len(Clare().search(Given()).space.moves)
    3
    """

    id = "clare@1"
    title = "CLARE"
    resources = ("masked_lm", "tagger")
    lacking: ClassVar[Mapping[str, str]] = {"encoder": NO_ENCODER}
    deviations = (
        "Thresholds are those of TextAttack 0.3.11, whose masked language model is a distilled "
        "RoBERTa.",
        "All candidates of a step are asked; the paper asks those that a masked language model "
        "and a similarity have ranked first.",
        OTHER_ENCODER,
    )

    candidates: int = 50
    similarity: float = 0.7
    replaces_from: float = 5e-4
    merges_from: float = 5e-3

    def search(self, given: Given) -> Search:
        """Greedy over all places."""
        space = Space.of(
            MaskedReplace(top=self.candidates, least_probability=self.replaces_from),
            MaskedInsert(top=self.candidates),
            MaskedMerge(top=self.candidates, least_probability=self.merges_from),
            may_change=Changeable(stop_words=True),
            constraints=similar(given, least_cosine=self.similarity, window=WINDOW),
        )
        return Search(space, Untargeted(), Greedy(prefer=closest(given)))


@dataclass(frozen=True, slots=True)
class ReplaceThenInsert(Method):
    """At each word the moves of the space in turn, the best of each.

    Greedy by importance; each move of the space is tried in turn at each word.

    Parameters
    ----------
    prefer
        Where several candidates reach the goal, the one that this finds closest to the base.

    References
    ----------
    Garg & Ramakrishnan (2020), BAE: BERT-based adversarial examples for text classification.

    Examples
    --------
    >>> ReplaceThenInsert().prefer is None
    True
    """

    id = "replace_then_insert@1"

    prefer: Closeness | None = None

    def search(self, problem: Problem) -> Asking:
        """Rank the words once, then change them in order."""
        order = yield from rank(problem, GreedyRanked("delete"))
        current = problem.base
        for one in order:
            for number in range(len(problem.space.moves)):
                now = problem.space.place(current.state, one.place.key)  # it may have been changed
                sites = () if now is None else tuple(s for s in now.sites if s[0] == number)
                if now is None or not sites:
                    continue
                candidates = problem.candidates(current.state, now._replace(sites=sites))
                if not candidates:
                    continue
                judged = yield candidates
                there = reached(judged, self.prefer)
                if there is not None:
                    return there
                top = best(judged)
                if top is not None and top.score > current.score:
                    current = top
        return current


Mode = Literal["R", "I", "R/I", "R+I"]


@dataclass(frozen=True, slots=True)
class Bae(Attack):
    """Predictions of a masked language model, replaced or inserted.

    Words replaced or surrounded by predictions of a masked language model.

    Words are ranked by what the model loses without them. At each, the word is replaced (R) or a
    word is inserted left or right of it (I) by the candidate that lowers the gold label's
    probability most; among candidates that flip the label the closest is taken.

    Parameters
    ----------
    mode
        ``R``; ``I``; ``R/I``: whichever of both is better at a place; ``R+I``: first R, then I.
    variant
        ``as_published``: cosine of the sentence to the text *before the step* at least .8.
        ``textattack`` (0.3.11, mode R alone): to the original at least .936338, which is the
        angular similarity that belongs to .8, used as a cosine there.
    candidates
        Likeliest words that are looked at.

    **Measures** how far fluent changes bring a model.

    **Misleads when** read without the share that is valid: "bad" is as likely as "good" behind "a".

    References
    ----------
    Garg & Ramakrishnan (2020), BAE: BERT-based adversarial examples for text classification.

    Examples
    --------
    >>> [move.transformation.id for move in Bae(mode="R/I").search(Given()).space.moves]
    ['masked_replace@1', 'masked_insert@1']
    """

    id = "bae@1"
    title = "BAE"
    resources = ("masked_lm", "tagger")
    lacking: ClassVar[Mapping[str, str]] = {"encoder": NO_ENCODER}
    deviations = (
        "Whole words of the masked language model's vocabulary stand in for words that GloVe knows "
        "as well.",
        "A step is taken where it is better than the text before it; the paper takes the best one "
        "of a place in any case.",
        OTHER_ENCODER,
    )

    mode: Mode = "R"
    variant: Literal["as_published", "textattack"] = "as_published"
    candidates: int = 50

    def search(self, given: Given) -> Search:
        """Greedy, by importance."""
        rule = Changeable(stop_words=True)
        beside = Changeable(stop_words=True, is_once=self.mode != "R+I")  # beside what R put there
        replacing = Move(MaskedReplace(top=self.candidates), may_change=rule)
        inserting = Move(MaskedInsert(top=self.candidates), may_change=beside)
        moves = {"R": (replacing,), "I": (inserting,)}.get(self.mode, (replacing, inserting))
        is_ours = self.variant == "as_published"
        near = similar(given, least_cosine=0.8 if is_ours else 0.936338, window=WINDOW)
        pos: Any = SamePos(noun_verb=True)  # lets insertions pass
        space = Space(
            moves,
            constraints=() if is_ours else near,
            step_constraints=(pos, *near) if is_ours else (pos,),
        )
        if self.mode == "R+I":
            return Search(space, Untargeted(), ReplaceThenInsert(prefer=closest(given)))
        return Search(space, Untargeted(), GreedyRanked(ranking="delete", prefer=closest(given)))
