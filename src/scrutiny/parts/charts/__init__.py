"""Charts as Vega-Lite specifications, and tables with the same numbers."""
