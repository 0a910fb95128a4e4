"""Training nodes of a plan: trained before anything is measured."""
