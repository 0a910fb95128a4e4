"""A run divided into one section for each diagnostic."""

from collections.abc import Sequence
from dataclasses import dataclass

from scrutiny.core.estimate import Estimate
from scrutiny.parts.run.identity import identity
from scrutiny.parts.run.places import apart
from scrutiny.parts.run.rows import AuditRow, audit_rows
from scrutiny.parts.run.view import DiagnosticNotes, Missing, RunView
from scrutiny.parts.wording.labels import family_name, slug


@dataclass(frozen=True, slots=True)
class Section:
    """Section of one diagnostic.

    Parameters
    ----------
    name, anchor
        Name without version, and its stable place in the page.
    kinds
        Versions with the digests of their parameters, as they ran.
    notes
        What the diagnostic says of itself.
    rows
        Its lines of the audit table.
    estimates
        Its numbers over all replicates.
    n_single
        Further numbers, of single heads and layers, which stand in maps.
    missing
        Its variants that could not be asked.
    """

    name: str
    anchor: str
    kinds: tuple[str, ...]
    notes: DiagnosticNotes
    rows: tuple[AuditRow, ...]
    estimates: tuple[Estimate, ...]
    missing: tuple[Missing, ...]
    n_single: int = 0


def sections(view: RunView) -> tuple[Section, ...]:
    """Sections in plan order: of every diagnostic that has a claim or an estimate."""
    rows = audit_rows(view)
    listed, single = main_estimates(view), single_estimates(view)
    diagnostics = [r.finding.claim.diagnostic for r in rows]
    diagnostics += dict.fromkeys(e.key.diagnostic for e in (*listed, *single))
    names = dict.fromkeys(family_name(d) for d in diagnostics)
    return tuple(_section(view, name, rows=rows, estimates=(listed, single)) for name in names)


def _section(
    view: RunView,
    name: str,
    *,
    rows: Sequence[AuditRow],
    estimates: tuple[Sequence[Estimate], Sequence[Estimate]],
) -> Section:
    own, single = (
        tuple(e for e in some if family_name(e.key.diagnostic) == name) for some in estimates
    )
    return Section(
        name=name,
        anchor=f"diagnostic-{slug(name)}",
        kinds=tuple(dict.fromkeys(e.key.diagnostic for e in (*own, *single))),
        notes=view.notes.get(name, DiagnosticNotes()),
        rows=tuple(r for r in rows if r.diagnostic == name),
        estimates=own,
        missing=tuple(m for m in view.missing if family_name(m.diagnostic) == name),
        n_single=len(single),
    )


def main_estimates(view: RunView) -> tuple[Estimate, ...]:
    """Estimates over all replicates, and those of findings that are not in the run's list.

    An estimate of one replicate is left out where its value stands in another's ``by_replicate``;
    so are those of single heads and layers, which stand in maps.
    """
    listed, _ = apart(view.estimates, view.findings)
    known = {identity(e.key) for e in listed}
    for finding in view.findings:
        for estimate in (finding.estimate, finding.control):
            if estimate is not None and identity(estimate.key) not in known:
                known.add(identity(estimate.key))
                listed.append(estimate)
    of_all = ("replicate",)
    whole = {identity(e.key, without=of_all) for e in listed if e.key.replicate is None}
    return tuple(
        e for e in listed if e.key.replicate is None or identity(e.key, without=of_all) not in whole
    )


def single_estimates(view: RunView) -> tuple[Estimate, ...]:
    """Estimates of single heads and layers over all replicates."""
    _, single = apart(view.estimates, view.findings)
    return tuple(e for e in single if e.key.replicate is None)
