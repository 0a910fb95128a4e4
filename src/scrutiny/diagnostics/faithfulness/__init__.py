"""Faithfulness of attention: erasure, permutation, adversarial, agreement, heads.

The first four are asked of classifiers with a single layer of attention
(`scrutiny.core.queries.attention_layer`), ``faithfulness.heads`` of encoders with many.
"""
