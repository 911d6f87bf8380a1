"""Training on several devices: SEPO and the warm start through TRL's own trainers (``backend = "trl"``)."""
