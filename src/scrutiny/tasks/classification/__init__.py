"""Classification: one label for one or several texts."""
