"""A random two-layer model with its own tokenizer, made in code: for smoke runs and tests, no download.

It knows nothing, but goes through every code path of a real one: chat template, words of several tokens,
LoRA, saving and loading. The same seed gives the same weights.
"""

from __future__ import annotations

import hashlib
from typing import Any

__all__ = ["tiny_model", "tiny_tokenizer"]

_CORPUS = """You play a repeated game with one other player. Each round both of you choose at the same time.
points each. If one defects alone, that one gets and the other. The game lasts rounds. Answer with the line
Action: Now round 1 of 8. Round 2: you, other. You play poker with three cards: king beats queen, queen beats
jack. Both players put in 1 chip and get one card. The opener may bet. Facing a call matches it and gives up
the pot. After two passes or a call the higher card wins the pot. one line and then the word. You hold the
jack. You open: The other player passed. The other player bet. You passed, the other player bet: or"""

_TEMPLATE = (
    "{% for m in messages %}<|start|>{{ m['role'] }}\n{{ m['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)


def tiny_tokenizer() -> Any:
    """Return a byte-level BPE tokenizer of about 500 tokens with a chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=["<|pad|>", "<|start|>", "<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_CORPUS.splitlines(), trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|end|>",
        pad_token="<|pad|>",
        additional_special_tokens=["<|start|>"],
        padding_side="left",
        chat_template=_TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


def tiny_model(tokenizer: Any, *, seed: int = 0, dtype: str = "float32") -> Any:
    """Return a two-layer Llama with seeded random weights, in evaluation mode."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        # Wide enough that prompts and words get clearly different probabilities.
        initializer_range=0.2,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config)
    return model.to(getattr(torch, dtype)).eval()


def weights_digest(model: Any) -> str:
    """Return a hash of all weights of a model in memory."""
    import torch

    digest = hashlib.blake2b(digest_size=16)
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().to("cpu", torch.float32).numpy().tobytes())
    return digest.hexdigest()
