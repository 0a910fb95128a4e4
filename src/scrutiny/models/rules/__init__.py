"""Models of written rules: baselines that nothing was trained for."""
