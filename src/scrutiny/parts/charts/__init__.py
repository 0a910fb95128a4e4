"""Charts as Vega-Lite specifications, and the tables that say the same in words."""
