"""The report of a comparison of two runs: sentences, cards, sections, a page and objects."""
