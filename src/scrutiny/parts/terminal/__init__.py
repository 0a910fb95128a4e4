"""Lines of 80 cells: text and parts of a report as a terminal shows them."""
