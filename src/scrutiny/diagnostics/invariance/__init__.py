"""Which changes of a text leave one model's answer, and do they leave another's."""
