"""Training: pre-training, fine-tuning and small classifiers, several seeds at a time.

Jobs list the models of a recipe; trainers are what ``[[train]]`` of a plan names.
"""
