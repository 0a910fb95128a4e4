"""Tasks: kinds of question, one small file each. `tasks.names` finds them by name and columns."""
