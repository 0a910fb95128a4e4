"""Classifiers in the ONNX format: run, and written."""
