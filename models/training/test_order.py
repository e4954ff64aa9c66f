"""Tests of fit_order.py on made-up sentences."""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import fit_order
from mined import MOVES

WIDTH = 40


def made_up(queries: int, seed: int = 1) -> tuple[list[dict], list[dict], list[dict]]:
    """
    Queries, what is known of their sentences, and labels. Sentences are useful by their words and by one direction of
    the vectors; for Broaden by the other way round.
    """
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=WIDTH)
    direction /= np.linalg.norm(direction)
    asked, known, labels = [], [{"reranker": "made-up", "told": fit_order.TOLD}], []
    for q in range(queries):
        move = MOVES[q % 3]
        turn = -1 if move == "broaden" else 1
        asked.append({"id": f"q{q}", "move": move, "text": "A query.", "query": f"p#{q}"})
        hidden = rng.normal(size=(10, WIDTH)) + 3 * rng.normal(size=(10, 1)) * direction
        told = rng.normal(size=(10, len(fit_order.TOLD)))
        useful = turn * (told[:, fit_order.TOLD.index("words")] + hidden @ direction)
        for s, place in enumerate(np.argsort(np.argsort(-useful))):
            packed = base64.b64encode(hidden[s].astype("<f4").tobytes()).decode()
            known.append({"query": f"q{q}", "sentence": f"s{s // 3}#{s}", "told": told[s].tolist(), "hidden": packed})
            if place < 7:
                triple = {"move": move, "query": f"p#{q}", "sentence": f"s{s // 3}#{s}"}
                labels.append({**triple, "split": "val" if q % 5 == 0 else "train", "label": int(place < 2)})
    return asked, known, labels


class FitOrder(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        config = {"id": "made-up", "blend": {move: [3, 0, 2, 0] for move in (*MOVES, "none")}}
        (self.folder / "config.json").write_text(json.dumps(config))

    def file(self, name: str, rows: list[dict]) -> str:
        path = self.folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)

    def run_it(self, asked: list[dict], known: list[dict], labels: list[dict], *more: str) -> list[dict]:
        """Figures of all queries without and with the order."""
        given = ["--asked", self.file("asked", asked), self.file("known", known), "--labels", self.file("labels", labels)]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            fit_order.main([*given, "--reranker", str(self.folder), "--components", "8", *more])
        self.said = said.getvalue()
        return [ast.literal_eval(line.split("all: ")[1]) for line in self.said.splitlines() if "· all: " in line]

    def test_finds_what_makes_a_sentence_useful_by_move(self) -> None:
        asked, known, labels = made_up(240)
        run = self.folder / "order.run"
        figures = self.run_it(asked, known, labels, "--strength", "0.01", "--run", str(run), "--blend", "0")
        without, with_order = figures
        self.assertEqual([f["queries"] for f in figures], [240, 240])
        self.assertIn("1,680 labels, 480 of them 1, of 240 queries", self.said)
        self.assertLess(without["AP"], 60)
        self.assertGreater(with_order["AP"], 85)
        # Two useful sentences a query: no order finds more than two in five.
        self.assertGreater(with_order["P@5"], 36)
        self.assertLess(with_order["unlabelled"], without["unlabelled"])
        order = json.loads((self.folder / "order.json").read_text())
        self.assertEqual((order["reranker"], tuple(order["names"])), ("made-up", fit_order.TOLD))
        useful = {(row["query"], row["sentence"]): row["label"] for row in labels}
        by_label: dict[object, list[float]] = {}
        for row in known[1:]:
            number = int(row["query"][1:])
            weights = order["moves"][MOVES[number % 3]]
            self.assertEqual([len(weights["told"]), len(weights["hidden"])], [len(fit_order.TOLD), WIDTH])
            hidden = np.frombuffer(base64.b64decode(row["hidden"]), "<f4")
            score = weights["told"] @ np.array(row["told"]) + weights["hidden"] @ hidden
            by_label.setdefault(useful.get((f"p#{number}", row["sentence"])), []).append(score)
        self.assertGreater(np.mean(by_label[1]) - np.mean(by_label[0]), 1)
        self.assertGreater(np.mean(by_label[0]), np.mean(by_label[None]))
        lines = [line.split() for line in run.read_text().splitlines()]
        for name in ("q0", "q239"):
            mine = [line for line in lines if line[0] == name]
            self.assertEqual([int(line[3]) for line in mine], list(range(1, len(mine) + 1)))
            papers = [line[2].split("#")[0] for line in mine]
            self.assertEqual(max(papers.count(p) for p in papers), 2)

    def test_a_blend_is_added_to_what_is_fitted(self) -> None:
        made = made_up(60)
        orders = []
        for share in ("0", "0.5"):
            self.run_it(*made, "--blend", share)
            orders.append(json.loads((self.folder / "order.json").read_text())["moves"])
        for move in MOVES:
            fitted, both = (order[move] for order in orders)
            wanted = [0.5, 0, 1.5, 0, 1, 0, 0, 0, 0, 0]
            np.testing.assert_allclose(np.subtract(both["told"], fitted["told"]), wanted, atol=2e-5)
            self.assertEqual(both["hidden"], fitted["hidden"])

    def test_a_dry_run_writes_nothing_and_wrong_files_are_refused(self) -> None:
        asked, known, labels = made_up(30)
        self.run_it(asked, known, labels, "--dry-run")
        self.assertFalse((self.folder / "order.json").exists())
        with self.assertRaisesRegex(SystemExit, "No sentence of these files"):
            self.run_it(asked, known, [row | {"label": 0} for row in labels])
        with self.assertRaisesRegex(SystemExit, "does not tell global, .*make it anew"):
            self.run_it(asked, known[1:], labels)
        with self.assertRaisesRegex(SystemExit, "are of another, not of made-up"):
            self.run_it(asked, [{"reranker": "another", "told": fit_order.TOLD}, *known[1:]], labels)
        with self.assertRaisesRegex(SystemExit, "knows of a query q29"):
            self.run_it(asked[:-1], known, labels)
        with self.assertRaisesRegex(SystemExit, "q0 stands twice"):
            self.run_it(asked, [*known, known[1]], labels)

    def test_queries_of_one_paper_share_a_fold(self) -> None:
        papers = [f"p{n % 40}" for n in range(120)]
        fold = fit_order.folds_of(papers, 5)
        self.assertEqual(fold[:40].tolist(), fold[40:80].tolist())
        self.assertEqual(fold[:40].tolist(), fold[80:].tolist())
        self.assertEqual(set(fold.tolist()), set(range(5)))
        with self.assertRaisesRegex(SystemExit, "are of 1 papers, too few"):
            fit_order.folds_of(["p"] * 9, 5)
        # Each sentence is scored by weights that know no query of its paper.
        asked, known, labels = made_up(120)
        fitted: list[set[str]] = []
        fit = fit_order.fit

        def spied(features: np.ndarray, known: fit_order.Known, queries: np.ndarray, *rest: float) -> np.ndarray:
            fitted.append({known.papers[q] for q in queries})
            return fit(features, known, queries, *rest)

        with mock.patch.object(fit_order, "fit", spied):
            self.run_it([row | {"paper": paper} for row, paper in zip(asked, papers)], known, labels, "--dry-run")
        apart = [set(papers) - each for each in fitted]
        self.assertEqual(len(fitted), 5)
        self.assertEqual(sorted(p for each in apart for p in each), sorted(set(papers)))
        # Where rows name no paper, every query is one of its own.
        files = [(Path(self.file("asked", asked)), Path(self.file("known", known)))]
        made = fit_order.Known.read(files, Path(self.file("labels", labels)))
        self.assertEqual(made.papers, [row["query"] for row in asked])

    def test_held_out_figures_know_nothing_of_labels_by_lot(self) -> None:
        asked, known, labels = made_up(120)
        rng = np.random.default_rng(3)
        lots = rng.permutation([row["label"] for row in labels])
        figures = self.run_it(asked, known, [row | {"label": int(lot)} for row, lot in zip(labels, lots)], "--blend", "0")
        self.assertLess(abs(figures[1]["AP"] - figures[0]["AP"]), 8)


if __name__ == "__main__":
    unittest.main()
