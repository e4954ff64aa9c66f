"""Sentence vectors of an exported encoder folder, kept on disk so that no text is encoded twice."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import time
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from calibrate import feeds, session

# Texts in a cache file; an interrupted run loses fewer than that.
CHUNK = 4096
BATCH = 32


def prefix_of(query_prefix: str | dict[str, str], move: str) -> str:
    """What stands before a query: one text with `{move}` in it, or one a move."""
    if isinstance(query_prefix, str):
        return query_prefix.replace("{move}", move)
    return query_prefix.get(move, "")


class Encoder:
    """`folder` holds model.onnx, tokenizer.json and config.json as export_encoder.py writes them."""

    def __init__(self, folder: Path, cache: Path):
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            model = (folder / "model.onnx").read_bytes()
        except (OSError, ValueError) as error:
            raise SystemExit(f"{folder}: not an encoder folder (model.onnx, config.json): {error}") from error
        self.id: str = config["id"]
        self.query_prefix: str | dict[str, str] = config.get("queryPrefix", "")
        self.document_prefix: str = config.get("documentPrefix", "")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(config.get("maxTokens", 256))
        self._run = session(model)
        self._inputs = {i.name for i in self._run.get_inputs()}
        self._cache = cache / re.sub(r"[^\w.-]+", "_", self.id)

    @property
    def short(self) -> str:
        """The id without the revisions at its end."""
        return re.sub(r"(-[0-9a-f]{6,})+$", "", self.id)

    def queries(self, move: str, texts: list[str]) -> np.ndarray:
        """Unit vectors of `texts` as queries of `move`."""
        prefix = prefix_of(self.query_prefix, move)
        return self._encode([prefix + text for text in texts])

    def sentences(self, texts: list[str]) -> np.ndarray:
        """Unit vectors of bare sentences, one row each."""
        return self._encode([self.document_prefix + text for text in texts])

    def documents(self, texts: list[str], what: str = "") -> np.ndarray:
        """The same for many sentences, with progress; those seen before come from the cache."""
        keys = [hashlib.sha256((self.document_prefix + text).encode()).digest()[:16] for text in texts]
        known = self._known()
        missing = {key: text for key, text in zip(keys, texts) if key not in known}
        new, started = list(missing), time.monotonic()
        for at in range(0, len(new), CHUNK):
            some = new[at : at + CHUNK]
            vectors = self.sentences([missing[key] for key in some]).astype(np.float16)
            self._keep(some, vectors)
            known |= zip(some, vectors)
            done = at + len(some)
            rate = done / (time.monotonic() - started)
            print(
                f"{self.short}{what}: {done:,} of {len(new):,} sentences encoded, {rate:.0f}/s, "
                f"{(len(new) - done) / rate:.0f} s left",
                file=sys.stderr,
                flush=True,
            )
        return np.stack([known[key] for key in keys]).astype(np.float32)

    def _known(self) -> dict[bytes, np.ndarray]:
        found: dict[bytes, np.ndarray] = {}
        for file in sorted(self._cache.glob("*.npz")):
            with np.load(file) as kept:
                found |= zip(map(bytes, kept["keys"]), kept["vectors"])
        return found

    def _keep(self, keys: list[bytes], vectors: np.ndarray) -> None:
        self._cache.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(b"".join(keys)).hexdigest()[:24]
        # Written aside first: a run that is stopped leaves no half file behind.
        aside = self._cache / f"{name}.part"
        with aside.open("wb") as out:
            np.savez(out, keys=np.frombuffer(b"".join(keys), np.uint8).reshape(-1, 16), vectors=vectors)
        aside.replace(self._cache / f"{name}.npz")

    def _encode(self, texts: list[str]) -> np.ndarray:
        rows = [e.ids for e in self._tokenizer.encode_batch(texts)]
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        made: list[np.ndarray] = [np.empty(0)] * len(rows)
        for at in range(0, len(order), BATCH):
            some = order[at : at + BATCH]
            inputs = feeds([rows[i] for i in some])
            mask = inputs["attention_mask"]
            if "token_type_ids" in self._inputs:
                inputs["token_type_ids"] = np.zeros_like(mask)
            out = self._run.run(None, inputs)[0]
            if out.ndim == 3:
                out = (out * mask[..., None]).sum(axis=1) / mask.sum(axis=1)[:, None]
            out = out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)
            for i, vector in zip(some, out):
                made[i] = vector
        return np.stack(made).astype(np.float32)
