"""The built-in models: small English text classifiers in exact integers, several seeds each."""
