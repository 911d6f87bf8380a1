"""SFT, SEPO and tabular training."""
