"""Log-probabilities of tokens that were drawn among some tokens only."""

from __future__ import annotations

import torch

__all__ = ["token_logprobs"]


def token_logprobs(
    logits: torch.Tensor, ids: torch.Tensor, allowed: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return log-probability and entropy of each token under the distribution it was drawn from.

    Where ``allowed`` names tokens, probabilities are renormalised over these, as constrained decoding does;
    elsewhere they are over the whole vocabulary.

    Args:
        logits: (B, T, V), divided by the sampler's temperature.
        ids: (B, T) the tokens.
        allowed: (B, T, K) tokens each was drawn among, -1 for no token; all -1 for the whole vocabulary.

    Returns:
        Log-probabilities and entropies in nats, each (B, T) and float32.
    """
    logits = logits.float()
    everything = torch.log_softmax(logits, dim=-1)
    drawn = everything.gather(-1, ids.unsqueeze(-1)).squeeze(-1)
    spread = -(everything.exp() * everything).sum(-1)
    listed = allowed >= 0
    constrained = listed.any(-1)
    some = logits.gather(-1, allowed.clamp(min=0))
    # Positions without a list would be log(0); they are replaced below, and must not make gradients NaN.
    some = some.masked_fill(~listed & constrained.unsqueeze(-1), -torch.inf)
    total = torch.logsumexp(some, dim=-1)
    within = logits.gather(-1, ids.unsqueeze(-1)).squeeze(-1) - total
    logs = some - total.unsqueeze(-1)
    narrow = -(logs.exp() * logs.masked_fill(~listed, 0.0)).sum(-1)
    return torch.where(constrained, within, drawn), torch.where(constrained, narrow, spread)
