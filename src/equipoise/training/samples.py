"""What trainers that work on tokens are given: one sample for each generation that may be trained.

The loss of a batch is Σ over streams of (Σ over tokens of A·ratio) / (episodes of that stream). Means over
rows or tokens would re-weight streams by how many decisions and words they take; every sample therefore
carries the episodes of its stream.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from equipoise.objective.safety import Stream
from equipoise.training.batch import SampledStep
from equipoise.types import Generation

__all__ = ["DecisionSample", "count_decisions", "decision_samples"]


@dataclass(frozen=True, slots=True)
class DecisionSample:
    """One generation with the advantage of the decision that it led to.

    Attributes:
        prompt_ids: Tokens of the prompt.
        completion_ids: (L,) tokens of the completion.
        sampled_logprobs: (L,) log-probability of each as it was sampled.
        mask: (L,) 1 for the tokens that were sampled, 0 for those that were put there.
        allowed: (L,) the tokens that each was sampled among, None for the whole vocabulary.
        advantage: Advantage of the decision, over the scale of the batch.
        stream: Pool and opponent of the episode.
        episodes_of_stream: Episodes of that stream in the batch.
        episode: Identifier of the episode.
        index: Which of the policy's own decisions in the episode it belongs to.
        role: The generation's role.
        share: What its decision counts for where KL and entropy are averaged over decisions; 1 unless games
            that weigh differently are trained together.
    """

    prompt_ids: tuple[int, ...]
    completion_ids: tuple[int, ...]
    sampled_logprobs: tuple[float, ...]
    mask: tuple[int, ...]
    allowed: tuple[tuple[int, ...] | None, ...]
    advantage: float
    stream: Stream
    episodes_of_stream: int
    episode: str
    index: int
    role: str
    share: float = 1.0

    @classmethod
    def of(
        cls, made: Generation, advantage: float, stream: Stream, episodes: int, episode: str, index: int
    ) -> DecisionSample | None:
        """Return the sample of a generation; None if nothing about it can be trained."""
        if not made.trainable or not any(made.mask):
            return None
        allowed = made.allowed or (None,) * len(made.ids)
        return cls(
            made.prompt_ids, made.ids, made.logprobs, made.mask, allowed, advantage, stream, episodes,
            episode, index, made.role,
        )  # fmt: skip

    @property
    def weight(self) -> float:
        """What each of its tokens' log-probability weighs in the ascent direction."""
        return self.advantage / self.episodes_of_stream


def count_decisions(samples: Sequence[DecisionSample]) -> int:
    """Return the number of decisions behind samples; those of one decision stand side by side.

    In order, since games that are trained together may name episodes alike.
    """
    return sum(1 for _ in groupby(samples, key=lambda one: (one.episode, one.index)))


def decision_samples(step: SampledStep) -> list[DecisionSample]:
    """Return the samples of a sampled step, in the order of its groups.

    An answer that was not valid is credited like any other: the text was sampled from the policy, and what
    was played in its place is how the environment answered.
    """
    samples = []
    seen: Counter[str] = Counter()
    for decision, turn, advantage, stream in step.credited():
        # Where hands are independent a decision counts from the start of its hand.
        index = seen[decision.episode]
        seen[decision.episode] += 1
        share, episodes = advantage / step.divisor, step.credit.episodes[stream]
        for made in turn.choice.generations:
            samples.append(DecisionSample.of(made, share, stream, episodes, decision.episode, index))
    return [sample for sample in samples if sample is not None]
