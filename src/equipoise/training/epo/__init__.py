"""EPO: a strategist trained by multi-turn REINFORCE with process rewards and iterated self-play."""
