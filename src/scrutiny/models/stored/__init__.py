"""Models with stored answers: predictions and scores of heads in files."""
