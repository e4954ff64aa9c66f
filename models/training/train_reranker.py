"""Trains the local-to-global reranker on what rerank_data.py wrote.

    python models/training/train_reranker.py --stage local --data DIR --roles DIR --source RETRIEVER --out DIR
    python models/training/train_reranker.py --stage global --data DIR --roles DIR --out DIR

Stage local: listwise loss (equations 19 and 20) and 0.5 x role divergence (21, 22). In the paper a list is
one passage; here it is a query's group of passages, so that local scores compare across passages. Stage
global: the local model frozen, the graph reranker by preference pairs (23), with --listwise by lists too. Both
stages go on from their last checkpoint when the same command is given again; with other arguments or files only if
--go-on-changed is given. `--no-…` are the ablations.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from mined import paper_of
from rerank_batches import target_of
from rerank_corpus import lot
from rerank_graph import SIMILAR, GraphSettings
from rerank_local import LocalScorer
from rerank_losses import REST, LocalStep, drawn_features, list_loss, pair_loss
from rerank_model import Global
from rerank_nodes import Nodes, cosine_quantiles, kept_nodes, preferences
from rerank_roles import read_abstracts
from rerank_run import Run
from rerank_scores import (
    LABELLED_PASSAGES,
    LocalValidation,
    by_move,
    labelled_precision,
    reciprocal,
    role_test,
    some,
)
from rerank_store import Examples
from resume import FREE, contents, fingerprint

#: Files of a local model that its scores hang on.
LOCAL = ("model.safetensors", "heads.pt")
DATA = ("train.npz", "dev.npz", "judged.npz", "questions.npz")
ROLES = ("roles-train.jsonl.gz", "roles-dev.jsonl.gz")


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stage", choices=("local", "global"), required=True)
    parser.add_argument("--data", type=Path, required=True, help="folder that rerank_data.py wrote")
    parser.add_argument("--roles", type=Path, required=True, help="folder of roles-{train,dev,test}.jsonl.gz")
    parser.add_argument("--source", type=Path, help="what the local model starts from: an fp32 retriever, or a local model")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--local", type=Path, help="local model of the global stage (default OUT/local/best)")
    parser.add_argument("--name", default="global", help="folder of the global stage in OUT (ablations)")
    parser.add_argument("--epochs", type=float, help="default 1 (local), 8 (global)")
    parser.add_argument("--groups", type=int, default=8, help="queries a step")
    parser.add_argument("--others", type=int, default=5, help="passages of a group beside the gold's")
    parser.add_argument("--rate", type=float, default=0.0, help="default 1e-4 (local; heads ten times), 5e-4 (global)")
    parser.add_argument("--temperature", type=float, default=0.6)
    parser.add_argument("--average", type=float, default=0.99, help="decay of the weights' moving average")
    parser.add_argument("--abstracts", type=int, default=4, help="passages of role-labelled abstracts a step")
    parser.add_argument("--repeat", type=int, default=2, help="times a query with labelled positives is seen")
    parser.add_argument("--labelled", type=int, default=3, help="labelled passages of a group, at most")
    parser.add_argument(
        "--leave", type=float, default=0.5, help="how often a group with a labelled positive lacks the gold's passage"
    )
    parser.add_argument("--held", type=int, default=900, help="queries kept from the local for the global stage")
    parser.add_argument(
        "--queries", action="append", type=span, metavar="FROM:TO", help="queries by place instead of --held; repeatable"
    )
    parser.add_argument("--passages", type=int, default=30, help="passages of a query of the global stage")
    parser.add_argument("--listwise", type=float, default=0.0, help="weight of the global stage's listwise loss")
    parser.add_argument("--dropout", type=float, default=0.1, help="of the global stage")
    parser.add_argument("--dev-queries", type=int, default=60, help="validation queries a move")
    parser.add_argument("--dev-passages", type=int, default=20, help="first passages of each")
    parser.add_argument("--validate", type=int, default=300, help="steps from one validation to the next")
    parser.add_argument("--no-roles", action="store_true")
    parser.add_argument("--no-joint", action="store_true", help="sentences encoded alone")
    parser.add_argument("--no-graph", action="store_true")
    parser.add_argument("--no-similarity", action="store_true")
    parser.add_argument("--no-adjacency", action="store_true")
    parser.add_argument("--cosine", type=float, default=0.75, help="least cosine of a similarity edge")
    parser.add_argument("--difference", type=float, default=0.25, help="largest difference of local scores across one")
    parser.add_argument("--limit", type=int, default=0, help="training queries at most (smoke runs)")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--go-on-changed", action="store_true", help="go on from --out though what decides the run changed")
    return parser.parse_args(argv)


def span(text: str) -> slice:
    """`FROM:TO`, either of them left out at will."""
    first, last = text.split(":")
    return slice(int(first or 0), int(last) if last else None)


def example_paper(name: str) -> str:
    """The paper of an example's name, `move:sentence` or `none:paper`; a question's is its own."""
    return paper_of(name.split(":", 1)[-1])


def chosen_examples(examples: Examples, args: argparse.Namespace) -> list[int]:
    """
    Examples of a stage. The global one has `--held` that the local one never saw: on these the local model is
    no better than on new ones. `--queries` takes others, with the same to be minded. What ends within a paper's
    examples takes in the rest of them, and what begins there leaves them out: no paper is on both sides.
    """
    papers = [example_paper(name) for name in examples.names]
    order = sorted(range(len(examples)), key=lambda e: (lot(f"held {papers[e]}"), papers[e], examples.names[e]))
    of: dict[str, list[int]] = {}
    for e in order:
        of.setdefault(papers[e], []).append(e)
    # Left in this order, in which the moves are mixed, so that --limit takes some of each.
    held = min(args.held, len(examples) // 4)
    spans = args.queries or [slice(held, None) if args.stage == "local" else slice(held)]
    taken = [e for part in spans for e in order[part]][: args.limit or None]
    return [each for e in taken if e == of[papers[e]][0] for each in of[papers[e]]]


def begun_with(args: argparse.Namespace, start: Path) -> dict[str, str]:
    """What decides a stage: its arguments, and what is in the data and in the model `start` that it begins with."""
    data, roles = (contents(*(folder / n for n in names)) for folder, names in ((args.data, DATA), (args.roles, ROLES)))
    start_of = {"source" if args.stage == "local" else "local": contents(*(start / name for name in LOCAL))}
    return fingerprint(args, (*FREE, "name"), data=data, roles=roles, **start_of)


def first_scorer(args: argparse.Namespace) -> LocalScorer:
    """What the local stage starts from, in training mode. Exits where a local model is not of the ablation asked for."""
    asked = {"no-joint": args.no_joint, "no-roles": args.no_roles}
    if not (args.source / "local.json").exists():
        return LocalScorer(args.source, joint=not args.no_joint, roles=not args.no_roles)
    scorer = LocalScorer.load(args.source)
    has = {"no-joint": not scorer.joint, "no-roles": not scorer.heads.with_roles}
    for name, given in asked.items():
        if given != has[name]:
            raise SystemExit(
                f"{args.source} is a local model trained {'with' if has[name] else 'without'} --{name}, which stays so: "
                f"{'leave out' if given else 'give'} --{name}, or name an fp32 retriever with --source."
            )
    scorer.heads.train()
    return scorer


def train_local(args: argparse.Namespace) -> None:
    """The local stage: writes OUT/local/best, checkpoints and log."""
    if args.source is None:
        raise SystemExit("--stage local needs --source, the fp32 retriever's folder.")
    scorer = first_scorer(args)
    examples, dev = Examples.load(args.data / "train.npz"), Examples.load(args.data / "dev.npz")
    judged, questions = (Examples.where(args.data / f"{name}.npz") for name in ("judged", "questions"))
    places = chosen_examples(examples, args)
    source = LocalStep(examples, places, read_abstracts(args.roles, "train"), scorer, args)
    steps = max(1, int((args.epochs or 1) * (len(source.places) // args.groups)))
    print(
        f"{len(places):,} queries ({len(source.places) - len(places):,} again for their labels), {steps:,} steps",
        flush=True,
    )
    rate = args.rate or 1e-4
    masters, heads = scorer.masters(), list(scorer.heads.parameters())
    groups = [{"params": masters, "lr": rate}, {"params": heads, "lr": 10 * rate}]
    run = Run(args.out / "local", groups, args, steps, begun_with(args, args.source))
    validation = LocalValidation(
        dev,
        judged,
        questions,
        read_abstracts(args.roles, "dev")[: 8 if 0 < args.limit < 200 else None],
        args.dev_queries,
        args.dev_passages,
    )
    folder = args.out / "local"

    def validated() -> None:
        kept = [p.detach().clone() for p in heads]
        scorer.show(run.average[: len(masters)])
        with torch.no_grad():
            torch._foreach_copy_(heads, run.average[len(masters) :])
        scorer.heads.eval()
        scores = validation.run(scorer)
        state = {k: v.clone() for k, v in scorer.heads.state_dict().items()}
        run.validated(scores, lambda: scorer.save(folder / "best", run.average[: len(masters)], state))
        scorer.heads.train()
        with torch.no_grad():
            torch._foreach_copy_(heads, kept)
        scorer.show(masters)

    scorer.show(masters)
    if run.step == 0:
        run.record({"settings": {k: str(v) for k, v in vars(args).items()}})
        run.record({"step": 0, "retriever": validation.retriever()})
        validated()
    run.restart_clock()
    while run.step < steps:
        torch.manual_seed(args.seed * 1_000_003 + run.step)
        loss = source.loss(run.step)
        loss.backward()
        for master, copy in zip(masters, scorer.working()):
            master.grad = None if copy.grad is None else copy.grad.float()
            copy.grad = None
        run.advance(loss.item())
        scorer.show(masters)
        if run.due():
            validated()
        elif run.step % 50 == 0:
            run.checkpoint()
    if not args.no_roles:
        best = LocalScorer.load(folder / "best")
        run.record({"rolesTest": role_test(best, args.roles, dev)})


def graph_settings(args: argparse.Namespace) -> GraphSettings:
    """The graph's settings, without the edges that an ablation leaves out."""
    return GraphSettings(
        cosine=args.cosine,
        difference=args.difference,
        adjacency=not (args.no_adjacency or args.no_graph),
        similarity=not (args.no_similarity or args.no_graph),
    )


def global_scores(
    model: Global, dev: Examples, chosen: list[int], nodes: list[Nodes], inputs: list, judged: Examples | None, labelled: list
) -> dict:
    """MRR@10 by move on `dev`, and `labelsAP` where there are labels, times 100; leaves `model` in training mode."""
    model.eval()
    with torch.inference_mode():
        gained = [reciprocal(model(*given).numpy(), n.sentence, dev.gold[e]) for e, n, given in zip(chosen, nodes, inputs)]
        out = by_move(dev, chosen, gained)
        if judged and labelled:
            gained = [labelled_precision(model(*given).numpy(), judged, e) for e, given in enumerate(labelled)]
            out["labelsAP"] = round(100 * float(np.mean(gained)), 2)
    model.train()
    return out


def train_global(args: argparse.Namespace) -> None:
    """The global stage over a frozen local model: writes OUT/NAME/best.pt, checkpoints and log."""
    examples, dev = Examples.load(args.data / "train.npz"), Examples.load(args.data / "dev.npz")
    source = args.local or args.out / "local" / "best"
    local = LocalScorer.load(source)
    places = chosen_examples(examples, args)
    settings = graph_settings(args)
    folder = args.out / "nodes"
    train_file, dev_file, judged_file = (args.data / f"{name}.npz" for name in ("train", "dev", "judged"))
    nodes = kept_nodes(folder, "train", local, train_file, examples, places, args.passages, REST)
    chosen = some(dev, args.dev_queries)
    dev_nodes = kept_nodes(folder, "dev", local, dev_file, dev, chosen, args.dev_passages, REST)
    judged = Examples.where(judged_file)
    every = list(range(len(judged or ())))
    judged_nodes = kept_nodes(folder, "judged", local, judged_file, judged, every, LABELLED_PASSAGES, REST) if judged else []
    judged_inputs = [n.tensors(n.graph(settings)) for n in judged_nodes]
    inputs = [n.tensors(n.graph(settings)) for n in nodes]
    dev_inputs = [n.tensors(n.graph(settings)) for n in dev_nodes]
    wanted = [preferences(n) for n in nodes]
    usable = [i for i, (u, _) in enumerate(wanted) if len(u)]
    edges = np.mean([[(g[6] > 0).sum(), ((g[6] > 0) & (g[5] == SIMILAR)).sum(), len(g[2])] for g in inputs], axis=0)
    described = {"nodes": edges[2], "edges": edges[0], "similarityEdges": edges[1]}
    torch.manual_seed(args.seed)
    model = Global(inputs[0][0].shape[1], dropout=args.dropout)
    steps = max(1, int((args.epochs or 8) * len(usable) / args.groups))
    groups = [{"params": list(model.parameters()), "lr": args.rate or 5e-4}]
    run = Run(args.out / args.name, groups, args, steps, begun_with(args, source))

    def validated() -> None:
        kept = [p.detach().clone() for p in run.trained]
        with torch.no_grad():
            torch._foreach_copy_(run.trained, run.average)
        scores = global_scores(model, dev, chosen, dev_nodes, dev_inputs, judged, judged_inputs)
        whole = {
            "state": {k: v.clone() for k, v in model.state_dict().items()},
            "settings": model.settings,
            "graph": vars(settings),
        }
        run.validated(scores, lambda: torch.save(whole, args.out / args.name / "best.pt"))
        with torch.no_grad():
            torch._foreach_copy_(run.trained, kept)

    if run.step == 0:
        alone = [reciprocal(n.logit.astype(np.float32), n.sentence, dev.gold[e]) for e, n in zip(chosen, dev_nodes)]
        dense = [reciprocal(n.features[:, 0], n.sentence, dev.gold[e]) for e, n in zip(chosen, dev_nodes)]
        run.record({"settings": {k: str(v) for k, v in vars(args).items()}, "parameters": sum(p.numel() for p in run.trained)})
        shape = {k: round(float(v), 1) for k, v in described.items()}
        run.record({"graph": shape | {"cosinesBetweenPassages": cosine_quantiles(nodes[:30])}})
        row = {"retriever": by_move(dev, chosen, dense), "local": by_move(dev, chosen, alone)}
        if judged:
            held = [labelled_precision(n.logit.astype(np.float32), judged, e) for e, n in enumerate(judged_nodes)]
            row["local"]["labelsAP"] = round(100 * float(np.mean(held)), 2)
        run.record(row)
        validated()
    while run.step < steps:
        rng = np.random.default_rng([args.seed, run.step])
        epoch, at = divmod(run.step * args.groups, max(args.groups, len(usable) // args.groups * args.groups))
        order = np.random.default_rng([args.seed, 2, epoch]).permutation(len(usable))
        torch.manual_seed(args.seed * 1_000_003 + run.step)
        total = 0.0
        mine = order[at : at + args.groups]
        for k in mine:
            i = usable[int(k)]
            given = list(inputs[i])
            given[3] = torch.from_numpy(drawn_features([given[3].numpy()], rng)[0])
            logits = model(*given)
            loss = pair_loss(logits, *wanted[i])
            if args.listwise > 0:
                ranks = nodes[i].ranks
                target = torch.from_numpy(target_of(ranks, args.temperature))
                loss = loss + args.listwise * list_loss(logits, torch.from_numpy(ranks), target)
            loss = loss / len(mine)
            loss.backward()
            total += loss.item()
        run.advance(total)
        if run.due():
            validated()
        elif run.step % 100 == 0:
            run.checkpoint()


def main(argv: list[str] | None = None) -> None:
    args = arguments(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    (train_local if args.stage == "local" else train_global)(args)


if __name__ == "__main__":
    main()
