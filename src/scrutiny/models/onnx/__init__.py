"""Classifiers in the ONNX format: running and exporting."""
