"""The encoder as it is trained: mean-pooled BERT with fp32 master weights, in bf16 where that is faster."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from transformers import BertModel

CHUNK_TOKENS = 1024


def working_precision() -> torch.dtype:
    """
    bf16 on processors that multiply it (AVX512-BF16, AMX, Arm's BF16), where it is twice as fast as fp32; fp32 on
    others, where bf16 is emulated and many times slower.
    """
    able = torch.cpu.get_capabilities()
    return torch.bfloat16 if any(able.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16")) else torch.float32


class Tower:
    """
    One BERT for queries and documents. The working copy has `working_precision`, gradients are applied to
    fp32 masters, which are what is saved.
    """

    def __init__(self, source: Path):
        self.source = source
        self.model = BertModel.from_pretrained(
            source,
            add_pooling_layer=False,
            attn_implementation="eager",
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            dtype=torch.float32,
        )
        self.masters = [p.detach().clone() for p in self.model.parameters()]
        self.model.to(working_precision())
        self.tokens = Tokenizer.from_file(str(source / "tokenizer.json"))
        self.tokens.no_padding()

    def load(self, weights: list[torch.Tensor]) -> None:
        """Copies `weights` into the working model (not into the masters)."""
        with torch.no_grad():
            torch._foreach_copy_(list(self.model.parameters()), weights)

    def embed(self, texts: list[str], limit: int = 64) -> torch.Tensor:
        """Unit vectors (len(texts), 384) in fp32; texts are cut at `limit` tokens."""
        self.tokens.enable_truncation(limit)
        rows = [e.ids for e in self.tokens.encode_batch(texts)]
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        made, at = [], 0
        while at < len(order):
            # Sorted by length, so the last row of a chunk is its longest.
            end = at + 1
            while end < len(order) and (end + 1 - at) * len(rows[order[end]]) <= CHUNK_TOKENS:
                end += 1
            chunk = [rows[i] for i in order[at:end]]
            width = len(chunk[-1])
            ids = torch.zeros((len(chunk), width), dtype=torch.long)
            mask = torch.zeros((len(chunk), width), dtype=torch.long)
            for r, row in enumerate(chunk):
                ids[r, : len(row)] = torch.tensor(row)
                mask[r, : len(row)] = 1
            hidden = self.model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
            weight = mask.unsqueeze(-1).float()
            made.append((hidden * weight).sum(1) / weight.sum(1))
            at = end
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return torch.nn.functional.normalize(torch.cat(made)[back], dim=-1)

    def vectors(self, texts: list[str], progress: str | None = None) -> np.ndarray:
        """Unit vectors without gradients, in steps of 4,096 texts."""
        out = []
        with torch.inference_mode():
            for at in range(0, len(texts), 4096):
                out.append(self.embed(texts[at : at + 4096]).numpy())
                if progress:
                    print(f"  {progress}: {min(at + 4096, len(texts)):,} of {len(texts):,}", flush=True)
        return np.concatenate(out)

    def save(self, folder: Path, weights: list[torch.Tensor]) -> None:
        """Writes a folder that export_encoder.py --source takes."""
        folder.mkdir(parents=True, exist_ok=True)
        names = [name for name, _ in self.model.named_parameters()]
        state = {name: w.detach().float().contiguous() for name, w in zip(names, weights)}
        save_file(state, str(folder / "model.safetensors"))
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
            shutil.copyfile(self.source / name, folder / name)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
