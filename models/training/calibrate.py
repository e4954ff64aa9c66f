"""Finds the fixed ranges and the smoothing with which activations are quantised.

A few channels of a transformer carry values ten times those of the rest, which would waste the
eight bits of all others. As in SmoothQuant (Xiao et al., 2023, eq. 4) each channel is divided by
    s = max|x|^alpha / max|w|^(1 - alpha)
and the weights that read it are multiplied by s.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import onnxruntime

from encoder_graph import EncoderGraph, Shape, Site, layer_key

# Chosen on abstract sentences by the cosine to fp32 (mean): 0.5 0.987, 0.65 0.997, 0.8 0.998, 1 0.996.
ALPHA = 0.8
READERS = {
    "in": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "ctx": ("attention.output.dense",),
    "mid": ("intermediate.dense",),
    "gelu": ("output.dense",),
}
# The attention's context has no outliers worth a pass over it.
SMOOTHED = ("in", "mid", "gelu")


def feeds(rows: list[list[int]]) -> dict[str, np.ndarray]:
    """Token ids of several texts as one padded batch."""
    width = max(map(len, rows))
    ids = np.zeros((len(rows), width), np.int64)
    mask = np.zeros_like(ids)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return {"input_ids": ids, "attention_mask": mask}


def session(model: bytes) -> onnxruntime.InferenceSession:
    """A session as the engine makes it, on one thread, so that sums are always taken in one order."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def sites(weights: dict[str, np.ndarray], shape: Shape, texts: Iterable[list[int]]) -> dict[str, Site]:
    """Ranges and smoothing of every quantised activation, seen on tokenised `texts`."""
    source = {}
    for i in range(shape.layers):
        source[f"{i}.in"] = "embed" if i == 0 else f"{i - 1}.out"
        source |= {f"{i}.{part}": f"{i}.{part}" for part in ("ctx", "mid", "gelu")}
    taps = tuple(source.values())
    reference = session(EncoderGraph(weights, shape, "fp32").build(taps).SerializeToString())
    low = {tap: np.float32(0) for tap in taps}
    high = dict(low)
    for text in texts:
        for tap, value in zip(taps, reference.run(list(taps), feeds([text]))):
            low[tap] = np.minimum(low[tap], value[0].min(axis=0))
            high[tap] = np.maximum(high[tap], value[0].max(axis=0))
    found = {}
    for site, tap in source.items():
        layer, part = site.split(".")
        smooth = None
        if part in SMOOTHED:
            keys = [layer_key(int(layer), name) + ".weight" for name in READERS[part]]
            weight = np.max([np.abs(weights[key]).max(axis=0) for key in keys], axis=0)
            size = np.maximum(np.maximum(-low[tap], high[tap]), 1e-3)
            smooth = size**ALPHA / np.maximum(weight, 1e-3) ** (1 - ALPHA)
            smooth = (smooth / np.exp(np.log(smooth).mean())).astype(np.float32)
        divisor = 1 if smooth is None else smooth
        found[site] = Site(float((low[tap] / divisor).min()), float((high[tap] / divisor).max()), smooth)
    return found
