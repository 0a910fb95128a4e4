"""Parts on two models: their answers side by side, and how alike their vectors are."""
