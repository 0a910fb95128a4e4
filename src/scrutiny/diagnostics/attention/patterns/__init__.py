"""Fixed attention patterns that do not depend on the text."""
