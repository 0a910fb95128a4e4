"""Whether a language model has learned enough language for what else is asked of it."""
