"""Labels of the moves: sheets for a reader to fill in, and the filled-in sheets as data by ids.

python models/training/labels.py sheets --mined DIR --mined-val DIR --encoder DIR --out OUT
python models/training/labels.py queries --mined DIR --split train --papers FILE --known LABELS --out OUT
python models/training/labels.py runs --mined DIR --queries FILE --run NAME=FILE --out OUT
python models/training/labels.py merge --sheets OUT --out models/training/labels.jsonl
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from random import Random

from label_candidates import Finder
from label_corpus import SINCE, choose_queries, read_sentences
from label_encoder import Encoder
from label_merge import merge
from label_runs import entries_of_runs, labelled_before, write_claims, write_queries
from label_sheets import LETTERS, Entry, write_all


def names_of(encoders: list[Encoder]) -> list[str]:
    """Short names for the key; whole ids where the short ones are alike."""
    if len({encoder.id for encoder in encoders}) < len(encoders):
        raise SystemExit("Two --encoder folders hold the same encoder; name each once.")
    short = [encoder.short for encoder in encoders]
    return short if len(set(short)) == len(short) else [encoder.id for encoder in encoders]


def sheets(args: argparse.Namespace) -> int:
    """`labels.py sheets`: sheets of candidates for mined queries. Returns the exit code."""
    fresh(args.out)
    encoders = [Encoder(folder, args.cache or args.out / "cache") for folder in args.encoder]
    names = names_of(encoders)
    for_val = round(args.queries * args.share_val)
    entries: list[Entry] = []
    for split, mined, count, since in (
        ("train", args.mined, args.queries - for_val, SINCE),
        ("val", args.mined_val, for_val, ""),
    ):
        if count == 0:
            continue
        queries = choose_queries(mined, split, count, args.seed, since)
        if not queries:
            raise SystemExit(f"{mined}: pairs.jsonl has no clear query to take.")
        sentences = read_sentences(mined, {q.paper for q in queries}, args.pool, args.seed)
        print(f"{split}: {len(queries):,} queries, {len(sentences.ids):,} sentences", file=sys.stderr)
        finder = Finder(sentences, encoders, names, f" {split}")
        lot = Random(f"candidates {args.seed} {split}")
        for query, candidates in finder.find(queries, args.candidates, lot):
            if candidates:
                entries.append(Entry(query, candidates, sentences))
    about = {
        "queries": args.queries,
        "shareVal": args.share_val,
        "seed": args.seed,
        "pool": args.pool,
        "candidates": args.candidates,
        "encoders": {name: encoder.id for name, encoder in zip(names, encoders)},
    }
    made = write_all(args.out, entries, args.per_sheet, args.second, args.side, args.seed, about)
    print(
        f"{args.out}: {made['queries']:,} queries, {made['triples']:,} triples in "
        f"{made['sheets']} sheets; {made['twice']} queries again in {made['secondSheets']} more. "
        "Fill in answers.txt in each sheet's folder, then run `labels.py merge`."
    )
    return 0


def fresh(out: Path) -> None:
    """Exits where `out` holds sheets, lest answers are mixed up."""
    if any(out.glob("sheet-*")) or (out / "key.jsonl").exists():
        raise SystemExit(f"{out} already holds sheets; choose another --out (--cache may stay).")


def queries(args: argparse.Namespace) -> int:
    """`labels.py queries`: queries or claims, and papers to ask them in. Returns the exit code."""
    known = labelled_before(args.known)
    if args.claims_for:
        write_claims(args.mined, args.split, args.count, args.seed, known, args.claims_for, args.out)
        return 0
    if not args.papers:
        raise SystemExit("--papers names the papers-*.jsonl.gz of which the pool is made.")
    write_queries(args.mined, args.split, args.count, args.seed, known, args.papers, args.pool, args.out)
    return 0


def named(values: list[str], option: str) -> dict[str, Path]:
    """NAME=FILE values; exits where one has no name or its file is missing."""
    parts = [value.partition("=") for value in values]
    if wrong := [value for value, (name, _, file) in zip(values, parts) if not (name and file)]:
        raise SystemExit(f"{option} takes NAME=FILE, not {wrong[0]!r}")
    if gone := [file for _, _, file in parts if not Path(file).is_file()]:
        raise SystemExit(f"{option}: there is no file {gone[0]}")
    names = [name for name, _, _ in parts]
    if twice := [name for name in names if names.count(name) > 1]:
        raise SystemExit(f"{option} has the name {twice[0]!r} twice.")
    return {name: Path(file) for name, _, file in parts}


def runs(args: argparse.Namespace) -> int:
    """Sheets of what whole systems gave."""
    fresh(args.out)
    for given, asked, option, queries in (
        (args.run, args.queries, "--run", "--queries"),
        (args.run_val, args.queries_val, "--run-val", "--queries-val"),
    ):
        if given and not asked:
            raise SystemExit(f"{option} needs {queries}, the queries that its runs answer.")
    entries: list[Entry] = []
    for split, mined, asked, given, option in (
        ("train", args.mined, args.queries, args.run, "--run"),
        ("val", args.mined_val, args.queries_val, args.run_val, "--run-val"),
    ):
        if asked:
            if mined is None:
                suffix = "-val" if split == "val" else ""
                raise SystemExit(f"--queries{suffix} needs --mined{suffix}, what `ratio mine` wrote of papers-{split}.")
            entries += entries_of_runs(mined, split, asked, named(given, option), args.candidates, args.known)
    if not entries:
        raise SystemExit("The runs hold no candidate: are they of these queries?")
    names = sorted({v.partition("=")[0] for v in [*args.run, *args.run_val]})
    about = {"runs": names, "candidates": args.candidates, "seed": args.seed, "encoders": {}}
    made = write_all(args.out, entries, args.per_sheet, args.second, args.side, args.seed, about)
    print(
        f"{args.out}: {made['queries']:,} queries, {made['triples']:,} triples in {made['sheets']} sheets; "
        f"{made['twice']} queries again in {made['secondSheets']} more."
    )
    return 0


def share(text: str) -> float:
    """A number between 0 and 1, for argparse."""
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError("a share lies between 0 and 1")
    return value


def whole(text: str) -> int:
    """A whole number from 1, for argparse."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return value


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("sheets", help="write sheets of candidates")
    build.add_argument("--mined", type=Path, required=True, help="`ratio mine` output of papers-train")
    build.add_argument("--mined-val", type=Path, required=True, help="the same of papers-val")
    build.add_argument("--encoder", type=Path, required=True, nargs="+", action="extend", help="folders, base first")
    build.add_argument("--out", type=Path, required=True)
    build.add_argument("--queries", type=whole, default=1300)
    build.add_argument("--share-val", type=share, default=0.2, help="queries from papers-val")
    build.add_argument("--candidates", type=whole, default=10, help="a query")
    build.add_argument("--pool", type=whole, default=60000, help="sentences searched, a split")
    build.add_argument("--per-sheet", type=whole, default=100, help="queries a sheet")
    build.add_argument("--second", type=share, default=0.1, help="queries that are labelled twice")
    build.add_argument("--side", type=whole, default=160, help="characters shown of a neighbour")
    build.add_argument("--seed", type=int, default=1)
    build.add_argument("--cache", type=Path, help="where vectors are kept (default OUT/cache)")
    ask = commands.add_parser("queries", help="write queries and papers for `ratio judge run`")
    ask.add_argument("--mined", type=Path, required=True, help="`ratio mine` output of a split")
    ask.add_argument("--split", choices=("train", "val"), required=True)
    ask.add_argument("--count", type=whole, default=1000)
    ask.add_argument("--known", type=Path, action="append", default=[], help="labels.jsonl whose queries are not asked again")
    ask.add_argument("--papers", type=Path, action="append", default=[], help="papers-*.jsonl.gz; repeatable")
    ask.add_argument(
        "--claims-for",
        type=Path,
        metavar="PAPERS",
        help="write plain statements as drafts have them instead, for the pool of this papers-SPLIT.jsonl",
    )
    ask.add_argument("--pool", type=whole, default=190_000, help="sentences of the pool, about")
    ask.add_argument("--seed", type=int, default=2)
    ask.add_argument("--out", type=Path, required=True)
    given = commands.add_parser("runs", help="write sheets of what runs of `ratio judge run` hold")
    given.add_argument("--mined", type=Path, help="`ratio mine` output of papers-train")
    given.add_argument("--mined-val", type=Path)
    given.add_argument("--queries", type=Path, help="queries-train.jsonl of `labels.py queries`")
    given.add_argument("--queries-val", type=Path, help="its queries-val.jsonl")
    given.add_argument("--run", action="append", default=[], metavar="NAME=FILE")
    given.add_argument("--run-val", action="append", default=[], metavar="NAME=FILE")
    given.add_argument("--known", type=Path, action="append", default=[], help="labels.jsonl whose triples are not asked again")
    given.add_argument("--candidates", type=whole, default=10, help="a query")
    given.add_argument("--per-sheet", type=whole, default=62, help="queries a sheet")
    given.add_argument("--second", type=share, default=0.08, help="queries that are labelled twice")
    given.add_argument("--side", type=whole, default=160, help="characters shown of a neighbour")
    given.add_argument("--seed", type=int, default=2)
    given.add_argument("--out", type=Path, required=True)
    join = commands.add_parser("merge", help="read filled-in sheets")
    join.add_argument("--sheets", type=Path, required=True, nargs="+", help="folders that `sheets` wrote")
    join.add_argument("--out", type=Path, required=True)
    join.add_argument("--partial", action="store_true", help="leave faulty and missing answers out")
    join.add_argument("--replace", action="store_true", help="write OUT though it holds labels that these sheets lack")
    args = parser.parse_args(argv)
    if args.command == "merge":
        return merge(args.sheets, args.out, args.partial, args.replace)
    if args.command == "queries":
        return queries(args)
    if args.candidates > len(LETTERS):
        raise SystemExit(f"--candidates: at most {len(LETTERS)}, one a letter.")
    return runs(args) if args.command == "runs" else sheets(args)


if __name__ == "__main__":
    sys.exit(main())
