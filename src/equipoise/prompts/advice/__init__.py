"""Texts of advice by intent, with which a strategist is taught the form of advice."""
