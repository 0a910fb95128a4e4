"""Cases: texts behind the findings, with what the models said."""
