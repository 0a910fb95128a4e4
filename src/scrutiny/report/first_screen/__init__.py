"""The first screen: scores, risks worst first, the clearest cases, and what to do next."""
