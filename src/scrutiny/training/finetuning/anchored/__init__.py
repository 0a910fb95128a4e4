"""Fine-tuning on annotations with an anchor: every word piece of a sentence is labeled."""
