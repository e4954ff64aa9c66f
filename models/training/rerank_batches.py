"""Joint inputs of query and passage, and the groups of passages that one loss spans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from rerank_passages import Limits
from rerank_store import GOLD, LABELLED, MOVE_HIT, PLAIN, Examples

#: Tokens, padding included, that go through the encoder at once.
CHUNK_TOKENS = 2048
MASKED = -1.0


@dataclass
class Row:
    """One passage as input: token ids without special ones, and the sentences' features (m, 4)."""

    query: np.ndarray
    sentences: list[np.ndarray]
    features: np.ndarray


@dataclass
class Batch:
    """Padded inputs of B passages: ids, mask and spans (B, L), int64; features (B, M, 4)."""

    ids: torch.Tensor
    mask: torch.Tensor
    spans: torch.Tensor
    features: torch.Tensor


def joined(row: Row, cls: int, sep: int, limits: Limits) -> tuple[list[int], list[int]]:
    """Ids and spans of `[CLS] query [SEP] s1 [SEP] … sm [SEP]`; what does not fit is cut from the last sentence."""
    query = row.query[: limits.query].tolist()
    ids, spans = [cls, *query, sep], [-1, *[0] * len(query), -1]
    for number, sentence in enumerate(row.sentences, 1):
        tokens = sentence[: max(0, limits.tokens - len(ids) - 1)].tolist()
        ids += [*tokens, sep]
        spans += [*[number] * len(tokens), -1]
    return ids, spans


def collate(rows: list[Row], made: list[tuple[list[int], list[int]]]) -> Batch:
    """Rows and what `joined` made of them as one padded batch."""
    width = max(len(ids) for ids, _ in made)
    most = max(len(row.sentences) for row in rows)
    ids = np.zeros((len(rows), width), np.int64)
    mask, spans = np.zeros_like(ids), np.full_like(ids, -1)
    features = np.zeros((len(rows), most, rows[0].features.shape[1]), np.float32)
    for i, (row, (tokens, places)) in enumerate(zip(rows, made)):
        ids[i, : len(tokens)], mask[i, : len(tokens)], spans[i, : len(tokens)] = tokens, 1, places
        features[i, : len(row.sentences)] = row.features
    return Batch(*map(torch.from_numpy, (ids, mask, spans, features)))


def chunks(lengths: list[int], tokens: int = CHUNK_TOKENS) -> list[list[int]]:
    """Places in the order of length, in chunks of at most `tokens` tokens with padding."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    out: list[list[int]] = []
    for i in order:
        if not out or (len(out[-1]) + 1) * lengths[i] > tokens:
            out.append([])
        out[-1].append(i)
    return out


def row_of(examples: Examples, example: int, passage: int) -> Row:
    """A passage of an example as input, as it is stored."""
    sentences = [examples.sentence_tokens(s) for s in examples.sentence[examples.entries(passage)]]
    return Row(examples.query(example), sentences, examples.features(passage))


def within(near: np.ndarray, gold: int) -> np.ndarray:
    """Soft ranks in the gold's passage: 0 for the gold, the others by closeness to it."""
    near = near.astype(np.float32).copy()
    near[gold] = 2
    ranks = np.empty(len(near), np.float32)
    ranks[np.argsort(-near, kind="stable")] = np.arange(len(near))
    return ranks


def ranks_of(examples: Examples, example: int, passage: int, rest: float) -> np.ndarray:
    """
    Rank of each sentence of a passage for its query, 0 the best, `rest` for those of no use, MASKED for
    those of which nothing is known: the unlabelled of a labelled passage, and, of a passage that states the
    problem again, what follows: that may well answer it.
    """
    at = examples.entries(passage)
    labels, kind = examples.label[at], examples.kind[passage]
    gold = np.flatnonzero(examples.sentence[at] == examples.gold[example])
    if len(gold):
        ranks = within(examples.near[at], int(gold[0]))
    elif kind == LABELLED or (labels == 1).any():
        ranks = np.full(len(labels), MASKED, np.float32)
    elif kind == PLAIN:
        ranks = np.full(len(labels), MASKED, np.float32)
        ranks[examples.hit[passage]] = rest
    else:
        ranks = np.full(len(labels), rest, np.float32)
    ranks[labels == 1] = 0
    ranks[(labels == 0) & ~np.isin(np.arange(len(labels)), gold)] = rest
    return ranks


def target_of(ranks: np.ndarray, temperature: float) -> np.ndarray:
    """Target distribution over a group's sentences (equation 19); masked ones have none of it."""
    known = ranks != MASKED
    mass = np.where(known, np.exp(-np.maximum(ranks, 0) / temperature), 0)
    return (mass / mass.sum()).astype(np.float32)


def choose(
    examples: Examples, example: int, others: int, rng: np.random.Generator, labelled: int = 3, leave: float = 0.5
) -> list[int]:
    """
    The passages of one group: the gold's and `others` more. With the gold's, up to `labelled` are labelled ones (two
    at most that make the move), and two of another kind than the retriever's nearest, where there is room. Where a
    labelled sentence of another paper makes the move, the gold's passage is left out with probability `leave`, so
    that refinding does not decide alone. A plain question of nobody's paper has labelled passages alone.
    """
    passages = np.array(examples.passages(example))
    kind = examples.kind[passages]
    gold = passages[kind == GOLD].tolist()
    good, bad = [], []
    for p in passages[kind == LABELLED]:
        (good if (examples.label[examples.entries(p)] == 1).any() else bad).append(int(p))
    chosen = list(rng.permutation(good)[: min(2, labelled)]) if good else []
    if not (chosen and rng.random() < leave):
        chosen = gold + chosen
    room = labelled if gold else max(labelled, 1 + others)
    chosen += list(rng.permutation(bad)[: max(0, room - len(chosen))]) if bad else []
    hard = passages[kind > MOVE_HIT]
    hard = hard[examples.kind[hard] != LABELLED]
    if len(chosen) <= max(3, others):
        chosen += list(rng.permutation(hard)[: min(2, len(hard))])
    near = passages[kind == MOVE_HIT]
    want = min(len(near), max(0, 1 + others - len(chosen)))
    if want:
        # The nearest are drawn most often.
        weight = 1 / (4 + np.arange(len(near)))
        chosen += list(rng.choice(near, want, replace=False, p=weight / weight.sum()))
    return [int(p) for p in chosen]
