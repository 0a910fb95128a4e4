"""Task execution: in this process, in workers, or on Ray, with the same results."""
