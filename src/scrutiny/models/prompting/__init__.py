"""Language models that answer a prompt: by the likelihood of a label's words, or by writing."""
