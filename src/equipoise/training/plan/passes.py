"""How many tokens a stage works through, and how large its largest pass with gradients is."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.training.plan.tokens import Tokens
from equipoise.training.plan.work import TAUGHT, Work

__all__ = ["BACKWARD", "Pass", "largest_pass", "played", "trained", "worked"]

BACKWARD = 3
"""What a token read with gradients counts: forward once, backward about twice that."""


@dataclass(frozen=True)
class Pass:
    """A pass with gradients.

    Attributes:
        rows: Its rows.
        tokens: Tokens of a row.
        logits: Positions whose logits are wanted.
        where: Whose it is.
    """

    rows: int
    tokens: int
    logits: int
    where: str


def played(work: Work, tokens: Tokens) -> float:
    """Return the tokens that are computed to decide: prompts read, words scored or text written."""
    return tokens.read(work.questions, not work.budget) + work.decisions * work.budget


def trained(work: Work, tokens: Tokens) -> float:
    """Return the tokens that are read with gradients in one step, or for a loss without."""
    if work.kind in TAUGHT:
        asked = work.asked or work.questions
        size = _together(work, tokens) if work.pass_tokens else work.chunk
        return tokens.read_in_chunks(asked, size, words=False) + sum(map(tokens.answer, asked))
    if not work.pass_tokens:
        return tokens.read_in_chunks(work.questions, work.chunk)
    prompts = tokens.read_in_chunks(work.asked, _together(work, tokens), words=False)
    return work.decisions * work.budget + prompts


def worked(work: Work, tokens: Tokens) -> tuple[float, str]:
    """Return the tokens of one step, those with gradients counted ``BACKWARD`` times, and what they are."""
    if work.kind in ("audit", "select"):
        return played(work, tokens), "read once"
    if work.kind == "loss":
        return trained(work, tokens), "read once"
    more = f"a pass with gradients, which counts {BACKWARD}"
    if work.kind == "sft":
        return BACKWARD * trained(work, tokens), more
    if work.kind == "pass":
        return (2 + BACKWARD) * trained(
            work, tokens
        ), f"read as the reference and to check the step, and {more}"
    checked = trained(work, tokens) if work.pass_tokens else played(work, tokens)
    total = played(work, tokens) + 2 * checked + BACKWARD * trained(work, tokens)
    return total, f"played, read as the reference and to check the step, and {more}"


def largest_pass(work: Work, tokens: Tokens) -> Pass:
    """Return the first pass of a stage, which stands for all of them."""
    where = f"{work.game} {work.stage}"
    size = _together(work, tokens) if work.pass_tokens else work.chunk
    chunk = (work.asked or work.questions)[:size]
    scores = work.kind == "sepo" and not work.budget
    made = work.budget or (0 if scores else round(max(map(tokens.answer, chunk))))
    rows = len(tokens.rows(chunk, scores))
    logits = rows if scores else len(chunk) * made
    if tokens.shares:
        return Pass(1, round(tokens.read(chunk, scores)) + len(chunk) * made, logits, where)
    return Pass(rows, round(max(map(tokens.prompt, chunk))) + made, logits, where)


def _together(work: Work, tokens: Tokens) -> int:
    """Return how many texts with their prompts go into one pass."""
    longest = max(map(tokens.prompt, work.questions), default=0.0) + work.budget
    if work.kind in TAUGHT:
        longest += max(map(tokens.answer, work.questions), default=0.0)
    return max(1, int(work.pass_tokens // max(longest, 1.0)))
