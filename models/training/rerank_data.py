"""Makes the reranker's training and development examples: each query with the passages that the retriever finds.

    python models/training/rerank_data.py --mined DIR [--mined DIR …] --val DIR --encoder DIR \\
        --labels models/training/labels.jsonl --roles DIR --out DIR

With `--questions models/training/questions.jsonl` plain questions and the papers that bear on them, too. Vectors are
kept as they are made, so that the same command goes on after a stop. OUT/train.npz, dev.npz, judged.npz (labelled
validation queries) and questions.npz (validation questions) hold numbers and token ids alone; keep them out of the
repository.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from pathlib import Path

import numpy as np
import torch

from mined import MOVES, asked_queries, benchmark_papers, read_labels, read_lines
from rerank_corpus import MOVE, PROMPTS, Query, chosen_queries, expand, read_corpus, read_questions
from rerank_passages import Limits
from rerank_retrieval import Finder
from rerank_roles import RoleClassifier
from rerank_store import Examples, Writer
from resume import FREE, contents, differences, fingerprint, mined_contents, said, sha256
from tower import Tower

BLOCK = 128


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mined", type=Path, action="append", required=True, help="folder of `ratio mine`; repeatable")
    parser.add_argument(
        "--held-out",
        type=Path,
        action="append",
        default=[],
        help="the same, without papers that have a true Broaden pair, which the benchmark asks; repeatable",
    )
    parser.add_argument("--val", type=Path, required=True, help="folder of `ratio mine` for the validation papers")
    parser.add_argument("--encoder", type=Path, required=True, help="fp32 retriever (train_retriever.py's best)")
    parser.add_argument("--labels", type=Path, help="labelled triples (labels.jsonl)")
    parser.add_argument(
        "--without",
        type=Path,
        action="append",
        default=[],
        metavar="QUERIES",
        help="file of `labels.py queries` whose labels are left out, for an order to be fitted on them; repeatable",
    )
    parser.add_argument("--questions", type=Path, help="plain questions with labelled papers (questions.jsonl)")
    parser.add_argument("--roles", type=Path, required=True, help="folder of roles-{train,dev,test}.jsonl.gz")
    parser.add_argument("--out", type=Path, required=True)
    for move, count in (("address", 3200), ("specify", 2400), ("broaden", 2400)):
        parser.add_argument(f"--{move}", type=int, default=count, help="training queries")
    parser.add_argument("--titles", type=int, default=1200, help="titles as plain questions")
    parser.add_argument("--pool", type=int, default=110_000, help="sentences searched for training")
    parser.add_argument("--keep", type=int, default=30, help="passages of a training query")
    parser.add_argument("--dev-queries", type=int, default=300, help="validation queries a move")
    parser.add_argument("--dev-pool", type=int, default=30_000)
    parser.add_argument("--dev-passages", type=int, default=50)
    parser.add_argument("--abstracts", type=int, help="abstracts of each split for the role classifier (default: all)")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args(argv)


class Vectors:
    """The encoder's vectors, kept in parts under `folder`."""

    def __init__(self, tower: Tower, folder: Path):
        self.tower, self.folder = tower, folder
        folder.mkdir(parents=True, exist_ok=True)

    def of(self, name: str, texts: list[str]) -> np.ndarray:
        """Vectors (n, d) in fp32, as fp16 keeps them; parts that `folder` has are read, the others made and kept."""
        out, clock = [], time.time()
        for at in range(0, len(texts), 4096):
            chunk = texts[at : at + 4096]
            key = hashlib.sha256("\0".join(chunk).encode()).hexdigest()[:16]
            file = self.folder / f"{name}-{at // 4096:03}-{key}.npy"
            if not file.exists():
                part = file.with_suffix(".part.npy")
                np.save(part, self.tower.vectors(chunk).astype(np.float16))
                part.replace(file)
                minutes = (time.time() - clock) / 60
                print(f"  {name}: {at + len(chunk):,} of {len(texts):,} vectors · {minutes:.1f} min", flush=True)
            out.append(np.load(file))
        return np.concatenate(out).astype(np.float32) if out else np.zeros((0, 384), np.float32)


def hold(out: Path, args: argparse.Namespace) -> None:
    """Refuses a folder that was made with other settings, pairs, labels, questions or weights."""
    weights = args.encoder / "model.safetensors"
    if not weights.exists():
        raise SystemExit(f"{weights} is missing: --encoder names an fp32 model's folder.")
    given = fingerprint(
        args,
        FREE,
        encoder=sha256(weights),
        mined=mined_contents([*args.mined, *args.held_out]),
        # As argparse has it where there are none: folders that were made with their paths kept go on.
        held_out=mined_contents(args.held_out) or [],
        roles=contents(*(args.roles / f"roles-{split}.jsonl.gz" for split in ("train", "dev"))),
        val=mined_contents([args.val]),
        labels=contents(args.labels),
        questions=contents(args.questions),
        without=contents(*args.without),
    )
    file = out / "settings.json"
    if file.exists() and (changed := differences(json.loads(file.read_text()), given)):
        raise SystemExit(f"{out} was made with other settings (settings.json): {said(changed)}. Choose another --out.")
    file.write_text(json.dumps(given, indent=2) + "\n")


def sentences_of(examples: Examples, example: int) -> set[int]:
    """All sentences of an example's passages."""
    return {int(s) for p in examples.passages(example) for s in examples.sentence[examples.entries(p)]}


def build(
    name: str, finder: Finder, queries: list[Query], vectors: Vectors, roles: RoleClassifier, keep: int, mode: str
) -> tuple[Examples, dict]:
    """`mode`: train (the gold is always there, hard negatives of every kind), dev (as retrieved), judged."""
    from rerank_corpus import OPPOSITE

    moved = vectors.of(f"{name}-move", [PROMPTS[q.move] + q.text for q in queries])
    plain = vectors.of(f"{name}-plain", [q.text for q in queries])
    turned = [PROMPTS[OPPOSITE.get(q.move, q.move)] + q.text for q in queries]
    opposite = vectors.of(f"{name}-opposite", turned) if mode == "train" else moved
    writer, clock, missed = Writer(), time.time(), 0
    for at in range(0, len(queries), BLOCK):
        rows = slice(at, at + BLOCK)
        scores = [v[rows] @ finder.vectors.T for v in (moved, plain, opposite)]
        for query, *row in zip(queries[rows], *scores):
            if not finder.write(writer, query, *row, keep, mode):
                missed += 1
        if at % (8 * BLOCK) == 0 or at + BLOCK >= len(queries):
            done = min(at + BLOCK, len(queries))
            print(f"  {name}: {done:,} of {len(queries):,} queries · {(time.time() - clock) / 60:.1f} min", flush=True)
    corpus = finder.corpus
    known = np.array([corpus.role_known(i) for i in range(len(corpus))])
    soft = roles.soft(finder.vectors, [p if p[1] else (0, 1) for p in corpus.place])
    made = writer.made(finder.tokens, soft, known)
    report = {
        "queries": {move: int((made.move == number).sum()) for move, number in MOVE.items()},
        "sentencesSearched": len(corpus),
        "passages": len(made.kind),
        "sentencesAPassage": round(len(made.sentence) / max(1, len(made.kind)), 2),
        "leftOut": missed,
    }
    if mode == "dev":
        ranked = [(made.rank > 0) & (made.rank <= 10) & (made.move == MOVE[m]) for m in MOVES]
        report["retrieverMRR10"] = {
            m: round(100 * float((1 / made.rank[r]).sum() / max(1, (made.move == MOVE[m]).sum())), 2)
            for m, r in zip(MOVES, ranked)
        }
        held = [made.gold[e] in sentences_of(made, e) for e in range(len(made))]
        report["goldAmongPassages"] = {
            m: round(float(np.mean(np.array(held)[made.move == n])), 3) for m, n in MOVE.items() if (made.move == n).any()
        }
    return made, report


def labelled_validation(labels: Path | None, val: Path, without: frozenset[str] = frozenset()) -> list[Query]:
    """Labelled validation queries, but those of `without`, of which some sentence makes the move and some does not."""
    if labels is None:
        return []
    held = read_labels(labels, "val", without)
    out = []
    for row in read_lines(val / "pairs.jsonl"):
        move = row["move"].removesuffix("-reversed")
        known = held.pop((move, row["queryId"]), {})
        if len(set(known.values())) == 2:
            out.append(Query(f"{move}:{row['goldId']}", move, row["query"], row["paper"], row["queryId"], None, known))
    return out


def questions(file: Path | None, split: str, folders: list[Path]) -> list[Query]:
    """The questions of a split that have labelled papers in `folders`; none without a file."""
    if file is None:
        return []
    papers = {row["paper"] for folder in folders for row in read_lines(folder / "pool.jsonl")}
    return read_questions(file, split, papers)


def main(argv: list[str] | None = None) -> None:
    args = arguments(argv)
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    hold(args.out, args)
    tower = Tower(args.encoder)
    tower.load(tower.masters)
    vectors = Vectors(tower, args.out / "vectors")
    roles = RoleClassifier(args.roles, lambda texts: vectors.of("roles", texts), args.abstracts)
    report: dict = {"roleClassifierDev": round(100 * roles.accuracy, 2)}
    print(report, flush=True)
    counts = {move: getattr(args, move) for move in MOVES}

    def write(
        name: str,
        folders: list[Path],
        queries: list[Query],
        titles: int,
        pool: int,
        keep: int,
        mode: str,
        held_out: frozenset[str] = frozenset(),
    ) -> None:
        file = args.out / f"{name}.npz"
        if file.exists():
            return print(f"{file} is there already", flush=True)
        if not queries and not titles:
            return print(f"{name}: there are no queries", flush=True)
        corpus, asked = read_corpus(folders, queries, titles, pool, args.seed, held_out)
        for query in queries:
            if not query.paper:
                expand(query, corpus)
        print(f"{name}: {len(queries) + len(asked):,} queries, {len(corpus):,} sentences", flush=True)
        finder = Finder(corpus, vectors.of(f"{name}-pool", corpus.texts), tower.tokens, Limits())
        made, report[name] = build(name, finder, queries + asked, vectors, roles, keep, mode)
        made.save(file)
        print(json.dumps({name: report[name]}), flush=True)
        (args.out / f"{name}.report.json").write_text(json.dumps(report, indent=2) + "\n")

    dev = chosen_queries([args.val], dict.fromkeys(MOVES, args.dev_queries), None, args.seed)
    write("dev", [args.val], dev, args.dev_queries // 3, args.dev_pool, args.dev_passages, "dev")
    without = asked_queries(args.without)
    judged = labelled_validation(args.labels, args.val, without)[: args.dev_queries]
    write("judged", [args.val], judged, 0, 0, args.dev_passages, "judged")
    asked = questions(args.questions, "val", [args.val])
    write("questions", [args.val], asked, 0, 0, args.dev_passages, "judged")
    folders, held_out = [*args.mined, *args.held_out], benchmark_papers(args.held_out)
    chosen = chosen_queries(folders, counts, args.labels, args.seed, without, held_out)
    chosen += questions(args.questions, "train", folders)
    write("train", folders, chosen, args.titles, args.pool, args.keep, "train", held_out)


if __name__ == "__main__":
    main()
