"""Forms of a run for other tools and people: SARIF, model cards, evidence pages, trackers."""
