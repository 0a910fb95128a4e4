"""Answers of models of any kind: what inputs they take, what they return, checks of both."""
