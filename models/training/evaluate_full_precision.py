"""MRR@10 of full-precision models on the temporal benchmark, bare sentences as in `ratio eval`.

    python models/training/evaluate_full_precision.py --bench DIR --split test --model FOLDER [--prefixed]

For what `ratio eval` cannot load: larger reference models (any mean-pooled sentence encoder that
transformers reads, e.g. all-mpnet-base-v2) and a trained model before it is quantised, so that the
points which int8 costs are known. `--prefixed` puts the move before queries; base models get them bare.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

from measures import reciprocal_ranks
from mined import read_lines

CHUNK_TOKENS = 4096
LIMIT = 128


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, required=True, help="folder of `ratio bench build`")
    parser.add_argument("--split", choices=("val", "test"), required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--prefixed", action="store_true")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32", help="bf16 is faster, for the largest")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


class Model:
    """A sentence encoder of transformers with mean pooling; `precision` is fp32 or bf16."""

    def __init__(self, folder: Path, precision: str):
        self.tokens = AutoTokenizer.from_pretrained(folder)
        kind = torch.bfloat16 if precision == "bf16" else torch.float32
        self.model = AutoModel.from_pretrained(folder, dtype=kind).eval()

    def vectors(self, texts: list[str], what: str) -> np.ndarray:
        """Unit vectors (len(texts), d): the mean over tokens, as the benchmark's encoders pool."""
        rows = self.tokens(texts, truncation=True, max_length=LIMIT, padding=False)["input_ids"]
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        made: np.ndarray | None = None
        at, shown = 0, time.time()
        with torch.inference_mode():
            while at < len(order):
                end = at + 1
                while end < len(order) and (end + 1 - at) * len(rows[order[end]]) <= CHUNK_TOKENS:
                    end += 1
                group = order[at:end]
                batch = self.tokens.pad({"input_ids": [rows[i] for i in group]}, return_tensors="pt")
                hidden = self.model(**batch).last_hidden_state.float()
                weight = batch["attention_mask"].unsqueeze(-1).float()
                pooled = torch.nn.functional.normalize((hidden * weight).sum(1) / weight.sum(1), dim=-1).numpy()
                if made is None:
                    made = np.empty((len(texts), pooled.shape[1]), np.float32)
                made[group] = pooled
                at = end
                if time.time() - shown > 30:
                    shown = time.time()
                    print(f"  {what}: {at:,} of {len(texts):,}", flush=True)
        assert made is not None
        return made


def main() -> None:
    args = arguments()
    torch.set_num_threads(args.threads)
    folder = args.bench / args.split
    pool = list(read_lines(folder / "pool.jsonl"))
    pairs = list(read_lines(folder / "pairs.jsonl"))
    place = {row["id"]: i for i, row in enumerate(pool)}
    model = Model(args.model, args.precision)
    documents = model.vectors([row["text"] for row in pool], "documents")
    moves = {name: name.removesuffix("-reversed") for name in sorted({p["move"] for p in pairs})}
    result = {"model": args.model.name, "split": args.split, "precision": args.precision, "pool": len(pool), "MRR@10": {}}
    for name, move in moves.items():
        mine = [p for p in pairs if p["move"] == name]
        asked = [(f"{move}: " if args.prefixed else "") + p["query"] for p in mine]
        queries = model.vectors(asked, name)
        golds = np.array([place[p["goldId"]] for p in mine])
        own = np.array([place.get(p["queryId"], -1) for p in mine])
        gained = [
            reciprocal_ranks(queries[at : at + 256] @ documents.T, golds[at : at + 256], own[at : at + 256])
            for at in range(0, len(mine), 256)
        ]
        result["MRR@10"][name] = round(100 * float(np.concatenate(gained).mean()), 2)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
