"""Loss landscape: whether training ended in a flat or a sharp minimum."""
