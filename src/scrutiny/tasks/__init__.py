"""Tasks: kinds of question, one module each with its metrics; no other folder names one."""
