"""Fine-tuning of encoders on labeled tasks, several seeds at a time.

A task may also label every piece of annotated sentences: the annotation, a control task, mixtures.
"""
