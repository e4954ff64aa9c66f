"""Roles of sentences in abstracts: a logistic regression on the retriever's vectors, learned from CSAbstruct."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mined import read_lines

#: Roles of the data file to ours; `other` is left out.
ROLE = {"background": 0, "objective": 1, "method": 1, "result": 2}
OTHER = -1


@dataclass
class Abstract:
    """An abstract of CSAbstruct: sentences, roles, and the data's confidence in each."""

    sentences: list[str]
    #: 0 to 2, or -1 for `other`.
    roles: list[int]
    confidence: list[float]


def read_abstracts(data: Path, split: str) -> list[Abstract]:
    """The abstracts of roles-SPLIT.jsonl.gz in `data`."""
    out = []
    for row in read_lines(data / f"roles-{split}.jsonl.gz"):
        out.append(Abstract(row["sentences"], [ROLE.get(r, OTHER) for r in row["roles"]], row["confidence"]))
    return out


def place_features(index: int, count: int) -> list[float]:
    """Where a sentence stands in its abstract: first, last, and the share of it before, squared as well."""
    share = index / max(1, count - 1)
    return [float(index == 0), float(index == count - 1), 4 * share, 4 * share * share]


def inputs(vectors: np.ndarray, places: list[tuple[int, int]]) -> np.ndarray:
    """What the regression sees: scaled vectors beside `place_features`, (n, d + 4); `places` are (index, count)."""
    return np.hstack([8 * vectors, np.array([place_features(*p) for p in places], np.float32).reshape(-1, 4)])


class RoleClassifier:
    """Soft roles from unit vectors of sentences and their places in the abstract."""

    def __init__(self, data: Path, vectors_of, limit: int | None = None):
        from sklearn.linear_model import LogisticRegression

        x, y, _ = self._set(data, "train", vectors_of, limit)
        self.model = LogisticRegression(C=0.05, max_iter=500).fit(x[y >= 0], y[y >= 0])
        x, y, _ = self._set(data, "dev", vectors_of, limit)
        #: Accuracy on the development set; `other` counts as an error.
        self.accuracy = float((self.model.predict(x) == y).mean())

    @staticmethod
    def _set(data: Path, split: str, vectors_of, limit: int | None) -> tuple[np.ndarray, np.ndarray, int]:
        abstracts = read_abstracts(data, split)[:limit]
        texts = [s for a in abstracts for s in a.sentences]
        places = [(i, len(a.sentences)) for a in abstracts for i in range(len(a.sentences))]
        return inputs(vectors_of(texts), places), np.array([r for a in abstracts for r in a.roles]), len(abstracts)

    def soft(self, vectors: np.ndarray, places: list[tuple[int, int]]) -> np.ndarray:
        """(n, 3): probabilities of background, method and result."""
        return self.model.predict_proba(inputs(vectors, places)).astype(np.float32)
