"""What crosses the border: checked as it comes in, canonical and without secrets as it goes out."""
