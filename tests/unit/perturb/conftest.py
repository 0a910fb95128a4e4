"""Amounts of change, as controls count them."""

import pytest

from scrutiny.perturb.engine.control_material import operations_of
from scrutiny.perturb.engine.document import TextDocument


@pytest.fixture(scope="session")
def amount_changed():
    """Code points that a variant deletes and inserts; a control's edits are as small as can be."""

    def amount(example, variant):
        if variant.role == "control":
            return sum(edit.end - edit.start + len(edit.text) for edit in variant.edits)
        fields = {edit.field for edit in variant.edits}
        return sum(
            operation.deleted + len(operation.inserted)
            for name in fields
            for operation in operations_of(
                TextDocument(example, name), [e for e in variant.edits if e.field == name]
            )
        )

    return amount
