"""What a model can know without reading: partial inputs, label words, and AFLite."""
