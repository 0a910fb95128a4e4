"""Answers that models write: what is asked, and how a label is read from what they wrote."""
