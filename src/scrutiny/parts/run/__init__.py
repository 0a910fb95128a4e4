"""A finished run as parts read it: plain values, and what is asked of them again and again."""
