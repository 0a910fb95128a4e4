"""The perturbation engine: from an example and a recipe to a variant."""
