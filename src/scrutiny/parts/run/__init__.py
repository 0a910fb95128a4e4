"""A finished run as plain values, and shared functions of the parts."""
