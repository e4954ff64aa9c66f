"""How a reranker is measured while it is trained: MRR@10, average precision on labels, role accuracy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from measures import average_precision
from rerank_batches import Row, row_of
from rerank_corpus import MOVE
from rerank_local import LocalScorer
from rerank_passages import Limits, window_around
from rerank_roles import Abstract, read_abstracts
from rerank_store import Examples

#: Passages of a labelled query: all that there are.
LABELLED_PASSAGES = 99


def some(examples: Examples, per_move: int) -> list[int]:
    """The first `per_move` examples of each move."""
    return [int(e) for n in MOVE.values() for e in np.flatnonzero(examples.move == n)[:per_move]]


def entries_of(examples: Examples, example: int, most: int) -> tuple[list[int], np.ndarray]:
    """The first `most` passages of an example and the places of their entries."""
    passages = list(examples.passages(example))[:most]
    at = [np.arange(s.start, s.stop) for s in map(examples.entries, passages)]
    return passages, np.concatenate(at) if at else np.zeros(0, np.int64)


def reciprocal(scores: np.ndarray, sentences: np.ndarray, gold: int) -> float:
    """1 over the gold's rank within ten, else 0; equal scores count against it."""
    found = np.flatnonzero(sentences == gold)
    if not len(found):
        return 0.0
    rank = 1 + int((scores >= scores[found[0]]).sum() - 1)
    return 1 / rank if rank <= 10 else 0.0


def by_move(examples: Examples, chosen: list[int], gained: list[float]) -> dict[str, float]:
    """Means, times 100; `mean` is over the three moves, without plain questions."""
    out = {}
    for name, number in MOVE.items():
        mine = [g for e, g in zip(chosen, gained) if examples.move[e] == number]
        if mine:
            out[name] = round(100 * float(np.mean(mine)), 2)
    moves = [value for name, value in out.items() if name != "none"]
    return out | {"mean": round(float(np.mean(moves)), 2) if moves else 0.0}


def labelled_precision(scores: np.ndarray, examples: Examples, example: int) -> float:
    """Average precision of an example's labelled sentences."""
    labels = examples.label[entries_of(examples, example, LABELLED_PASSAGES)[1]]
    return average_precision(scores[labels >= 0], labels[labels >= 0])


def passages_gain(scores: np.ndarray, examples: Examples, example: int) -> float:
    """nDCG@10 of an example's passages by their best sentences; one with a sentence labelled 1 bears on it."""
    best, good, at = [], [], 0
    for p in examples.passages(example):
        labels = examples.label[examples.entries(p)]
        best.append(float(scores[at : at + len(labels)].max()))
        good.append(bool((labels == 1).any()))
        at += len(labels)
    order = np.array(good)[np.argsort(-np.array(best), kind="stable")][:10]
    ideal = np.sort(np.array(good))[::-1][:10]
    weight = 1 / np.log2(np.arange(len(order)) + 2)
    return float((order * weight).sum() / max(1e-9, (ideal * weight).sum()))


def local_scores(scorer: LocalScorer, examples: Examples, example: int, passages: list[int]) -> np.ndarray:
    """Local logits of all sentences of an example's `passages`, in order."""
    with torch.inference_mode():
        return scorer.run([row_of(examples, example, p) for p in passages]).local.numpy()


class LocalValidation:
    """On validation papers: MRR@10 over all sentences of the first passages, average precision on labels, roles."""

    def __init__(
        self,
        dev: Examples,
        judged: Examples | None,
        questions: Examples | None,
        roles: list[Abstract],
        per_move: int,
        passages: int,
    ):
        self.dev, self.judged, self.questions, self.roles = dev, judged, questions, roles
        self.chosen, self.passages = some(dev, per_move), passages

    def retriever(self) -> dict[str, float]:
        """The same measures of the retriever's cosine, to compare with; without roles."""
        gained = []
        for e in self.chosen:
            _, at = entries_of(self.dev, e, self.passages)
            gained.append(reciprocal(self.dev.cosine[at].astype(np.float32), self.dev.sentence[at], self.dev.gold[e]))
        return by_move(self.dev, self.chosen, gained) | self._labelled(None)

    def _labelled(self, scorer: LocalScorer | None) -> dict[str, float]:
        out = {}
        for name, examples, measure in (
            ("labelsAP", self.judged, labelled_precision),
            ("questions", self.questions, passages_gain),
        ):
            if examples is not None and len(examples):
                gained = []
                for e in range(len(examples)):
                    passages, at = entries_of(examples, e, LABELLED_PASSAGES)
                    cosine = examples.cosine[at].astype(np.float32)
                    gained.append(measure(cosine if scorer is None else local_scores(scorer, examples, e, passages), examples, e))
                out[name] = round(100 * float(np.mean(gained)), 2)
        return out

    def run(self, scorer: LocalScorer) -> dict[str, float]:
        """Measures of a local model, times 100: MRR@10 by move, `labelsAP`, `questions` (nDCG@10), `roles` (accuracy)."""
        gained = []
        for e in self.chosen:
            passages, at = entries_of(self.dev, e, self.passages)
            scores = local_scores(scorer, self.dev, e, passages)
            gained.append(reciprocal(scores, self.dev.sentence[at], self.dev.gold[e]))
        out = by_move(self.dev, self.chosen, gained) | self._labelled(scorer)
        if self.roles and scorer.heads.with_roles:
            out["roles"] = role_accuracy(scorer, self.roles, self.dev)
        return out


def abstract_rows(abstract: Abstract, tokens: list[np.ndarray], query: np.ndarray, limits: Limits) -> list[tuple[Row, list[int]]]:
    """The abstract in consecutive passages, each with its sentences' places; no features."""
    out, at = [], 0
    counts = [len(t) for t in tokens]
    while at < len(counts):
        first, last = window_around(counts[at:], 0, len(query), limits)
        places = list(range(at + first, at + last + 1))
        out.append((Row(query, [tokens[i] for i in places], np.zeros((len(places), 4), np.float32)), places))
        at += last + 1
    return out


def role_logits(scorer: LocalScorer, abstracts: list[Abstract], queries: Examples) -> tuple[np.ndarray, np.ndarray]:
    """Role logits (n, 3) and roles (n; -1: `other`) of all sentences; each abstract is read with some query."""
    logits, roles = [], []
    tokenizer = scorer.tower.tokens
    tokenizer.no_truncation()
    for n, abstract in enumerate(abstracts):
        tokens = [np.array(e.ids) for e in tokenizer.encode_batch(abstract.sentences, add_special_tokens=False)]
        made = abstract_rows(abstract, tokens, queries.query(n % len(queries)), scorer.limits)
        with torch.inference_mode():
            logits.append(scorer.run([row for row, _ in made]).role_logits.numpy())
        roles += [abstract.roles[i] for _, mine in made for i in mine]
    return np.concatenate(logits), np.array(roles)


def role_accuracy(scorer: LocalScorer, abstracts: list[Abstract], queries: Examples) -> float:
    """In per cent, `other` an error."""
    logits, roles = role_logits(scorer, abstracts, queries)
    return round(100 * float((logits.argmax(1) == roles).mean()), 2)


def role_test(scorer: LocalScorer, data: Path, queries: Examples, split: str = "test") -> float:
    """Role accuracy in per cent on a split of CSAbstruct."""
    return role_accuracy(scorer, read_abstracts(data, split), queries)
