"""Values that everything else is made of; the standard library only."""
