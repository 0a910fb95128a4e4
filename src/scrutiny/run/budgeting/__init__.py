"""Cost of a plan, estimated before the first query; plans cut to a time budget."""
