"""python -m unittest discover -s models/training -p 'test_label_runs.py'"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

import labels
from test_labels import mined


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        self.held = tempfile.TemporaryDirectory()
        self.root = Path(self.held.name)
        self.mined = mined(self.root, "train")
        self.papers = self.root / "papers.jsonl"
        rows = [json.loads(line) for line in (self.mined / "papers.jsonl").read_text().splitlines()]
        self.papers.write_text("".join(json.dumps({"id": r["id"], "title": r["title"], "abstract": "x"}) + "\n" for r in rows))
        self.all = rows

    def tearDown(self) -> None:
        self.held.cleanup()

    def command(self, *words: object) -> int:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return labels.main([str(w) for w in words])

    def asked(self, *more: object, out: str = "asked") -> tuple[list[dict], list[dict]]:
        folder = self.root / out
        self.command(
            "queries", "--mined", self.mined, "--split", "train", "--count", 6, "--papers", self.papers, "--pool", 30,
            "--out", folder, *more,
        )  # fmt: skip
        return tuple(
            [json.loads(line) for line in (folder / f"{name}-train.jsonl").read_text().splitlines()]
            for name in ("queries", "papers")
        )

    def test_no_paper_of_the_pool_is_a_querys(self) -> None:
        queries, papers = self.asked()
        self.assertGreater(len(queries), 2)
        self.assertGreater(len(papers), 2)
        self.assertFalse({q["paper"] for q in queries} & {p["id"] for p in papers})

    def test_queries_that_runs_refer_to_are_not_written_over(self) -> None:
        first, _ = self.asked("--seed", 5)
        with self.assertRaisesRegex(SystemExit, "queries-train.jsonl is there already; choose another --out"):
            self.asked("--seed", 6)
        other, _ = self.asked("--seed", 6, out="other")
        self.assertFalse({q["id"] for q in first} & {q["id"] for q in other})

    def test_labelled_queries_are_not_asked_again(self) -> None:
        first, _ = self.asked()
        known = self.root / "known.jsonl"
        known.write_text("".join(json.dumps({"query": q["query"]}) + "\n" for q in first))
        second, _ = self.asked("--known", known, out="again")
        self.assertFalse({q["query"] for q in first} & {q["query"] for q in second})

    def test_claims_are_plain_statements_of_papers_outside_the_pool(self) -> None:
        texts = {
            "Attention mechanisms are widely used to weigh the parts of long documents.": "specify",
            "Readers of long documents often look for one figure and skip everything else.": None,
            "Transformers with 12 layers need several gigabytes of memory for long documents.": "broaden",
            "We train a model of long documents that needs little memory.": None,
            "These models of long documents need several gigabytes of memory.": None,
            "It is known that memory grows with the length of documents.": None,
            "However, memory for long documents is scarce on most machines of today.": None,
            "Plain sentences about documents at the end of an abstract sum up what was done.": None,
        }
        rows = [
            {
                "id": f"p{n}",
                "title": "T",
                "date": "2024",
                "sentences": [{"id": f"p{n}#{i}", "text": t} for i, t in enumerate(texts)],
            }
            for n in range(20)
        ]
        # The same words twice are asked once, so each paper says them of something else.
        for n, row in enumerate(rows):
            for sentence in row["sentences"]:
                sentence["text"] = sentence["text"].replace("documents", f"documents of kind {chr(97 + n)}")
        rows[8]["sentences"] = [
            {"id": "p8#0", "text": "Late sentences of long papers are often forgotten by everyone.", "section": "Methods"},
            {"id": "p8#1", "text": "Long papers of all kinds are often forgotten by nearly everyone.", "section": "Related Work"},
        ]
        folder = self.root / "claims-mined"
        folder.mkdir()
        (folder / "papers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        paired = [{"queryId": f"p{n}#0", "goldId": f"p{n}#2"} for n in (3, 4, 5)]
        (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in paired))
        pool, known = self.root / "pool.jsonl", self.root / "known.jsonl"
        pool.write_text("".join(json.dumps({"id": f"p{n}"}) + "\n" for n in range(9, 20)))
        known.write_text("".join(json.dumps({"query": f"p{n}#{i}"}) + "\n" for n in (0, 1, 2) for i in (0, 1)))
        out = self.root / "claims"
        given = ["queries", "--mined", folder, "--split", "train", "--claims-for", pool, "--known", known, "--out", out]
        self.command(*given, "--count", 40)
        asked = [json.loads(line) for line in (out / "claims-train.jsonl").read_text().splitlines()]
        self.assertEqual(len({q["paper"] for q in asked}), len(asked))
        broaden = {q["query"] for q in asked if q["move"] == "broaden"}
        specify = {q["query"] for q in asked if q["move"] == "specify"}
        # Where the one with a number is free it is asked; what is paired, labelled or of the pool's papers never.
        self.assertEqual(broaden, {f"p{n}#2" for n in (0, 1, 2, 6, 7)})
        self.assertEqual(specify, {"p3#1", "p4#1", "p5#1", "p8#1"})
        with self.assertRaisesRegex(SystemExit, "--papers names"):
            self.command("queries", "--mined", folder, "--split", "train", "--out", out)

    def test_candidates_come_from_the_runs_in_turn_and_know_their_ranks(self) -> None:
        queries, papers = self.asked()
        near = [f"{p['id']}#1" for p in papers][:4]
        own = f"{queries[0]['paper']}#1"
        lines = {"a": [near[0], own, near[1], near[2]], "b": [near[0], near[3], near[2], near[1]]}
        for name, documents in lines.items():
            text = "".join(f"{queries[0]['id']} Q0 {d} {r} 1.0 t\n" for r, d in enumerate(documents, 1))
            (self.root / f"{name}.run").write_text(text)
        out = self.root / "sheets"
        given = ["--run", f"a={self.root / 'a.run'}", "--run", f"b={self.root / 'b.run'}"]
        self.command(
            "runs", "--mined", self.mined, "--queries", self.root / "asked" / "queries-train.jsonl", *given,
            "--candidates", 3, "--second", 0, "--out", out,
        )  # fmt: skip
        key = [json.loads(line) for line in (out / "key.jsonl").read_text().splitlines()][1:]
        self.assertEqual(len(key), 1)
        self.assertEqual(key[0]["query"], queries[0]["query"])
        found = {c["id"]: c["sources"] for c in key[0]["candidates"].values()}
        self.assertEqual(found[near[0]], {"a": 1, "b": 1})
        self.assertEqual(set(found), {near[0], near[3], near[1]})
        self.assertNotIn(own, found)
        self.assertTrue((out / "sheet-01" / "sheet.md").exists())

    def test_what_is_labelled_and_queries_of_another_split_are_left_out(self) -> None:
        queries, papers = self.asked()
        near = [f"{p['id']}#1" for p in papers][:3]
        lines = [f"{queries[0]['id']} Q0 {d} {r} 1.0 t\n" for r, d in enumerate(near, 1)]
        run, known = self.root / "a.run", self.root / "known.jsonl"
        run.write_text("".join(lines) + "val-0001 Q0 elsewhere:1#2 1 0.5 t\n")
        known.write_text(json.dumps({"move": queries[0]["move"], "query": queries[0]["query"], "sentence": near[0]}) + "\n")
        out = self.root / "sheets"
        self.command(
            "runs", "--mined", self.mined, "--queries", self.root / "asked" / "queries-train.jsonl", "--run", f"a={run}",
            "--known", known, "--second", 0, "--out", out,
        )  # fmt: skip
        key = [json.loads(line) for line in (out / "key.jsonl").read_text().splitlines()][1:]
        self.assertEqual({c["id"] for entry in key for c in entry["candidates"].values()}, set(near[1:]))

    def test_a_broken_run_is_told_by_its_line(self) -> None:
        queries, _ = self.asked()
        run = self.root / "bad.run"
        run.write_text("one Q0 two three\n")
        asked = self.root / "asked" / "queries-train.jsonl"
        with self.assertRaisesRegex(SystemExit, r"bad\.run:1: not a line of a TREC run"):
            self.command("runs", "--mined", self.mined, "--queries", asked, "--run", f"a={run}", "--out", self.root / "s")
        with self.assertRaisesRegex(SystemExit, "--queries-val needs --mined-val"):
            self.command("runs", "--queries-val", asked, "--run-val", f"a={run}", "--out", self.root / "s")
        run.write_text(f"{queries[0]['id']} Q0 elsewhere:1#2 1 0.5 t\n")
        with self.assertRaisesRegex(SystemExit, "lacks 1 papers of the runs, for one elsewhere:1"):
            self.command("runs", "--mined", self.mined, "--queries", asked, "--run", f"a={run}", "--out", self.root / "s")
        with self.assertRaisesRegex(SystemExit, "there is no file"):
            self.command("runs", "--mined", self.mined, "--queries", asked, "--run", "a=nowhere", "--out", self.root / "s")
        with self.assertRaisesRegex(SystemExit, "NAME=FILE"):
            self.command("runs", "--mined", self.mined, "--queries", asked, "--run", run, "--out", self.root / "s")
        with self.assertRaisesRegex(SystemExit, "--run has the name 'a' twice"):
            self.command(
                "runs", "--mined", self.mined, "--queries", asked, "--run", f"a={run}", "--run", f"a={run}",
                "--out", self.root / "s",
            )  # fmt: skip
        with self.assertRaisesRegex(SystemExit, "--run-val needs --queries-val"):
            self.command(
                "runs", "--mined", self.mined, "--queries", asked, "--run", f"a={run}", "--run-val", f"a={run}",
                "--out", self.root / "s",
            )  # fmt: skip


if __name__ == "__main__":
    unittest.main()
