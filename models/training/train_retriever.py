"""Trains the move-conditioned encoder on what `ratio mine` wrote.

    python models/training/train_retriever.py --mined DIR [--mined DIR …] --val DIR --out DIR

One tower embeds queries (`address: …`, `broaden: …`, `specify: …`) and documents. Loss:
multiple-negatives ranking with scale 20 over the documents of a batch and its negatives, and,
lighter, from documents to queries. A run that was stopped goes on from its last checkpoint
when the same command is given again; with other arguments or files only if --go-on-changed is given.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import time
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
import torch

from export_encoder import base_weights
from hard_negatives import mine
from mined import (
    MOVES,
    Pair,
    adjacent_elaborations,
    adjacent_responses,
    asked_queries,
    benchmark_papers,
    read_labels,
    read_pairs,
    read_papers,
    reversed_pair,
    use_stripped,
    with_texts_of,
)
from resume import changes, contents, fingerprint, mined_contents
from sampling import Sampler, Settings
from tower import Tower
from validate import Validation

SCALE = 20.0


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mined", type=Path, action="append", required=True, help="folder of `ratio mine`; repeatable")
    parser.add_argument(
        "--held-out",
        type=Path,
        action="append",
        default=[],
        help="the same, without papers that have a true Broaden pair, "
        "which the benchmark asks (`ratio bench build --held-out`); repeatable",
    )
    parser.add_argument("--val", type=Path, required=True, help="folder of `ratio mine` for the validation papers")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--source", type=Path, help="fp32 model to start from (default: the base weights)")
    parser.add_argument("--moves", default=",".join(MOVES), help="train these moves only")
    parser.add_argument("--steps", type=int, default=480)
    parser.add_argument("--batch", type=int, default=192)
    parser.add_argument("--rate", type=float, default=1.3e-4)
    parser.add_argument("--warmup", type=int, default=40)
    parser.add_argument("--backwards", type=float, default=0.2, help="weight of the loss from documents to queries")
    parser.add_argument("--average", type=float, default=0.98, help="decay of the weights' moving average")
    parser.add_argument("--adjacent", type=int, default=25_000, help="weakly supervised Address pairs to add, at most")
    parser.add_argument("--share", default="0.44,0.27,0.29", help="share of the steps of address, broaden, specify")
    parser.add_argument(
        "--elaborations", type=int, default=0, help="weakly supervised Specify pairs to add, at most; reversed as Broaden"
    )
    parser.add_argument("--pairs", type=int, default=0, help="take only so many pairs at random, and all labelled ones")
    parser.add_argument("--labels", type=Path, help="labelled triples (labels.jsonl): positives across papers, negatives")
    parser.add_argument(
        "--without",
        type=Path,
        action="append",
        default=[],
        metavar="QUERIES",
        help="file of `labels.py queries` whose labels are left out, for an order to be fitted on them; repeatable",
    )
    parser.add_argument("--set", action="append", default=[], help="NAME=VALUE of sampling.Settings; repeatable")
    parser.add_argument("--validate", type=int, default=150, help="steps from one validation to the next")
    parser.add_argument("--limit", type=int, default=0, help="pairs at most (smoke runs)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--go-on-changed", action="store_true", help="go on from --out though what decides the run changed")
    return parser.parse_args(argv)


def schedule(step: int, steps: int, warmup: int) -> float:
    """Share of the full rate: linear warm-up, then a cosine down to a twentieth."""
    if step < warmup:
        return (step + 1) / warmup
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup)))


class Plan:
    """Which move and which pairs at each step; the same seed gives the same plan."""

    def __init__(self, samplers: dict[str, Sampler], shares: dict[str, float], seed: int):
        self.samplers, self.shares, self.seed = samplers, shares, seed
        self.rng = np.random.default_rng(seed)
        self.waiting: dict[str, list[np.ndarray]] = {move: [] for move in samplers}

    def next(self) -> tuple[str, np.ndarray]:
        """The move of the next step, drawn by the shares, and the places of its pairs."""
        moves = list(self.samplers)
        weights = np.array([self.shares[move] for move in moves])
        move = str(self.rng.choice(moves, p=weights / weights.sum()))
        if not self.waiting[move]:
            self.waiting[move] = self.samplers[move].epoch(self.rng)
        return move, self.waiting[move].pop()


def loss_of(queries: torch.Tensor, documents: torch.Tensor, excluded: torch.Tensor, backwards: float) -> torch.Tensor:
    """Queries (n, d) against documents (m, d), m >= n, document i positive for query i; `excluded` (n, m)."""
    logits = (SCALE * queries @ documents.T).masked_fill(excluded, -1e4)
    target = torch.arange(len(queries))
    loss = torch.nn.functional.cross_entropy(logits, target)
    if backwards > 0:
        square = logits[:, : len(queries)].T
        loss = loss + backwards * torch.nn.functional.cross_entropy(square, target)
    return loss


def begun_with(args: argparse.Namespace) -> dict[str, str]:
    """What decides a run: its arguments and what is in the files that they name."""
    weights = contents((args.source or base_weights()) / "model.safetensors")
    mined, val = mined_contents([*args.mined, *args.held_out]), mined_contents([args.val])
    # As argparse has it where there are none: runs that were begun with their paths kept go on.
    held_out = mined_contents(args.held_out) or []
    labels, without = contents(args.labels), contents(*args.without)
    return fingerprint(args, source=weights, labels=labels, without=without, mined=mined, held_out=held_out, val=val)


def require_pairs(pairs: list[Pair], moves: list[str]) -> None:
    """Exits where a move that is to be trained has no pair."""
    there = {pair.move for pair in pairs}
    if lacking := [move for move in moves if move not in there]:
        rest = [move for move in moves if move in there]
        what = f"train the others alone (--moves {','.join(rest)}), or mine" if rest else "mine"
        raise SystemExit(f"There is no pair to train {', '.join(lacking)} with: {what} more papers.")


def main(argv: list[str] | None = None) -> None:
    args = arguments(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    # Before the minutes that vectors take.
    moves, shares = args.moves.split(","), args.share.split(",")
    if unknown := [move for move in moves if move not in MOVES]:
        raise SystemExit(f"--moves: there is no {', '.join(unknown)}; there are {', '.join(MOVES)}.")
    if len(shares) != len(MOVES):
        raise SystemExit(f"--share takes {len(MOVES)} numbers, of {', '.join(MOVES)}, not {len(shares)}.")
    args.out.mkdir(parents=True, exist_ok=True)
    state, begun = args.out / "state.pt", begun_with(args)
    saved = torch.load(state, weights_only=False) if state.exists() else None
    # Before the minutes that vectors take.
    changed = changes(state, saved.get("begunWith"), begun, args.go_on_changed) if saved else {}
    tower = Tower(args.source or base_weights())

    pairs, papers = [], {}
    folders, asked = [*args.mined, *args.held_out], benchmark_papers(args.held_out)
    for folder in folders:
        pairs += read_pairs(folder, asked)
        papers |= read_papers(folder, asked)
    labels = read_labels(args.labels, without=asked_queries(args.without)) if args.labels else {}
    mined = {p.query_id for p in pairs if p.move == "address"}
    extra = adjacent_responses(papers, mined)
    rng = np.random.default_rng(args.seed)
    rng.shuffle(extra)
    print(f"{len(pairs):,} mined pairs, {len(extra):,} adjacent responses, {len(papers):,} papers", flush=True)
    weak = extra[: args.adjacent]
    if args.elaborations:
        known = {p.query_id for p in pairs if p.move == "specify"}
        extra = adjacent_elaborations(papers, known)
        rng.shuffle(extra)
        extra = extra[: args.elaborations]
        weak += extra + [reversed_pair(p) for p in extra]
        print(f"{len(extra):,} adjacent elaborations", flush=True)
    # The cues of weak pairs are in the sentences as they stand; what is trained is what the product embeds.
    for folder in folders:
        use_stripped(folder, papers)
    pairs += with_texts_of(papers, weak)
    if 0 < args.pairs < len(pairs):
        drawn = set(rng.permutation(len(pairs))[: args.pairs].tolist())
        pairs = [p for i, p in enumerate(pairs) if i in drawn or (p.move, p.query_id) in labels]
    if args.limit:
        rng.shuffle(pairs)
        pairs = pairs[: args.limit]
    require_pairs(pairs, moves)

    given = dict(item.split("=", 1) for item in args.set)
    kinds = {field.name: type(field.default) for field in fields(Settings)}
    if unknown := given.keys() - kinds.keys():
        raise SystemExit(f"--set: there is no {', '.join(sorted(unknown))}; there are {', '.join(kinds)}")
    settings = Settings(**{"batch": args.batch} | {name: kinds[name](value) for name, value in given.items()})
    # Named by the pairs: another seed or corpus of the same size must not meet these vectors.
    key = hashlib.sha256("\n".join(f"{p.move} {p.query_id} {p.query}" for p in pairs).encode()).hexdigest()[:12]
    queries = args.out / f"queries-{key}.npy"
    if queries.exists():
        vectors = np.load(queries)
    else:
        base = tower if args.source is None else Tower(base_weights())
        vectors = base.vectors([p.query for p in pairs], "untrained vectors of the queries")
        part = queries.with_suffix(".part.npy")
        np.save(part, vectors)
        part.replace(queries)
    hard = mine(tower, pairs, papers, args.out) if settings.hard > 0 else None
    samplers = {}
    for move in moves:
        places = [i for i, p in enumerate(pairs) if p.move == move]
        size = min(settings.batch, len(places))
        sized = replace(settings, batch=size)
        samplers[move] = Sampler([pairs[i] for i in places], vectors[places], papers, sized, labels, hard, np.array(places))
        print(f"{move}: {len(places):,} pairs, {len(samplers[move].labelled):,} labelled queries", flush=True)
    plan = Plan(samplers, dict(zip(MOVES, map(float, shares))), args.seed)
    # The same queries whatever the seed of a run, so that runs compare.
    validation = Validation(args.val, small=bool(args.limit))

    average = [m.clone() for m in tower.masters]
    optimizer = torch.optim.AdamW(tower.masters, lr=args.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
    step, best, spent = 0, -1.0, 0.0
    if saved:
        for into, kept in ((tower.masters, saved["masters"]), (average, saved["average"])):
            torch._foreach_copy_(into, kept)
        optimizer.load_state_dict(saved["optimizer"])
        step, best, spent = saved["step"], saved["best"], saved["spent"]
        for _ in range(step):
            plan.next()
        done = f"{args.out} is done: {step} of {args.steps} steps" if step >= args.steps else f"going on from step {step}"
        print(done, flush=True)
    tower.load(tower.masters)

    def record(row: dict) -> None:
        with (args.out / "log.jsonl").open("a") as log:
            print(json.dumps(row, default=str), file=log)
        print(row, flush=True)

    def validated() -> None:
        nonlocal best
        tower.load(average)
        scores = validation.run(tower, prefixed=True)
        tower.load(tower.masters)
        record({"step": step, "minutes": round(spent / 60, 1), **scores})
        tower.save(args.out / "last", average)
        if scores["mean"] > best:
            best = scores["mean"]
            tower.save(args.out / "best", average)

    def checkpoint() -> None:
        whole = {
            "masters": tower.masters,
            "average": average,
            "optimizer": optimizer.state_dict(),
            "step": step,
            "best": best,
            "spent": spent,
            "begunWith": begun,
        }
        torch.save(whole, state.with_suffix(".part"))
        os.replace(state.with_suffix(".part"), state)

    if changed:
        record({"changed": changed, "at": step})
    if step == 0:
        named = {k: v for k, v in vars(args).items() if k != "mined"}
        record({"settings": named | asdict(settings)})
        # The base weights know no prefixes; what was trained with them is not itself without.
        record({"step": 0, **validation.run(tower, prefixed=args.source is not None)})
    clock, shown = time.time(), 0.0
    while step < args.steps:
        move, places = plan.next()
        batch = samplers[move].build(places, np.random.default_rng([args.seed, step]))
        embedded = tower.embed(batch.queries + [d.text for d in batch.documents], 80)
        made_queries, made = embedded[: len(places)], embedded[len(places) :]
        loss = loss_of(made_queries, made, torch.from_numpy(batch.excluded), args.backwards)
        loss.backward()
        working = list(tower.model.parameters())
        for master, copy in zip(tower.masters, working):
            master.grad = copy.grad.float()
            copy.grad = None
        torch.nn.utils.clip_grad_norm_(tower.masters, 1.0)
        for group in optimizer.param_groups:
            group["lr"] = args.rate * schedule(step, args.steps, args.warmup)
        optimizer.step()
        for master in tower.masters:
            master.grad = None
        tower.load(tower.masters)
        torch._foreach_lerp_(average, tower.masters, 1 - min(args.average, (1 + step) / (10 + step)))
        step += 1
        spent += time.time() - clock
        clock = time.time()
        shown = 0.95 * shown + 0.05 * loss.item() if shown else loss.item()
        if step % 10 == 0:
            print(f"step {step} of {args.steps} · {move} · loss {shown:.3f} · {spent / 60:.1f} min", flush=True)
        # Validated first: a run that stops in between does it again, and never stands at its end without `last`.
        if step % args.validate == 0 or step == args.steps:
            validated()
            checkpoint()
            clock = time.time()
        elif step % 50 == 0:
            checkpoint()


if __name__ == "__main__":
    main()
