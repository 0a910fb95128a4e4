"""Attention heads as dependency parsers of single relations, compared with fixed offsets."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from scrutiny.core.arrays import Booleans
from scrutiny.core.claim import Claim
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.facts import ARCS
from scrutiny.core.queries.annotation import Arcs
from scrutiny.core.record import HEADS, LAYERS, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.attention.arc_counts import (
    ALL,
    OFFSETS,
    PROCEDURES,
    ArcsParams,
    GoldArcs,
    arcs_at_offsets,
    counted,
    guessed_arcs,
    guessed_trees,
    right_undirected_arcs,
    undirected_at_offsets,
)
from scrutiny.diagnostics.attention.presets import (
    OVER,
    SELECTED,
    Made,
    ReadsMaps,
    accuracy_counts,
    attention_contrasts,
    claimed_presets,
    measures_of_heads,
    of_accuracy,
    preset_claim,
    spec_name,
    specs_of,
)

_ALONG: Final = of_accuracy(("direction", "layer", "head"), "offset")

_OF_TREES: Final = "Maximum spanning trees are given the annotated root, which is not scored."
#: Right words ``(direction, layer, head, word)`` and ``(offset, word)``.
Right = tuple[Booleans, Booleans]


class HeadArcs(ReadsMaps[ArcsParams]):
    """Attention heads as dependency parsers of single relations.

    Accuracy of every head at finding the syntactic head of a word, by relation.

    Direction 1 takes the word that a word attends to most for its head, direction 2 the word that
    attends to it most. Records hold, for each sentence and relation, how many words were right, of
    how many: every scored word counts as one prediction, so that F1 of these counts is accuracy.
    Beside them stand the same counts of fixed offsets. With ``has_trees`` the maximum spanning tree
    of each map, given the annotated root, is scored as well: UAS, and UUAS whichever way arcs run.

    **Measures**: whether single heads specialize in single relations, more than the relation's
    usual distance explains, and whether fine-tuning strengthens them.

    **Misleads when**: the best of 288 heads and directions is read as found
    (``best_head(accuracy)`` is chosen and scored on the same sentences); relations are rare; an
    offset explains the relation (det, compound: nearly always the next noun). A head that parses is
    not a head that the model needs: see `attention.faithfulness`.

    **References**: Clark et al. (2019), What does BERT look at?, section 4.2; Voita et al. (2019),
    Analyzing multi-head self-attention, section 5.2; Htut et al. (2019), Do attention heads in BERT
    track syntactic dependencies?
    """

    id = "attention.arcs@1"
    View = Arcs
    wants = (ARCS,)
    measures = measures_of_heads(
        "words", (("direction", 2), LAYERS, HEADS), (("offset", len(OFFSETS)),)
    )
    audit_data = "builtin:arcs"

    def audit_params(self, task: Task) -> ArcsParams:
        """Parameters in an audit: all words, and relations that are frequent enough."""
        return ArcsParams(relations=("nsubj", "obj"), claimed=(ALL, "nsubj", "obj"), tuned=())

    def design(self, params: ArcsParams, inputs: Inputs) -> Design:
        """Every head and offset, the chosen ones, and the claims, for each relation."""
        cases = params.cases()
        families = {
            "attention.relations": f"heads of {inputs.subject.name} encode dependency "
            "relations beyond offsets and untrained networks"
        }
        if inputs.base:
            families["attention.relations.tuned"] = (
                "fine-tuning strengthens the encoding of dependency relations in heads of "
                f"{inputs.subject.name}"
            )
        return Design(
            conditions=tuple(case.condition for case in cases),
            estimates=tuple(spec for case in cases for spec in specs_of(case.condition, _ALONG)),
            claims=tuple(_claims(params, inputs)),
            queries_per_item=params.readings,
            notes=(
                "Accuracy: each scored word counts as one prediction, so F1 is the same number. A "
                f"relation includes its subtypes; {PROCEDURES[params.procedure]}.",
                "Direction 1 predicts the word that a word attends to most as its head, direction "
                "2 the word that attends to it most. Heads, directions and offsets are chosen on "
                "one half of the sentences and scored on the other, in both directions; "
                "best_head(accuracy) is chosen and scored on the same sentences, as published.",
                *((_OF_TREES,) if params.has_trees else ()),
            ),
            families=families,
            contrasts=tuple(attention_contrasts(spec_name(c.condition, SELECTED) for c in cases)),
        )

    def rows_of(
        self, params: ArcsParams, item: str, view: Arcs, made: Mapping[str, Made]
    ) -> Iterable[Row]:
        """One row for each preset and relation."""
        gold = GoldArcs.of(view)
        right = {name: _right(found, gold, params) for name, found in made.items()}
        for case in params.cases():
            found = right[case.preset]
            words = gold.cases(case.relation, procedure=params.procedure)
            if case.tree:  # which is given the root
                words = words[gold.heads[words] >= 0]
            values: tuple[float, ...] | Failure
            if not words.size:
                values = Failure("no_such_relation", status="skipped")
            elif isinstance(found, Failure):
                values = found
            elif case.tree not in found:
                values = Failure("root_without_piece", status="undefined")
            else:  # all words are predictions
                heads, offsets = (counted(one, words) for one in found[case.tree])
                values = accuracy_counts(heads, offsets, float(words.size))
            yield RowKind.of(case.condition).row(item, values)


def _right(made: Made, gold: GoldArcs, params: ArcsParams) -> Failure | dict[str, Right]:
    """Correct words of heads and offsets, by the strongest weight and by requested trees."""
    if isinstance(made, Failure):
        return made
    heads = gold.heads
    offsets = arcs_at_offsets(heads, procedure=params.procedure)
    found: dict[str, Right] = {"": (guessed_arcs(made) == heads, offsets)}
    root = gold.root if params.has_trees else None
    trees = None if root is None else guessed_trees(made, root)
    if trees is not None:
        found["directed"] = trees == heads, offsets
        found["undirected"] = right_undirected_arcs(trees, heads), undirected_at_offsets(heads)
    return found


def _claims(params: ArcsParams, inputs: Inputs) -> Iterator[Claim]:
    """Claims about relations: beyond offsets, and increased by fine-tuning."""
    choices = claimed_presets(params.conditions())
    for relation in params.claimed:
        yield preset_claim(
            f"{relation}/beyond-offsets",
            f"some attention head finds the syntactic head of {_words(relation)} by "
            f"{params.margin:g} more often than the best offset, on the other half",
            [(OVER, "baselines: offsets", "{}"), (SELECTED, "control: untrained", "untrained/{}")],
            {name: f"{name}/{relation}" for name in choices},
            margin=params.margin,
            family="attention.relations",
        )
    parts = [(SELECTED, "before fine-tuning", "base/{}")]
    if "control" in inputs.controls:
        parts.append((SELECTED, "control: control task", "control/{}"))
    for relation in params.tuned if inputs.base else ():
        yield preset_claim(
            f"{relation}/tuned",
            f"fine-tuning raises the accuracy of the chosen head at {_words(relation)} by "
            f"{params.margin:g}",
            parts,
            {name: f"{name}/{relation}" for name in choices},
            margin=params.margin,
            family="attention.relations.tuned",
        )


def _words(relation: str) -> str:
    return "words" if relation == ALL else f"words that are {relation}"
