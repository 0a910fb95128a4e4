"""The audit table: its rows and sections, what may be stated, and what stands under it."""
