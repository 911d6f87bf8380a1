"""Tiny random models of the paper's families, with tokenizers and chat templates shaped like the real ones.

The configurations hold what is peculiar to each: windows shorter than a prompt, layers that share keys and
values, embeddings for every layer, capped logits, linear attention, and the encoders of images and sound
that real checkpoints bring along.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from equipoise.policies.local.tiny import _CORPUS

WINDOW = 24
"""Tokens that sliding layers look back; prompts are longer."""

LLAMA = (
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n"
    "{{ m['content'] | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
GEMMA3 = (
    "{{ bos_token }}{% set first = '' %}{% if messages[0]['role'] == 'system' %}"
    "{% set first = messages[0]['content'] + '\n\n' %}{% set messages = messages[1:] %}{% endif %}"
    "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Roles must alternate') }}{% endif %}"
    "<start_of_turn>{{ 'model' if m['role'] == 'assistant' else m['role'] }}\n"
    "{{ first if loop.first else '' }}{{ m['content'] | trim }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
GEMMA4 = (
    "{{ bos_token }}{% if enable_thinking is defined and enable_thinking %}"
    "<|turn>system\n<|think|>\n<turn|>\n{% endif %}"
    "{% for m in messages %}<|turn>{{ 'model' if m['role'] == 'assistant' else m['role'] }}\n"
    "{{ m['content'] | trim }}<turn|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|turn>model\n{% endif %}"
)
QWEN = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] | trim }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n"
    "{% else %}<think>\n{% endif %}{% endif %}"
)
MARKERS = {
    "llama": (LLAMA, ["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]),
    "gemma3": (GEMMA3, ["<start_of_turn>", "<end_of_turn>"]),
    "gemma4": (GEMMA4, ["<|turn>", "<turn|>", "<|think|>", "<|channel>", "<channel|>"]),
    "qwen3_5": (QWEN, ["<|im_start|>", "<|im_end|>", "<think>", "</think>"]),
}
ENDS = {"llama": "<|eot_id|>", "gemma3": "<end_of_turn>", "gemma4": "<turn|>", "qwen3_5": "<|im_end|>"}
"""The token that ends a turn; another than the one that ends a text."""


def tokenizer(family: str) -> Any:
    """A byte-level tokenizer with the family's markers; the end of a turn is not the end of a text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    template, markers = MARKERS[family]
    base = Tokenizer(models.BPE())
    base.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    base.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=["<pad>", "<eos>", "<bos>", "<image>", "<video>", "<audio>", *markers],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    base.train_from_iterator(_CORPUS.splitlines(), trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=base,
        bos_token="<bos>",
        eos_token="<eos>",
        pad_token="<pad>",
        additional_special_tokens=markers,
        chat_template=template,
        clean_up_tokenization_spaces=False,
    )


_COMMON = {
    "vocab_size": 512,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 4096,
    "initializer_range": 0.2,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "bos_token_id": 2,
}
_SLIDING = ["sliding_attention", "full_attention"]
_TOKENS = {"image_token_id": 3, "video_token_id": 4}


def _llama() -> Any:
    from transformers import LlamaConfig

    return LlamaConfig(**_COMMON, num_hidden_layers=2, tie_word_embeddings=True)


def _gemma3_text() -> Any:
    from transformers import Gemma3TextConfig

    return Gemma3TextConfig(
        **_COMMON,
        num_hidden_layers=4,
        layer_types=_SLIDING * 2,
        sliding_window=WINDOW,
        query_pre_attn_scalar=8,
    )


def _gemma3() -> Any:
    from transformers import Gemma3Config, SiglipVisionConfig

    vision = SiglipVisionConfig(
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        image_size=28,
        patch_size=14,
    )
    return Gemma3Config(
        text_config=_gemma3_text(), vision_config=vision, mm_tokens_per_image=4, image_token_index=3
    )


def _gemma4_text() -> Any:
    from transformers import Gemma4TextConfig

    return Gemma4TextConfig(
        **_COMMON,
        num_hidden_layers=6,
        layer_types=_SLIDING * 3,
        sliding_window=WINDOW,
        global_head_dim=16,
        num_kv_shared_layers=2,
        hidden_size_per_layer_input=8,
        vocab_size_per_layer_input=512,
        final_logit_softcapping=3.0,
    )


def _gemma4() -> Any:
    from transformers import Gemma4AudioConfig, Gemma4Config, Gemma4VisionConfig

    vision = Gemma4VisionConfig(
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=8,
        position_embedding_size=64,
        use_clipped_linears=True,
    )
    audio = Gemma4AudioConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, output_proj_dims=16)
    return Gemma4Config(
        text_config=_gemma4_text(), vision_config=vision, audio_config=audio, **_TOKENS, audio_token_id=5
    )


def _qwen_text(tied: bool = True) -> Any:
    from transformers import Qwen3_5TextConfig

    return Qwen3_5TextConfig(
        **_COMMON,
        num_hidden_layers=4,
        layer_types=["linear_attention", "linear_attention", "linear_attention", "full_attention"],
        linear_key_head_dim=8,
        linear_value_head_dim=8,
        linear_num_key_heads=2,
        linear_num_value_heads=4,
        tie_word_embeddings=tied,
        rope_parameters={
            "rope_type": "default",
            "rope_theta": 10000.0,
            "partial_rotary_factor": 0.5,
            "mrope_section": [1, 1, 0],
            "mrope_interleaved": True,
        },
    )


def _qwen() -> Any:
    from transformers import Qwen3_5Config, Qwen3_5VisionConfig

    vision = Qwen3_5VisionConfig(
        depth=1, hidden_size=16, intermediate_size=16, num_heads=2, out_hidden_size=32, patch_size=4
    )
    return Qwen3_5Config(text_config=_qwen_text(), vision_config=vision, **_TOKENS, tie_word_embeddings=True)


MODELS: dict[str, tuple[str, Callable[[], Any], str]] = {
    "llama": ("llama", _llama, "LlamaForCausalLM"),
    "gemma3_text": ("gemma3", _gemma3_text, "Gemma3ForCausalLM"),
    "gemma3": ("gemma3", _gemma3, "Gemma3ForConditionalGeneration"),
    "gemma4_text": ("gemma4", _gemma4_text, "Gemma4ForCausalLM"),
    "gemma4": ("gemma4", _gemma4, "Gemma4ForConditionalGeneration"),
    "qwen3_5_text": ("qwen3_5", _qwen_text, "Qwen3_5ForCausalLM"),
    "qwen3_5": ("qwen3_5", _qwen, "Qwen3_5ForConditionalGeneration"),
}
"""By ``model_type``: the family, the configuration and the class that real checkpoints name."""


def build(kind: str, seed: int = 0) -> tuple[Any, Any]:
    """Return a model with seeded random weights, in evaluation mode, and its tokenizer."""
    import transformers

    family, config, name = MODELS[kind]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = getattr(transformers, name)(config())
        with torch.no_grad():
            for parameter in model.parameters():
                # Norms and gates start at one value everywhere, which would hide whose they are.
                parameter.add_(0.1 * torch.randn_like(parameter))
    return model.eval(), tokenizer(family)


def save(kind: str, folder: Path, seed: int = 0) -> Path:
    """Write a model as a checkpoint, with generation settings such as real ones bring along."""
    from transformers import GenerationConfig

    model, tok = build(kind, seed)
    end = tok.convert_tokens_to_ids(ENDS[MODELS[kind][0]])
    model.generation_config = GenerationConfig(
        do_sample=True, temperature=0.3, top_k=2, top_p=0.5, eos_token_id=[1, end], pad_token_id=0
    )
    model.save_pretrained(folder)
    tok.save_pretrained(folder)
    return folder
