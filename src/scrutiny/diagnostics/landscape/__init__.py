"""The loss around a model's weights: is the minimum that training found flat or sharp."""
