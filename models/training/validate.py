"""MRR@10 on a part of the validation pairs: to choose a checkpoint by, not to report.

    python models/training/validate.py --bench BENCH/val --mined VAL --labels models/training/labels.jsonl MODEL …

compares fp32 models in a larger pool, and by their average precision on labelled validation queries. `A+B` is
the mean of two models' weights; `--save DIR` keeps the last model named.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from measures import average_precision, reciprocal_ranks
from mined import MOVES, read_labels, read_lines, read_pairs
from tower import Tower


def ranked(scores: np.ndarray, asked: list[tuple[str, int, int | None]], digits: int) -> dict[str, float]:
    """
    MRR@10 by move, times 100, and their mean. `asked`: of each row of scores its move, and the columns of its gold
    and of its own sentence, which takes no part.
    """
    golds = np.array([gold for _, gold, _ in asked])
    own = np.array([-1 if column is None else column for _, _, column in asked])
    gained: dict[str, list[float]] = {}
    for gain, (move, _, _) in zip(reciprocal_ranks(scores, golds, own), asked):
        gained.setdefault(move, []).append(gain)
    out = {move: round(100 * float(np.mean(g)), digits) for move, g in gained.items()}
    return out | {"mean": round(float(np.mean(list(out.values()))), digits)}


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
        asked = [(p.move, self.ids[p.gold_id], self.ids.get(p.query_id)) for p in self.pairs]
        return ranked(queries @ documents.T, asked, 2)


def opened(name: str) -> Tower:
    """A model's folder, or the mean of the weights of folders joined by `+`."""
    towers = [Tower(Path(folder)) for folder in name.split("+")]
    first = towers[0]
    first.masters = [torch.stack(each).mean(0) for each in zip(*(t.masters for t in towers))]
    first.load(first.masters)
    return first


class Larger:
    """The benchmark's validation pairs, `queries` a move, in a pool of their golds and `pool` further sentences."""

    def __init__(self, bench: Path, queries: int, pool: int, seed: int = 3):
        rng = np.random.default_rng(seed)
        by_move: dict[str, list[dict]] = {}
        for row in read_lines(bench / "pairs.jsonl"):
            by_move.setdefault(row["move"], []).append(row)
        self.pairs: list[dict] = []
        for move in ("address", "specify", "broaden-reversed"):
            mine = by_move.get(move, [])
            self.pairs += [mine[i] for i in rng.permutation(len(mine))[:queries]]
        golds = {p["goldId"] for p in self.pairs}
        texts: dict[str, str] = {}
        rest = []
        for row in read_lines(bench / "pool.jsonl"):
            if row["id"] in golds:
                texts[row["id"]] = row["text"]
            else:
                rest.append(row)
        for i in rng.permutation(len(rest))[:pool]:
            texts[rest[i]["id"]] = rest[i]["text"]
        self.place = {name: i for i, name in enumerate(texts)}
        self.texts = list(texts.values())

    def run(self, tower: Tower) -> dict[str, float]:
        """MRR@10 by move, times 100, and their mean."""
        documents = tower.vectors(self.texts)
        moves = [p["move"].removesuffix("-reversed") for p in self.pairs]
        queries = tower.vectors([f"{m}: {p['query']}" for m, p in zip(moves, self.pairs)])
        asked = [(m, self.place[p["goldId"]], self.place.get(p["queryId"])) for m, p in zip(moves, self.pairs)]
        return ranked(queries @ documents.T, asked, 1)


class Labelled:
    """
    Labelled validation queries of which some sentence makes the move and some does not; bare sentences. `missing` labels
    are left out since `mined` lacks their sentences.
    """

    def __init__(self, labels: Path, mined: Path):
        both = {key: given for key, given in read_labels(labels, "val").items() if len(set(given.values())) == 2}
        wanted = {name for given in both.values() for name in given}
        self.texts = {r["id"]: r["text"] for r in read_lines(mined / "pool.jsonl") if r["id"] in wanted}
        self.missing = sum(name not in self.texts for given in both.values() for name in given)
        there = {key: {name: v for name, v in given.items() if name in self.texts} for key, given in both.items()}
        held = {key: given for key, given in there.items() if len(set(given.values())) == 2}
        self.queries: list[tuple[str, str, dict[str, int]]] = []
        for row in read_lines(mined / "pairs.jsonl"):
            move = row["move"].removesuffix("-reversed")
            given = held.pop((move, row["queryId"]), None)
            if given:
                self.queries.append((move, row["query"], given))

    def run(self, tower: Tower) -> dict[str, float]:
        """Mean average precision by move and of all, times 100, and the number of queries."""
        place = {name: i for i, name in enumerate(self.texts)}
        documents = tower.vectors(list(self.texts.values()))
        queries = tower.vectors([f"{move}: {text}" for move, text, _ in self.queries])
        gained: dict[str, list[float]] = {}
        for vector, (move, _, given) in zip(queries, self.queries):
            scores = documents[[place[name] for name in given]] @ vector
            gained.setdefault(move, []).append(average_precision(scores, np.array(list(given.values()))))
        every = [g for mine in gained.values() for g in mine]
        out = {move: round(100 * float(np.mean(g)), 1) for move, g in gained.items()}
        return out | {"all": round(100 * float(np.mean(every)), 1), "queries": len(every)}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL", help="fp32 folder, or folders joined by +")
    parser.add_argument("--bench", type=Path, required=True, help="folder of `ratio bench build`: its val")
    parser.add_argument("--mined", type=Path, required=True, help="folder of `ratio mine` for the validation papers")
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=400, help="a move")
    parser.add_argument("--pool", type=int, default=16_000, help="sentences beside the golds")
    parser.add_argument("--save", type=Path, help="keep the last model here")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    larger, labelled = Larger(args.bench, args.queries, args.pool), Labelled(args.labels, args.mined)
    print(f"{len(larger.pairs):,} pairs, {len(larger.texts):,} sentences, {len(labelled.queries)} labelled queries", flush=True)
    if labelled.missing:
        print(f"{labelled.missing} labels left out: {args.mined}/pool.jsonl lacks their sentences", flush=True)
    for name in args.models:
        tower = opened(name)
        print(f"{name}: MRR@10 {larger.run(tower)} labels' average precision {labelled.run(tower)}", flush=True)
    if args.save:
        tower.save(args.save, tower.masters)


if __name__ == "__main__":
    main()
