"""A run divided into one section for each diagnostic."""

from collections.abc import Sequence
from dataclasses import dataclass

from scrutiny.core.estimate import Estimate
from scrutiny.core.plugin import family_name
from scrutiny.parts.run.estimates import main_estimates, single_estimates
from scrutiny.parts.run.identity import slug
from scrutiny.parts.run.rows import AuditRow, audit_rows
from scrutiny.parts.run.view import DiagnosticNotes, Missing, RunView


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

    def shared_limit(self, metric: str) -> float | None:
        """Common limit of the claims about one metric, if there is one."""
        limits = {
            row.finding.claim.components[0].limit
            for row in self.rows
            if row.finding.claim.components
            and row.finding.estimate is not None
            and row.finding.estimate.key.metric == metric
        }
        return limits.pop() if len(limits) == 1 else None


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
    own, single = (tuple(e for e in some if e.key.diagnostic_name == name) for some in estimates)
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
