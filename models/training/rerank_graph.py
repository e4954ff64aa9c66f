"""The sentence graph of one query (LoG-Reranker, equations 8 to 10) as padded lists of incoming edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SIMILAR = 7
RELATIONS = 8
#: relation[role of the source, role of the target]; 0 is the same role, roles are background, method, result.
TYPED = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]])


@dataclass(frozen=True)
class GraphSettings:
    """
    Which edges are drawn. Similarity: from this cosine and up to this difference of local scores, each node's `top`
    nearest. `neighbours`: edges into a node at most.
    """

    cosine: float = 0.75
    difference: float = 0.25
    top: int = 8
    neighbours: int = 24
    #: For ablations.
    adjacency: bool = True
    similarity: bool = True


@dataclass
class SentenceGraph:
    """Edges into each of n nodes: source's place, relation, and 1 for an edge or 0 for padding; all (n, K)."""

    neighbours: np.ndarray
    relations: np.ndarray
    valid: np.ndarray


def similarity_edges(
    hidden: np.ndarray, role: np.ndarray, local: np.ndarray, passage: np.ndarray, settings: GraphSettings
) -> tuple[np.ndarray, np.ndarray]:
    """Both (n, n): edges between passages, in both directions, and the cosine of every two nodes."""
    unit = hidden / np.maximum(np.linalg.norm(hidden, axis=1, keepdims=True), 1e-12)
    cosine = unit @ unit.T
    eligible = passage[:, None] != passage[None, :]
    eligible &= role[:, None] == role[None, :]
    eligible &= cosine >= settings.cosine
    eligible &= np.abs(local[:, None] - local[None, :]) <= settings.difference
    # Ties go to the earlier node, as in a stable sort.
    order = np.argsort(np.where(eligible, -cosine, np.inf), axis=1, kind="stable")[:, : settings.top]
    edges = np.zeros_like(eligible)
    np.put_along_axis(edges, order, np.take_along_axis(eligible, order, axis=1), axis=1)
    return edges | edges.T, cosine


def sentence_graph(
    hidden: np.ndarray, roles: np.ndarray, local: np.ndarray, passage: np.ndarray, settings: GraphSettings
) -> SentenceGraph:
    """
    `hidden` (n, d), `roles` (n, 3), `local` (n) in 0…1, `passage` (n): number of each node's passage, whose
    sentences follow one another. Adjacency comes first among a node's edges, then similarity by cosine.
    """
    n, k = len(local), settings.neighbours
    neighbours = np.zeros((n, k), np.int64)
    relations = np.zeros((n, k), np.int64)
    valid = np.zeros((n, k), np.float32)
    if n == 0:
        return SentenceGraph(neighbours, relations, valid)
    role = roles.argmax(axis=1)
    used = np.zeros(n, np.int64)
    if settings.adjacency:
        after = np.flatnonzero(passage[1:] == passage[:-1]) + 1
        neighbours[after, 0] = after - 1
        relations[after, 0] = TYPED[role[after - 1], role[after]]
        valid[after, 0] = 1
        used[after] = 1
    if settings.similarity:
        edges, cosine = similarity_edges(hidden, role, local, passage, settings)
        for v in np.flatnonzero(edges.any(axis=1)):
            sources = np.flatnonzero(edges[:, v])
            sources = sources[np.argsort(-cosine[sources, v], kind="stable")][: k - used[v]]
            to = slice(used[v], used[v] + len(sources))
            neighbours[v, to], relations[v, to], valid[v, to] = sources, SIMILAR, 1
    return SentenceGraph(neighbours, relations, valid)
