"""One stage of the reranker's training as it goes: log, checkpoints, schedule, moving average."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from resume import changes
from train_retriever import schedule

#: What a checkpoint is chosen by: refinding and, where there are labels, the average precision on them alike.
CHOSEN_BY = ("mean", "labelsAP")


def quality(scores: dict) -> float:
    """Mean of the measures of CHOSEN_BY that `scores` has."""
    return float(np.mean([scores[name] for name in CHOSEN_BY if name in scores]))


class Run:
    """Log, checkpoints and clock of one stage; `trained` are its parameters, fp32, `begun` is what decides it."""

    def __init__(self, folder: Path, groups: list[dict], args: argparse.Namespace, steps: int, begun: dict[str, str]):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.args, self.steps = folder, args, steps
        self.begun = begun | {"steps": str(steps)}
        self.trained = [p for group in groups for p in group["params"]]
        self.rates = [group["lr"] for group in groups]
        self.average = [p.detach().clone() for p in self.trained]
        self.optimizer = torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98))
        self.step, self.best, self.spent, self.shown = 0, -1.0, 0.0, 0.0
        self.state, self.log = folder / "state.pt", folder / "log.jsonl"
        if self.state.exists():
            saved = torch.load(self.state, weights_only=False)
            changed = changes(self.state, saved.get("begunWith"), self.begun, args.go_on_changed)
            with torch.no_grad():
                torch._foreach_copy_(self.trained, saved["trained"])
                torch._foreach_copy_(self.average, saved["average"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.step, self.spent = saved["step"], saved["spent"]
            # A best of another measure is no bound for this one.
            self.best = saved["best"] if saved.get("chosenBy") == CHOSEN_BY else -1.0
            if changed:
                self.record({"changed": changed, "at": self.step})
            print(f"going on from step {self.step} of {steps}", flush=True)
        self.restart_clock()

    def restart_clock(self) -> None:
        """Leaves what was done since the last step out of the stage's minutes."""
        self.clock = time.time()

    def record(self, row: dict) -> None:
        """Writes a line of the log, and prints it."""
        with self.log.open("a") as log:
            print(json.dumps(row), file=log)
        print(row, flush=True)

    def advance(self, loss: float) -> None:
        """Applies the gradients that are set, at the schedule's rate."""
        torch.nn.utils.clip_grad_norm_(self.trained, 1.0)
        share = schedule(self.step, self.steps, max(1, int(0.06 * self.steps)))
        for group, rate in zip(self.optimizer.param_groups, self.rates):
            group["lr"] = rate * share
        self.optimizer.step()
        self.optimizer.zero_grad()
        decay = min(self.args.average, (1 + self.step) / (10 + self.step))
        torch._foreach_lerp_(self.average, [p.detach() for p in self.trained], 1 - decay)
        self.step += 1
        self.spent += time.time() - self.clock
        self.clock = time.time()
        self.shown = 0.95 * self.shown + 0.05 * loss if self.shown else loss
        if self.step % 10 == 0 or self.steps < 50:
            print(f"step {self.step} of {self.steps} · loss {self.shown:.3f} · {self.spent / 60:.1f} min", flush=True)

    def due(self) -> bool:
        """Whether this step ends with a validation."""
        return self.step % self.args.validate == 0 or self.step == self.steps

    def checkpoint(self) -> None:
        """Writes state.pt whole or not at all."""
        whole = {
            "trained": [p.detach() for p in self.trained],
            "average": self.average,
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "begunWith": self.begun,
            "best": self.best,
            "chosenBy": CHOSEN_BY,
            "spent": self.spent,
        }
        torch.save(whole, self.state.with_suffix(".part"))
        os.replace(self.state.with_suffix(".part"), self.state)

    def validated(self, scores: dict, save: Callable[[], None]) -> None:
        """Records the scores of the averaged weights and keeps these where they are the best."""
        self.record({"step": self.step, "minutes": round(self.spent / 60, 1), **scores})
        if quality(scores) > self.best:
            self.best = quality(scores)
            save()
        self.checkpoint()
        self.restart_clock()
