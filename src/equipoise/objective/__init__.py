"""From round outcomes to the safe-equilibrium objective, its rewards and its advantages."""
