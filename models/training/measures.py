"""Measures of a ranking that several commands share."""

from __future__ import annotations

import numpy as np


def reciprocal_ranks(scores: np.ndarray, golds: np.ndarray, own: np.ndarray) -> np.ndarray:
    """
    1 / rank of each gold where that is at most 10, else 0; their mean is MRR@10. `scores` (n, pool), `golds` (n) and `own`
    (n): column of each query's gold, and of the query itself, which takes no part, or -1.
    """
    out = np.zeros(len(golds))
    for i, (row, gold, mine) in enumerate(zip(scores, golds, own)):
        better = row > row[gold]
        if mine >= 0 and mine != gold:
            better[mine] = False
        rank = 1 + int(better.sum())
        out[i] = 1 / rank if rank <= 10 else 0.0
    return out


def average_precision(scores: np.ndarray, labels: np.ndarray) -> float:
    """Of labels 0 and 1 (n) in the order of the scores (n), best first; 0 where none is 1."""
    ranked = labels[np.argsort(-scores, kind="stable")] == 1
    return float((np.cumsum(ranked) / np.arange(1, len(ranked) + 1))[ranked].mean()) if ranked.any() else 0.0
