"""Findings: the audit table, one section for each diagnostic, and risks."""
