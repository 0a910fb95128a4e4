"""Training: pre-training, fine-tuning and small classifiers, several seeds at a time."""
