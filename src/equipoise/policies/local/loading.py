"""Loads a causal model, its tokenizer and an optional adapter from local files, never from pickles."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError

__all__ = ["LoadedModel", "load_model", "load_spec", "progress_bars", "split_spec"]

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_DTYPES = ("float32", "bfloat16", "float16")
# Where a folder lies and which version wrote it changes nothing in what the model does.
_VOLATILE = ("_name_or_path", "transformers_version", "base_model_name_or_path", "peft_version", "revision")


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model ready for use.

    Attributes:
        model: A causal model of transformers, wrapped by PEFT if it has an adapter; evaluation mode.
        tokenizer: Its tokenizer; pads on the left and has a pad token.
        fingerprint: Hash of configuration, weights and adapter; the same on every machine.
        spec: What it was loaded from.
    """

    model: Any
    tokenizer: Any
    fingerprint: str
    spec: str = ""


def load_model(
    path_or_id: str | Path,
    adapter: str | Path | None = None,
    dtype: str = "float32",
    device: str = "cpu",
    *,
    threads: int | None = None,
    trainable: bool = False,
    quiet: bool = False,
) -> LoadedModel:
    """Load a model folder or a model of the Hugging Face hub.

    Args:
        path_or_id: A local folder, or a hub id such as ``Qwen/Qwen3-0.6B`` (which may use the network).
        adapter: A PEFT adapter folder.
        dtype: ``float32``, ``bfloat16`` or ``float16``.
        device: A torch device.
        threads: CPU threads of torch; None leaves them as they are.
        trainable: Whether the adapter's weights get gradients.
        quiet: Show no progress.

    Raises:
        RequestError: A path does not exist or does not hold what is needed.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch_dtype = _prepare(dtype, threads)
    name, local = _locate(str(path_or_id))
    folder = None if adapter is None else _adapter_folder(adapter)
    try:
        with progress_bars(not quiet):
            tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=local)
            model = AutoModelForCausalLM.from_pretrained(
                name, local_files_only=local, dtype=torch_dtype, use_safetensors=True
            )
    except (OSError, ValueError) as error:
        raise RequestError(f"model {name!r} cannot be loaded: {_first_line(error)}") from None
    base = _hash_folder(Path(name)) if local else str(getattr(model.config, "_commit_hash", None) or name)
    return _finish(model, tokenizer, base, folder, device, trainable, str(path_or_id))


def load_spec(
    spec: str,
    dtype: str = "float32",
    device: str = "cpu",
    *,
    threads: int | None = None,
    trainable: bool = False,
    quiet: bool = False,
) -> LoadedModel:
    """Load what a policy spec names: ``smollm2``, ``tiny-random`` or ``hf:PATH_OR_ID``, each ``[+ADAPTER]``.

    Raises:
        RequestError: The spec names no local model, or it cannot be loaded.
    """
    name, adapter = split_spec(spec)
    if name == "tiny-random":
        from equipoise.policies.local.tiny import tiny_model, tiny_tokenizer, weights_digest

        _prepare(dtype, threads)
        folder = None if adapter is None else _adapter_folder(adapter)
        tokenizer = tiny_tokenizer()
        model = tiny_model(tokenizer, dtype=dtype)
        return _finish(model, tokenizer, weights_digest(model), folder, device, trainable, spec)
    if name == "smollm2":
        from equipoise.policies.local.fetch import ensure_smollm2

        path = str(ensure_smollm2(quiet=quiet))
    elif name.startswith("hf:") and name != "hf:":
        path = name.removeprefix("hf:")
    else:
        raise RequestError(
            f"unknown local model {spec!r}: choose smollm2, tiny-random or hf:PATH_OR_ID, each with +ADAPTER"
        )
    loaded = load_model(path, adapter, dtype, device, threads=threads, trainable=trainable, quiet=quiet)
    return replace(loaded, spec=spec)


def split_spec(spec: str) -> tuple[str, str | None]:
    """Split off an adapter; a folder whose own name holds a plus sign is taken as it is."""
    if "+" not in spec or Path(spec.removeprefix("hf:")).is_dir():
        return spec, None
    if Path(spec.partition("+")[2]).is_dir():
        name, _, adapter = spec.partition("+")
    else:
        name, _, adapter = spec.rpartition("+")
    return name, adapter


def _prepare(dtype: str, threads: int | None) -> Any:
    import torch

    if dtype not in _DTYPES:
        raise RequestError(f"unknown dtype {dtype!r}: choose one of {', '.join(_DTYPES)}")
    if threads is not None:
        torch.set_num_threads(threads)
    return getattr(torch, dtype)


@contextmanager
def progress_bars(shown: bool) -> Iterator[None]:
    """Switch the progress bars of transformers off for a while, unless they are wanted."""
    from transformers.utils import logging

    before = logging.is_progress_bar_enabled()
    if not shown:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        if before:
            logging.enable_progress_bar()


def _locate(name: str) -> tuple[str, bool]:
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise RequestError(f"{name!r} is no model folder: it has no config.json")
        return str(folder), True
    if not _HUB_ID.fullmatch(name) or name.startswith("."):
        raise RequestError(f"there is no model folder {name!r}")
    return name, False


def _adapter_folder(adapter: str | Path) -> Path:
    folder = Path(adapter).expanduser()
    for needed in ("adapter_config.json", "adapter_model.safetensors"):
        if not (folder / needed).is_file():
            raise RequestError(f"{str(adapter)!r} is no adapter folder: it has no {needed}")
    return folder


def _finish(
    model: Any, tokenizer: Any, base: str, adapter: Path | None, device: str, trainable: bool, spec: str
) -> LoadedModel:
    """Move the model to its device, put the adapter on, settle padding, and fingerprint the whole."""
    digest = hashlib.blake2b(base.encode(), digest_size=16)
    model = _move(model, device)
    if adapter is not None:
        from peft import PeftModel

        try:
            model = PeftModel.from_pretrained(model, str(adapter), is_trainable=trainable)
        except (OSError, ValueError, RuntimeError) as error:
            raise RequestError(
                f"adapter {str(adapter)!r} does not fit {spec!r}: {_first_line(error)}"
            ) from None
        digest.update(_hash_folder(adapter).encode())
    tokenizer.padding_side = "left"
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return LoadedModel(model.eval(), tokenizer, digest.hexdigest(), spec)


def _move(model: Any, device: str) -> Any:
    try:
        return model.to(device)
    except (RuntimeError, AssertionError) as error:
        raise RequestError(f"device {device!r} cannot be used: {_first_line(error)}") from None


def _hash_folder(folder: Path) -> str:
    """Hash configuration, chat template, tokenizer and weights by content."""
    digest = hashlib.blake2b(digest_size=16)
    names = ("config.json", "adapter_config.json", "tokenizer.json", "chat_template.jinja")
    small = [folder / name for name in names if (folder / name).is_file()]
    for file in small:
        content = file.read_bytes()
        if file.name.endswith("config.json"):
            kept = {k: v for k, v in json.loads(content).items() if k not in _VOLATILE}
            content = json.dumps(kept, sort_keys=True).encode()
        digest.update(file.name.encode() + hashlib.blake2b(content).digest())
    for file in sorted(folder.glob("*.safetensors")):
        with file.open("rb") as stream:
            digest.update(file.name.encode() + hashlib.file_digest(stream, "blake2b").digest())
    return digest.hexdigest()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
