"""What attention heads encode: hypotheses about annotations, tested head by head."""
