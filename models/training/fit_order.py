"""Fits the order that is shown: what is known of a sentence, weighed by move as readers' labels say.

    ratio judge run --queries QUERIES --pool POOL --system engine --out log.run --known KNOWN
    python models/training/fit_order.py --asked QUERIES KNOWN --labels models/training/labels.jsonl --reranker models/reranker

Labels come from what systems ranked first: by themselves they do not teach that what ranked low is worse. So the
other sentences that the reranker read for a query count as useless, at less weight. Listwise: the mean
log-probability of those labelled 1 in a softmax over a query's sentences. The vectors of the joint encoding are reduced to
their first principal components; both are folded into one weight a dimension. `--blend` adds a part of the order
without `order.json`, the model's own, which refinds more than labels ask for. Prints, cross-validated by paper and
beside the order without `order.json`: average precision of labelled sentences; how many of the first five are useful,
HR@5, and how many of them nobody has labelled. Writes `order.json`; with `--run` also what each query's held-out
order puts first, for `labels.py runs`.
"""

from __future__ import annotations

import argparse
import base64
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from measures import average_precision
from mined import MOVES, paper_of, read_labels, read_lines
from rerank_model import FEATURES

#: As in server/engine/rerank/order.ts.
TOLD = ("global", "local", "cosine", "before", "bm25", "passageBm25", "plain", "passagePlain", "words", "ratio")
UNLABELLED = -1


@dataclass
class Known:
    """
    Sentences that the reranker read, query after query. `told` (n, TOLD), `hidden` (n, width), `labels` (n): 0, 1 or
    UNLABELLED; `of` (n): number of the query, whose move, number of its file, id in it and paper are in `moves`, `group`,
    `ids`, `papers`.
    """

    told: np.ndarray
    hidden: np.ndarray
    labels: np.ndarray
    sentences: list[str]
    of: np.ndarray
    moves: np.ndarray
    group: np.ndarray
    ids: list[str]
    papers: list[str]
    #: Id of the reranker that told all this.
    reranker: str

    @staticmethod
    def read(asked: list[tuple[Path, Path]], labels: Path) -> Known:
        """
        Reads pairs of a queries file and its known file. Exits where they do not fit, are of several rerankers, or nothing is
        labelled 1.
        """
        held = read_labels(labels) | read_labels(labels, "val")
        told, hidden, given, sentences, of, moves, group, ids, papers = [], [], [], [], [], [], [], [], []
        makers: set[str] = set()
        for number, (queries, known) in enumerate(asked):
            about = {row["id"]: row for row in read_lines(queries)}
            rows = iter(read_lines(known))
            head = next(rows, {})
            if tuple(head.get("told", ())) != TOLD:
                raise SystemExit(f"{known} does not tell {', '.join(TOLD)}: make it anew.")
            makers.add(head["reranker"])
            for row in rows:
                if row["query"] not in about:
                    raise SystemExit(f"{known} knows of a query {row['query']} that {queries} lacks.")
                query = about[row["query"]]
                if not ids or ids[-1] != row["query"]:
                    if row["query"] in ids:
                        raise SystemExit(f"The query {row['query']} stands twice in the files of --asked.")
                    ids.append(row["query"])
                    papers.append(query.get("paper") or query["query"])
                    moves.append(MOVES.index(query["move"]))
                    group.append(number)
                told.append(row["told"])
                hidden.append(np.frombuffer(base64.b64decode(row["hidden"]), "<f4"))
                sentences.append(row["sentence"])
                given.append(held.get((query["move"], query["query"]), {}).get(row["sentence"], UNLABELLED))
                of.append(len(ids) - 1)
        if len(makers) > 1:
            raise SystemExit(f"The files of --asked are of several rerankers: {', '.join(sorted(makers))}.")
        if 1 not in given:
            raise SystemExit("No sentence of these files is labelled as useful.")
        return Known(
            np.array(told, np.float32),
            np.array(hidden, np.float32),
            np.array(given),
            sentences,
            np.array(of),
            np.array(moves),
            np.array(group),
            ids,
            papers,
            makers.pop(),
        )

    def rows(self, query: int) -> slice:
        """The rows of a query, by its number."""
        return slice(*np.searchsorted(self.of, [query, query + 1]))


@dataclass
class Basis:
    """Standardised numbers and principal components, and how weights of them become weights of what is known."""

    told_scale: np.ndarray
    told_mean: np.ndarray
    hidden_mean: np.ndarray
    components: np.ndarray

    @staticmethod
    def of(known: Known, components: int, rows: np.ndarray) -> Basis:
        """From these rows alone."""
        mean = known.hidden[rows].mean(0)
        centred = known.hidden[rows] - mean
        values, vectors = np.linalg.eigh(centred.T @ centred / len(centred))
        best = np.argsort(-values)[:components]
        return Basis(
            known.told[rows].std(0) + 1e-6, known.told[rows].mean(0), mean, vectors[:, best] / np.sqrt(values[best] + 1e-12)
        )

    def __call__(self, known: Known) -> np.ndarray:
        """(n, TOLD and components)."""
        told = (known.told - self.told_mean) / self.told_scale
        return np.concatenate([told, (known.hidden - self.hidden_mean) @ self.components], 1).astype(np.float32)

    def unfold(self, weights: np.ndarray, added: np.ndarray) -> dict[str, list[float]]:
        """`added`: what goes on top of the weights of TOLD."""
        told, rest = weights[: len(TOLD)], weights[len(TOLD) :]
        return {
            "told": [round(float(w), 5) for w in told / self.told_scale + added],
            "hidden": [round(float(w), 5) for w in self.components @ rest],
        }


def fit(features: np.ndarray, known: Known, queries: np.ndarray, strength: float, unlabelled: float) -> np.ndarray:
    """
    Weights (moves, features): what all moves share and what is each one's own, both kept small. `queries`: numbers
    of those to learn from; `unlabelled`: weight of sentences that nobody labelled.
    """
    useful = np.bincount(known.of[known.labels == 1], minlength=len(known.moves)) > 0
    queries = queries[useful[queries]]
    chosen = np.isin(known.of, queries) & ((known.labels != UNLABELLED) | (unlabelled > 0))
    x = torch.from_numpy(features[chosen])
    order = {int(q): i for i, q in enumerate(queries)}
    segment = torch.tensor([order[int(q)] for q in known.of[chosen]])
    move = torch.from_numpy(known.moves[known.of[chosen]])
    labels = torch.from_numpy(known.labels[chosen])
    weight = torch.where(labels == UNLABELLED, torch.tensor(unlabelled), torch.tensor(1.0)).log()
    good = (labels == 1).float()
    goods = torch.zeros(len(queries)).index_add(0, segment, good)
    shared = torch.zeros(x.shape[1], requires_grad=True)
    each = torch.zeros(len(MOVES), x.shape[1], requires_grad=True)
    solver = torch.optim.LBFGS([shared, each], max_iter=80, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        solver.zero_grad()
        scores = (x * (shared + each)[move]).sum(1)
        top = torch.full((len(queries),), -1e9).scatter_reduce(0, segment, scores.detach(), "amax")
        total = torch.zeros(len(queries)).index_add(0, segment, (scores - top[segment] + weight).exp()).log() + top
        lost = ((total[segment] - scores) * good / goods[segment]).sum() / len(queries)
        lost = lost + strength * ((shared**2).sum() + (each**2).sum())
        lost.backward()
        return lost

    solver.step(loss)
    return (shared + each).detach().numpy()


def first(scores: np.ndarray, known: Known, query: int, count: int, a_paper: int = 2) -> list[int]:
    """Rows of the best sentences of a query, at most `a_paper` of one paper as in the product."""
    rows = known.rows(query)
    taken: dict[str, int] = {}
    kept: list[int] = []
    for row in rows.start + np.argsort(-scores[rows], kind="stable"):
        paper = paper_of(known.sentences[row])
        taken[paper] = taken.get(paper, 0) + 1
        if taken[paper] <= a_paper:
            kept.append(int(row))
        if len(kept) == count:
            break
    return kept


def measured(scores: np.ndarray, known: Known, queries: np.ndarray) -> dict[str, dict[str, float]]:
    """By move and of all, times 100: mean average precision of labelled sentences where some are useful, P@5, HR@5."""
    gained: dict[str, list[tuple[float, float, float, float]]] = {"all": []}
    for query in map(int, queries):
        rows = known.rows(query)
        held, mine = known.labels[rows], scores[rows]
        labelled = held != UNLABELLED
        precise = average_precision(mine[labelled], held[labelled]) if (held == 1).any() else np.nan
        top = known.labels[first(scores, known, query, 5)]
        one = (precise, (top == 1).sum() / 5, float((top == 1).any()), (top == UNLABELLED).sum() / 5)
        gained["all"].append(one)
        gained.setdefault(MOVES[known.moves[query]], []).append(one)
    names = ("AP", "P@5", "HR@5", "unlabelled")
    return {
        name: dict(zip(names, np.round(100 * np.nanmean(each, axis=0), 1).tolist())) | {"queries": len(each)}
        for name, each in gained.items()
    }


def folds_of(papers: list[str], folds: int) -> np.ndarray:
    """
    Number of each query's fold. Queries of one paper share it: a mined query and a claim of the same abstract are no
    test of each other.
    """
    known = list(dict.fromkeys(papers))
    drawn = dict(zip(known, np.random.default_rng(0).integers(0, folds, len(known)).tolist()))
    made = np.array([drawn[paper] for paper in papers])
    if len(set(made.tolist())) < 2:
        few = f"The queries of --asked are of {len(known)} papers, too few to cross-validate by paper"
        raise SystemExit(f"{few}: give more of them.")
    return made


def blend_weights(blend: dict[str, list[float]]) -> np.ndarray:
    """Weights (moves, TOLD) of the order without `order.json`: the global score and the config's blend of the features."""
    out = np.zeros((len(MOVES), len(TOLD)), np.float32)
    for number, move in enumerate(MOVES):
        out[number, TOLD.index("global")] = 1
        for name, weight in zip(FEATURES, blend[move]):
            out[number, TOLD.index(name)] = weight
    return out


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--asked",
        type=Path,
        nargs=2,
        action="append",
        required=True,
        metavar=("QUERIES", "KNOWN"),
        help="queries of `labels.py queries` and what `ratio judge run --known` wrote of them; repeatable",
    )
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--reranker", type=Path, required=True, help="the exported reranker that the file was made with")
    parser.add_argument("--components", type=int, default=32, help="principal components of the sentences' vectors")
    parser.add_argument("--strength", type=float, default=0.1, help="of what keeps weights small")
    parser.add_argument("--unlabelled", type=float, default=0.1, help="weight of sentences that nobody labelled")
    parser.add_argument("--blend", type=float, default=0.15, help="weight of the order without order.json, added at last")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--run", type=Path, help="write what each query's held-out order puts first as a TREC run")
    parser.add_argument("--dry-run", action="store_true", help="print the figures and write nothing")
    args = parser.parse_args(argv)
    config = json.loads((args.reranker / "config.json").read_text())
    known = Known.read(args.asked, args.labels)
    if known.reranker != config["id"]:
        raise SystemExit(f"The files of --asked are of {known.reranker}, not of {config['id']}: make them anew.")
    count = len(known.moves)
    fold = folds_of(known.papers, args.folds)
    scores = np.zeros(len(known.of), np.float32)
    for k in range(args.folds):
        held = fold[known.of] == k
        basis = Basis.of(known, args.components, ~held)
        x = basis(known)
        weights = fit(x, known, np.flatnonzero(fold != k), args.strength, args.unlabelled)
        scores[held] = (x[held] * weights[known.moves[known.of[held]]]).sum(1)
    own = blend_weights(config["blend"])
    in_use = (known.told * own[known.moves[known.of]]).sum(1)
    scores += args.blend * in_use
    print(f"{(known.labels != UNLABELLED).sum():,} labels, {(known.labels == 1).sum():,} of them 1, of {count:,} queries")
    for number, (queries, _) in enumerate(args.asked):
        for order, given in (("without", in_use), ("with the order", scores)):
            for what, figures in measured(given, known, np.flatnonzero(known.group == number)).items():
                print(f"{queries} · {order} · {what}: {figures}", flush=True)
    if args.run:
        lines = []
        for query, name in enumerate(known.ids):
            for rank, row in enumerate(first(scores, known, query, 10), 1):
                lines.append(f"{name} Q0 {known.sentences[row]} {rank} {scores[row]:.6f} order\n")
        args.run.write_text("".join(lines))
    if args.dry_run:
        return
    basis = Basis.of(known, args.components, np.arange(len(known.of)))
    weights = fit(basis(known), known, np.arange(count), args.strength, args.unlabelled)
    moves = {m: basis.unfold(*w) for m, *w in zip(MOVES, weights, args.blend * own)}
    made = {"reranker": config["id"], "names": TOLD, "moves": moves}
    (args.reranker / "order.json").write_text(json.dumps(made) + "\n")


if __name__ == "__main__":
    main()
