"""Losses of the reranker's two stages, and what a step of the local one is made of."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

from rerank_batches import MASKED, Row, choose, ranks_of, row_of, target_of
from rerank_local import LocalScorer
from rerank_roles import Abstract
from rerank_scores import abstract_rows
from rerank_store import Examples

ROLE_WEIGHT = 0.5
#: Rank of sentences that are of no use, and how much of its role a hard label leaves to each of the other two.
REST, SMOOTH = 8.0, 0.05
#: Weight with which a group's mean logit is held at 0: the softmax is blind to a constant, the graph is not.
CENTRE = 0.01


def drawn_features(features: list[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
    """Some features of a whole group put to 0 at random: all in a tenth of the groups, one in a fifth."""
    lot_ = rng.random()
    if lot_ < 0.1:
        return [f * 0 for f in features]
    if lot_ < 0.3:
        gone = int(rng.integers(features[0].shape[1]))
        return [np.where(np.arange(f.shape[1]) == gone, 0, f).astype(np.float32) for f in features]
    return features


def role_targets(examples: Examples, passage: int) -> np.ndarray:
    """(m, 3) soft roles; rows of 0 where they are not known."""
    at = examples.sentence[examples.entries(passage)]
    return examples.roles[at].astype(np.float32) * examples.role_known[at][:, None]


def role_loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Mean divergence over the sentences that have a target (rows of `target` that are not 0)."""
    known = target.sum(-1) > 0.5
    if not known.any():
        return logits.sum() * 0
    return functional.kl_div(logits[known].log_softmax(-1), target[known], reduction="batchmean")


def list_loss(logits: torch.Tensor, ranks: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of a group's target distribution and its logits' softmax; masked sentences take no part."""
    known = ranks != MASKED
    return -(target[known] * logits[known].log_softmax(-1)).sum()


class LocalStep:
    """The batch of one step and its loss; the same seed and step give the same batch."""

    def __init__(self, examples: Examples, places: list[int], abstracts: list[Abstract], scorer: LocalScorer, args):
        self.examples, self.scorer, self.args = examples, scorer, args
        positive = {e for e in places if self._marked(e)}
        self.places = [e for e in places for _ in range(args.repeat if e in positive else 1)]
        tokenizer = scorer.tower.tokens
        tokenizer.no_truncation()
        self.abstracts = [
            (a, [np.array(e.ids) for e in tokenizer.encode_batch(a.sentences, add_special_tokens=False)]) for a in abstracts
        ]

    def _marked(self, example: int) -> bool:
        first, last = self.examples.passages(example)[0], self.examples.passages(example)[-1]
        at = slice(self.examples.entries(first).start, self.examples.entries(last).stop)
        return bool((self.examples.label[at] == 1).any())

    def chosen(self, step: int) -> np.ndarray:
        """The examples of a step, `--groups` of them; every epoch has an order of its own."""
        size = self.args.groups
        each = len(self.places) // size
        order = np.random.default_rng([self.args.seed, step // max(1, each)]).permutation(len(self.places))
        at = (step % max(1, each)) * size
        return np.array(self.places)[order[at : at + size]]

    def loss(self, step: int) -> torch.Tensor:
        """Mean listwise loss of a step's groups (equations 19 and 20) and 0.5 x role divergence (21 and 22), a scalar."""
        rng = np.random.default_rng([self.args.seed, 1, step])
        rows: list[Row] = []
        groups: list[tuple[int, np.ndarray]] = []
        roles: list[np.ndarray] = []
        for e in self.chosen(step):
            passages = choose(self.examples, int(e), self.args.others, rng, self.args.labelled, self.args.leave)
            mine = [row_of(self.examples, int(e), p) for p in passages]
            for row, features in zip(mine, drawn_features([row.features for row in mine], rng)):
                row.features = features
            ranks = np.concatenate([ranks_of(self.examples, int(e), p, REST) for p in passages])
            groups.append((len(ranks), ranks))
            roles += [role_targets(self.examples, p) for p in passages]
            rows += mine
        used = sum(size for size, _ in groups)
        if self.scorer.heads.with_roles:
            for _ in range(self.args.abstracts):
                row, target = self._abstract(rng)
                rows.append(row)
                roles.append(target)
        flat = self.scorer.run(rows)
        total = torch.zeros(())
        for logits, (_, ranks) in zip(flat.local[:used].split([size for size, _ in groups]), groups):
            target = torch.from_numpy(target_of(ranks, self.args.temperature))
            total = total + list_loss(logits, torch.from_numpy(ranks), target) + CENTRE * logits.mean() ** 2
        total = total / len(groups)
        if self.scorer.heads.with_roles:
            target = torch.from_numpy(np.concatenate(roles))
            total = total + ROLE_WEIGHT * role_loss(flat.role_logits[:used], target[:used])
            if len(target) > used:
                total = total + ROLE_WEIGHT * role_loss(flat.role_logits[used:], target[used:])
        return total

    def _abstract(self, rng: np.random.Generator) -> tuple[Row, np.ndarray]:
        abstract, tokens = self.abstracts[int(rng.integers(len(self.abstracts)))]
        query = self.examples.query(int(rng.integers(len(self.examples))))
        made = abstract_rows(abstract, tokens, query, self.scorer.limits)
        row, places = made[int(rng.integers(len(made)))]
        target = np.zeros((len(places), 3), np.float32)
        for k, i in enumerate(places):
            if abstract.roles[i] >= 0:
                target[k] = SMOOTH
                target[k, abstract.roles[i]] = 1 - 2 * SMOOTH
        return row, target


def pair_loss(logits: torch.Tensor, better: np.ndarray, worse: np.ndarray) -> torch.Tensor:
    """Equation 23: mean of -log sigmoid of the difference."""
    return functional.softplus(logits[torch.from_numpy(worse)] - logits[torch.from_numpy(better)]).mean()
