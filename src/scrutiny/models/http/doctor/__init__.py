"""Contract checks of an endpoint: does it do what is asked, before money is spent on it."""
