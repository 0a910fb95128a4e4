"""Knowledge of languages that several transformations share."""
