"""Fine-tuning on annotations with an anchor: every piece of a sentence is labeled."""
