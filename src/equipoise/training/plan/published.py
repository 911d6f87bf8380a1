"""Configurations of the models that shipped recipes name, as published, for machines without them.

Only what decides sizes is given; the rest are defaults of transformers. Sources: ``config.json`` of the
model pages, read November 2026. With them the language model of Gemma 4 E4B has 7.46 billion parameters
(2.82 of them embeddings for every layer) and that of Qwen 3.5 4B has 4.21.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["PUBLISHED"]

PUBLISHED: Mapping[str, Mapping[str, Any]] = {
    "google/gemma-4-E4B-it": {
        "model_type": "gemma4",
        "text_config": {
            "vocab_size": 262144,
            "hidden_size": 2560,
            "intermediate_size": 10240,
            "num_hidden_layers": 42,
            "num_attention_heads": 8,
            "num_key_value_heads": 2,
            "head_dim": 256,
            "global_head_dim": 512,
            "sliding_window": 512,
            "num_kv_shared_layers": 18,
            "hidden_size_per_layer_input": 256,
            "vocab_size_per_layer_input": 262144,
            "final_logit_softcapping": 30.0,
            "tie_word_embeddings": True,
        },
        "vision_config": {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 16},
        "audio_config": {"hidden_size": 1024, "num_hidden_layers": 12, "output_proj_dims": 1536},
    },
    "Qwen/Qwen3.5-4B": {
        "model_type": "qwen3_5_text",
        "vocab_size": 248320,
        "hidden_size": 2560,
        "intermediate_size": 9216,
        "num_hidden_layers": 32,
        "num_attention_heads": 16,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 32,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "tie_word_embeddings": True,
    },
    "meta-llama/Meta-Llama-3-8B-Instruct": {
        "model_type": "llama",
        "vocab_size": 128256,
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "tie_word_embeddings": False,
    },
    "Qwen/Qwen2.5-7B-Instruct": {
        "model_type": "qwen2",
        "vocab_size": 152064,
        "hidden_size": 3584,
        "intermediate_size": 18944,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "tie_word_embeddings": False,
    },
    "HuggingFaceTB/SmolLM2-135M-Instruct": {
        "model_type": "llama",
        "vocab_size": 49152,
        "hidden_size": 576,
        "intermediate_size": 1536,
        "num_hidden_layers": 30,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
        "tie_word_embeddings": True,
    },
}
"""By hub id: ``model_type`` and the settings of its configuration class."""
