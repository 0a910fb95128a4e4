"""Reading comprehension: questions that words of a text answer."""
