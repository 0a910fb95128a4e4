"""How much of the evaluation text the model was trained on."""
