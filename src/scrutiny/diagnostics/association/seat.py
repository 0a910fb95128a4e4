"""Association tests: how much closer one set of targets is to one set of attributes.

For every test and kind of vector: the effect size over the targets, words resampled within X and
within Y. The claim of a test: the effect size of the declared representation exceeds the margin,
and exceeds that of untrained networks by the margin, and both hold for every other representation.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.facts import WORD_SETS
from scrutiny.core.queries.language import LIKELIHOODS_OF_SENTENCES
from scrutiny.core.record import Measure, Row
from scrutiny.core.slice_syntax import slice_of_values
from scrutiny.diagnostics.association.word_sets import (
    OF_ONE_KIND,
    Kind,
    SeatParams,
    WordSets,
    claim_of_every_kind,
    claimed_first,
    has_direction,
    kinds_of_vectors,
    seat_representations,
    word_set_vectors,
    word_sets,
)
from scrutiny.stats.association.word_sets import associations


def _name(test: str, kind: Kind) -> str:
    return f"d/{test}/{kind.name}"


_AS_PUBLISHED: Final = (
    "Texts are lower-cased and encoded without special tokens, as in the published code."
)
_FIRST_PIECE: Final = (
    "first-piece is the published encoder of BERT: the first token of the text without special "
    "tokens, so in most sentences it is not a token of their target word."
)
_MOST_MISSING: Final = 0.05  # of a set of attributes
_NO_VECTOR: Final = "no_vector"
_NO_ATTRIBUTES: Final = "attributes_missing"


class Seat(Diagnostic[SeatParams]):
    """Which sets of words or sentences have similar vectors (WEAT, SEAT).

    Effect size of word and sentence embedding association tests, for each representation.

    Records of targets (X and Y, role ``measured``) hold the association with A rather than B; those
    of attributes (A and B, role ``baseline``) the association with X rather than Y. ``side`` is 1
    in X and A.

    **Measures**: whether texts about the first targets lie nearer to the first attributes than
    texts about the second targets do, in units of the spread over all targets (d), with words as
    the units of resampling and of permutation, beside sentences as published.

    **Misleads when**: read as the amount of bias: d says how well two sets are told apart, and the
    sentences of a test share a template and a few words. No association found is no proof of
    none. With fewer than four words a side no permutation test can reject. Texts that do not fit
    into the model are left out, and the test then speaks of the others. Single words as
    ``first-piece``: some encoders give nearly the same vector to any text of one piece, and d is
    then a ratio of rounding errors.

    **References**: Caliskan, Bryson & Narayanan (2017), Science 356; May et al. (2019), On
    measuring social biases in sentence encoders, NAACL; Tan & Celis (2019), Assessing social and
    intersectional biases in contextualized word representations, NeurIPS; Aribandi, Tay & Metzler
    (2021), How reliable are model diagnostics?
    """

    id = "association.seat@1"
    needs = frozenset({"representations"})
    wants = (WORD_SETS,)
    measures = (Measure("association", unit="cosine"), Measure("side"))
    scope = "dataset"
    nulls = 20
    audit_data = "builtin:associations"
    audit_asks = LIKELIHOODS_OF_SENTENCES

    def design(self, params: SeatParams, inputs: Inputs) -> Design:
        """One effect size for each test and kind of vector, one claim for each test."""
        names = seat_representations(params, inputs.subject.capabilities)
        kinds = kinds_of_vectors(names, params.layers, inputs.subject.n_layers or None)
        tests = tuple(inputs.data.columns.get("a_test", {}))
        claimed = claimed_first(kinds, params.claimed)
        notes = [
            "Intervals resample words with all their sentences, within X and within Y; attributes "
            "are fixed. Permutation tests exchange words (word_permutation) and, as published, "
            "single sentences (sentence_permutation), which share words and so are not "
            "independent."
        ]
        if len(kinds) == 1:
            notes.append(OF_ONE_KIND)
        if params.procedure == "may2019":
            notes.append(_AS_PUBLISHED)
        if "first-piece" in names:
            notes.append(_FIRST_PIECE)
        return Design(
            conditions=tuple(kind.condition for kind in kinds),
            estimates=tuple(
                EstimateSpec(
                    _name(test, kind),
                    f"effect_size({'sample' if params.ddof == 1 else 'population'})@1",
                    kind.condition,
                    group=test,
                    unit="u_word",
                    strata="a_set",
                    where=slice_of_values({"a_test": test}),
                )
                for test in tests
                for kind in kinds
            ),
            claims=tuple(
                claim_of_every_kind(
                    test,
                    {kind.name: _name(test, kind) for kind in claimed},
                    margin=params.margin,
                    says=f"{test}: the first targets are closer to the first attributes, d > "
                    f"{params.margin:g}, and more than in untrained networks",
                    family="association",
                )
                for test in tests
            ),
            notes=tuple(notes),
            families={
                "association": f"{inputs.subject.name} places the first targets closer to the "
                f"first attributes (d > {params.margin:g}) in every representation, and more than "
                "untrained networks do"
            },
            contrasts=tuple(
                ContrastSpec.untrained(_name(test, kind) for test in tests for kind in kinds)
            ),
        )

    def measure(self, params: SeatParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """One row for each item and kind of vector, item by item."""
        examples = batch.examples
        names = seat_representations(params, ctx.model.capabilities)
        vectors = word_set_vectors(
            examples,
            ctx,
            representations=names,
            layers=params.layers,
            as_published=params.procedure == "may2019",
        )
        tests = word_sets(examples)
        kinds = kinds_of_vectors(names, params.layers, vectors.layers[-1])
        columns = [
            _associations_of(vectors.of(kind.layer, kind.representation), tests) for kind in kinds
        ]
        for position, example in enumerate(examples):
            side = float(example.attributes["a_set"] in ("X", "A"))
            is_target = example.attributes["a_set"] in ("X", "Y")
            role = "measured" if is_target else "baseline"
            for kind, (values, reasons) in zip(kinds, columns, strict=True):
                found: tuple[float, float] | Failure = (values[position], side)
                if vectors.failure:
                    found = Failure(vectors.failure)
                elif reasons[position]:
                    found = Failure(str(reasons[position]), status="undefined")
                yield RowKind.of(kind.condition, role).row(example.id, found)


def _associations_of(
    vectors: Floats, tests: Sequence[WordSets]
) -> tuple[Floats, NDArray[np.object_]]:
    """Association ``(item,)`` of every item, and the reason if it has none.

    Targets are compared with attributes, and attributes with targets.

    Parameters
    ----------
    vectors
        ``(item, dimension)``; NaN where there is none.
    tests
        The tests that the items belong to.
    """
    values = np.full(len(vectors), np.nan)
    reasons = np.full(len(vectors), "", dtype=object)
    there = has_direction(vectors)
    reasons[~there] = _NO_VECTOR
    for test in tests:
        is_valid = {  # whether enough vectors of a set are there for its mean
            name: there[own].any() and (~there[own]).mean() <= _MOST_MISSING
            for name, own in test.members.items()
        }
        for own, others in ((("X", "Y"), ("A", "B")), (("A", "B"), ("X", "Y"))):
            mine = np.concatenate([test.members[name] for name in own])
            if not all(is_valid[name] for name in others):
                reasons[mine] = _NO_ATTRIBUTES if own[0] == "X" else "targets_missing"
                continue
            first, second = (own[there[own]] for own in (test.members[name] for name in others))
            rows = mine[there[mine]]
            if rows.size:
                values[rows] = associations(vectors[rows], vectors[first], vectors[second])
    return values, reasons
