"""MRR@10 on a part of the validation pairs: to choose a checkpoint by, not to report."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mined import MOVES, read_lines, read_pairs
from tower import Tower


class Validation:
    """`queries` pairs a move, and a pool of their golds and `others` further sentences."""

    def __init__(self, folder: Path, queries: int = 300, others: int = 8000, seed: int = 7, small: bool = False):
        if small:
            queries, others = 20, 200
        rng = np.random.default_rng(seed)
        self.pairs = []
        pairs = read_pairs(folder)
        for move in MOVES:
            mine = [p for p in pairs if p.move == move]
            chosen = rng.permutation(len(mine))[:queries]
            self.pairs += [mine[i] for i in chosen]
        texts: dict[str, str] = {}
        for pair in self.pairs:
            texts[pair.gold_id] = pair.gold
        papers = {p.paper for p in self.pairs}
        rest = []
        for row in read_lines(folder / "pool.jsonl"):
            if row["id"] not in texts:
                # Half of what surrounds the golds is their own papers: the hardest to tell apart.
                rest.append((row["paper"] not in papers, rng.random(), row["id"], row["text"]))
        near = sorted(r for r in rest if not r[0])[: others // 2]
        far = sorted(r for r in rest if r[0])[: others - len(near)]
        for _, _, name, text in near + far:
            texts[name] = text
        self.ids = {name: i for i, name in enumerate(texts)}
        self.texts = list(texts.values())

    def run(self, tower: Tower, prefixed: bool) -> dict[str, float]:
        """MRR@10 by move, times 100, and their mean."""
        documents = tower.vectors(self.texts)
        queries = tower.vectors([(f"{p.move}: " if prefixed else "") + p.query for p in self.pairs])
        scores = queries @ documents.T
        gained: dict[str, list[float]] = {move: [] for move in MOVES}
        for row, pair in zip(scores, self.pairs):
            gold = self.ids[pair.gold_id]
            own = self.ids.get(pair.query_id)
            if own is not None and own != gold:
                row[own] = -2
            rank = 1 + int((row > row[gold]).sum())
            gained[pair.move].append(1 / rank if rank <= 10 else 0.0)
        out = {move: round(100 * float(np.mean(g)), 2) for move, g in gained.items() if g}
        return out | {"mean": round(float(np.mean(list(out.values()))), 2)}
