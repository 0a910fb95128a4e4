"""Import of other tools' logs into run folders."""
