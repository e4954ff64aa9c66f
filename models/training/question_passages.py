"""Writes the plain questions with labelled papers (questions.jsonl) as `ratio rerank` reads them.

    python models/training/question_passages.py --papers PAPERS.jsonl[.gz] … [--found 26] --out FILE.jsonl

A question's candidates are the title and abstract of each labelled paper, gold where it bears on the question, and as
many papers of its split as `--found` says that BM25 finds for it and nobody labelled: they count as wrong, and have its words,
as where candidates were found by words. The order of the candidates is by lot. The split, train or val, becomes the dataset.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from label_candidates import Bm25
from mined import paper_of, read_lines
from rerank_corpus import lot

QUESTIONS = Path(__file__).parent / "questions.jsonl"


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=Path, nargs="+", required=True, help="papers with abstracts, of train and val")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--found", type=int, default=0, help="further papers a question, found by BM25")
    parser.add_argument("--since", default="2025-10", help="where validation begins: training questions get no later paper")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args(argv)


def rows_of(questions: list[dict], papers: dict[str, dict], found: int, since: str) -> Iterator[dict]:
    """One row a question of which at least one gold paper is among `papers` (id to record with title, abstract, date)."""
    ids = list(papers)
    bm25 = Bm25([f"{papers[p]['title']} {papers[p]['abstract']}" for p in ids]) if found else None
    for question in questions:
        held: dict[str, int] = {}
        for name, label in question["labels"].items():
            if paper_of(name) in papers:
                held[paper_of(name)] = max(label, held.get(paper_of(name), 0))
        if not any(held.values()):
            continue
        named = list(held)
        for place in np.argsort(-bm25.scores(question["text"]), kind="stable") if bm25 else ():
            if len(named) == len(held) + found:
                break
            late = question["split"] == "train" and (papers[ids[place]].get("date") or "") >= since
            if ids[place] not in held and not late:
                named.append(ids[place])
        named.sort(key=lambda p: lot(f"{question['id']} {p}"))
        candidates = [{"title": papers[p]["title"], "text": papers[p]["abstract"], "gold": held.get(p, 0)} for p in named]
        yield {"id": question["id"], "dataset": question["split"], "query": question["text"], "candidates": candidates}


def main(argv: list[str] | None = None) -> None:
    args = arguments(argv)
    papers = {}
    for file in args.papers:
        for row in read_lines(file):
            if row.get("abstract"):
                papers.setdefault(row["id"], row)
    rows = list(rows_of(list(read_lines(args.questions)), papers, args.found, args.since))
    if not rows:
        raise SystemExit(f"{args.questions}: no question has a gold paper among the {len(papers)} papers.")
    args.out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} questions, {sum(len(row['candidates']) for row in rows) / len(rows):.1f} passages each")


if __name__ == "__main__":
    main()
