"""Mined negatives: what the model to be trained further ranks high for a query, from other papers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mined import Pair, Paper
from resume import sha256
from tower import Tower

#: A sentence this like the gold one is as good as it.
SAME_AS_GOLD = 0.85
BLOCK = 512


@dataclass
class Hard:
    """`found[i]` (k places in the lists, best first, -1 where there are fewer) are pair i's; `golds` (n, d) their vectors."""

    ids: list[str]
    texts: list[str]
    papers: list[str]
    found: np.ndarray
    golds: np.ndarray


def candidates(pairs: list[Pair], papers: dict[str, Paper], others: int, seed: int) -> dict[str, tuple[str, str]]:
    """Sentences by id with text and paper: all golds and queries, and `others` more drawn at random."""
    made: dict[str, tuple[str, str]] = {}
    for pair in pairs:
        made.setdefault(pair.gold_id, (pair.gold, pair.paper))
    for pair in pairs:
        made.setdefault(pair.query_id, (pair.query, pair.paper))
    names = sorted(papers)
    rng = np.random.default_rng(seed)
    wanted = len(made) + others
    for name in rng.permutation(len(names)):
        if len(made) >= wanted:
            break
        paper = papers[names[name]]
        if paper.ids:
            k = int(rng.integers(len(paper.ids)))
            made.setdefault(paper.ids[k], (paper.texts[k], names[name]))
    return made


def kept_name(tower: Tower, pairs: list[Pair], held: dict[str, tuple[str, str]], count: int) -> str:
    """By all that the result hangs on: another model, query or list of sentences must not meet it."""
    parts = [sha256(tower.source / "model.safetensors"), str(count)]
    parts += [f"{p.move}: {p.query}\t{p.gold_id}" for p in pairs]
    parts += ["\t".join((name, *about)) for name, about in held.items()]
    return f"hard-{hashlib.sha256(chr(10).join(parts).encode()).hexdigest()[:16]}.npz"


def mine(
    tower: Tower, pairs: list[Pair], papers: dict[str, Paper], folder: Path, count: int = 20, others: int = 12_000, seed: int = 5
) -> Hard:
    """The `count` best of other papers for each pair; kept in `folder`, since it takes minutes."""
    held = candidates(pairs, papers, others, seed)
    ids = list(held)
    texts, owners = [held[i][0] for i in ids], [held[i][1] for i in ids]
    place = {name: i for i, name in enumerate(ids)}
    gold = np.array([place[p.gold_id] for p in pairs])
    file = folder / kept_name(tower, pairs, held, count)
    if file.exists():
        with np.load(file) as kept:
            return Hard(ids, texts, owners, kept["found"], kept["golds"].astype(np.float32))
    documents = tower.vectors(texts, "sentences for hard negatives")
    queries = tower.vectors([f"{p.move}: {p.query}" for p in pairs], "queries for hard negatives")
    owner = np.unique(np.array(owners), return_inverse=True)[1]
    found = np.full((len(pairs), count), -1, np.int32)
    most = min(4 * count, len(ids) - 1)
    for at in range(0, len(pairs), BLOCK):
        rows = slice(at, at + BLOCK)
        scores = queries[rows] @ documents.T
        best = np.argpartition(-scores, most, axis=1)[:, :most]
        for r, near in enumerate(best):
            near = near[np.argsort(-scores[r, near], kind="stable")]
            mine_ = gold[at + r]
            fit = (owner[near] != owner[mine_]) & (documents[near] @ documents[mine_] < SAME_AS_GOLD)
            kept_ = near[fit][:count]
            found[at + r, : len(kept_)] = kept_
        if at % (40 * BLOCK) == 0:
            print(f"  hard negatives: {at:,} of {len(pairs):,} pairs", flush=True)
    golds = documents[gold].astype(np.float16)
    part = file.with_suffix(".part.npz")
    np.savez(part, found=found, golds=golds)
    part.replace(file)
    return Hard(ids, texts, owners, found, golds.astype(np.float32))
