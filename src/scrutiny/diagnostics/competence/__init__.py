"""Whether a language model has learned enough language for what else is asked of it."""

from scrutiny.diagnostics.competence.diagnostic import Competence, CompetenceParams

__all__ = ["Competence", "CompetenceParams"]
