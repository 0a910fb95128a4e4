"""What designs look at, with no more said than a test is about."""

from dataclasses import fields

from scrutiny.core.design import DataShape, Inputs, SubjectShape


def inputs_of(task=None, *, subject="m", reference="", dataset="x", **known):
    """Inputs of ten English items; fields of the reference begin with ``reference_``."""

    def taken(kind, prefix=""):
        names = [f.name for f in fields(kind) if prefix + f.name in known]
        return {name: known.pop(prefix + name) for name in names}

    data = {"n_items": 10, "languages": frozenset({"en"}), **taken(DataShape)}
    own = SubjectShape(subject, **taken(SubjectShape))
    second = SubjectShape(reference, **taken(SubjectShape, "reference_")) if reference else None
    own = second if subject == reference else own
    return Inputs(task, DataShape(dataset, **data), own, second, **known)
