"""The audit table: its rows and sections, the rule for reporting, and the footer."""
