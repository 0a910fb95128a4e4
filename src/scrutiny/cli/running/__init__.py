"""Commands that run models: plans from options, progress, output, a watched child process."""
