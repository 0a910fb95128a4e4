"""One folder for each family of diagnostics; none imports another."""
