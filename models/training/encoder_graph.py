"""Builds ONNX graphs of a BERT sentence encoder from its weights.

The graph is written node by node rather than traced, so that the file depends on nothing but the
weights: tokens in, unit vectors out, with mean pooling and normalisation inside. Three kinds:

fp32  the reference, also what calibration looks into;
int8  for CPUs: weights int8 a column, activations uint8 with fixed ranges, so that a sentence's
      vector does not depend on the batch that it stands in;
gpu   for execution providers without fast int8 products: the int8 weights of the former,
      dequantised once when the session starts, and fp32 activations.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"
IR_VERSION = 8  # read by onnxruntime 1.12 and later
OPSET = 17
MASKED = 10000.0  # taken from the attention scores of padding


@dataclass(frozen=True)
class Shape:
    """Sizes of the encoder. `tokens` is how many positions are kept."""

    layers: int
    heads: int
    hidden: int
    tokens: int
    epsilon: float


@dataclass(frozen=True)
class Site:
    """How the activations that enter one group of linear layers are quantised.

    The activations are divided by `smooth` (one divisor a channel, folded into the weights), then
    [low, high] is mapped to 0..255.
    """

    low: float
    high: float
    smooth: np.ndarray | None

    def scale_and_zero(self) -> tuple[np.ndarray, np.ndarray]:
        """Scale (fp32) and zero point (uint8) that map [low, high], widened to hold 0, to 0..255."""
        low, high = min(self.low, 0.0), max(self.high, 0.0)
        scale = max(high - low, 1e-6) / 255.0
        return np.array(scale, np.float32), np.array(np.clip(np.rint(-low / scale), 0, 255), np.uint8)


def quantise_columns(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric int8, one scale an output column: weight[k, n] ~ q[k, n] * scale[n]."""
    scale = np.maximum(np.abs(weight).max(axis=0), 1e-12) / 127.0
    return np.clip(np.rint(weight / scale), -127, 127).astype(np.int8), scale.astype(np.float32)


def layer_key(layer: int, name: str) -> str:
    """What the weights of a part of a layer are named by in BERT: `encoder.layer.<layer>.<name>`."""
    return f"encoder.layer.{layer}.{name}"


@dataclass
class EncoderGraph:
    """One graph under construction. Methods return the name of the value that they make."""

    weights: dict[str, np.ndarray]
    shape: Shape
    kind: str
    sites: dict[str, Site] = field(default_factory=dict)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)

    def constant(self, name: str, value) -> str:
        """A constant of the graph; a second one of the same name is the first."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def ints(self, *values: int) -> str:
        """A constant of int64 values, named by them."""
        return self.constant("ints." + ".".join(map(str, values)), np.array(values, np.int64))

    def node(self, op: str, inputs: list[str], name: str, domain: str = "", **attributes) -> str:
        """A node with one output, which bears the node's name."""
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, domain=domain, **attributes))
        return name

    def norm(self, x: str, key: str, name: str) -> str:
        """Layer normalisation over the last axis, with the weights of `key`."""
        scale = self.constant(key + ".weight", self.weights[key + ".weight"])
        bias = self.constant(key + ".bias", self.weights[key + ".bias"])
        return self.node("LayerNormalization", [x, scale, bias], name, axis=-1, epsilon=self.shape.epsilon)

    def embed(self) -> str:
        """Word, position and token type embeddings, normalised: [batch, tokens, hidden]."""
        table = self.weights["embeddings.word_embeddings.weight"]
        if self.kind == "fp32":
            words = self.node("Gather", [self.constant("words", table), "input_ids"], "embed.words")
        else:
            columns, scale = quantise_columns(table.T)
            rows = self.node("Gather", [self.constant("words.q", columns.T), "input_ids"], "embed.rows")
            rows = self.node("Cast", [rows], "embed.float", to=TensorProto.FLOAT)
            scales = self.constant("words.scale", scale[:, None])
            scales = self.node("Gather", [scales, "input_ids"], "embed.scales")
            words = self.node("Mul", [rows, scales], "embed.words")
        # One text a row: its token type is 0 throughout.
        positions = self.weights["embeddings.position_embeddings.weight"][: self.shape.tokens]
        positions = positions + self.weights["embeddings.token_type_embeddings.weight"][0]
        length = self.node("Shape", ["input_ids"], "embed.length", start=1, end=2)
        places = [self.constant("positions", positions), self.ints(0), length, self.ints(0)]
        places = self.node("Slice", places, "embed.places")
        return self.norm(self.node("Add", [words, places], "embed.sum"), "embeddings.LayerNorm", "embed")

    def enter(self, x: str, site: str) -> tuple[str, Site | None]:
        """Brings activations into the form in which this kind's linear layers take them."""
        if self.kind == "fp32":
            return x, None
        how = self.sites[site]
        if how.smooth is not None:
            x = self.node("Mul", [x, self.constant(site + ".smooth", 1 / how.smooth)], site + ".smoothed")
        if self.kind == "gpu":
            return x, how
        scale, zero = how.scale_and_zero()
        scale, zero = self.constant(site + ".scale", scale), self.constant(site + ".zero", zero)
        return self.node("QuantizeLinear", [x, scale, zero], site + ".q"), how

    def linear(self, x: str, site: str, how: Site | None, key: str, name: str, factor=1.0) -> str:
        """x times the layer's weights plus its bias, both times `factor`."""
        weight = self.weights[key + ".weight"].T * np.float32(factor)  # [in, out]
        bias = self.constant(key + ".bias", self.weights[key + ".bias"] * np.float32(factor))
        if how is None:
            product = self.node("MatMul", [x, self.constant(key + ".weight", weight)], name + ".product")
            return self.node("Add", [product, bias], name)
        if how.smooth is not None:
            weight = weight * how.smooth[:, None]
        quantised, scale = quantise_columns(weight)
        quantised, scale = self.constant(key + ".q", quantised), self.constant(key + ".scale", scale)
        if self.kind == "int8":
            inputs = [x, quantised, site + ".scale", scale, site + ".zero", "", bias]
            return self.node("MatMulIntegerToFloat", inputs, name, domain=MICROSOFT)
        weight = self.node("DequantizeLinear", [quantised, scale], name + ".weight", axis=1)
        return self.node("Add", [self.node("MatMul", [x, weight], name + ".product"), bias], name)

    def attention(self, x: str, i: int) -> str:
        """Multi-head self-attention of layer `i` over `x` [batch, tokens, hidden], before its output projection."""
        heads, size = self.shape.heads, self.shape.hidden // self.shape.heads
        entered, how = self.enter(x, f"{i}.in")
        split = {}
        for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
            name = f"{i}.{part}"
            # The scores' divisor stands in the query's weights.
            factor = size**-0.5 if part == "query" else 1.0
            key = layer_key(i, f"attention.self.{part}")
            flat = self.linear(entered, f"{i}.in", how, key, name, factor)
            four = self.node("Reshape", [flat, self.ints(0, 0, heads, size)], name + ".heads")
            split[part] = self.node("Transpose", [four], name + ".turned", perm=order)
        scores = self.node("MatMul", [split["query"], split["key"]], f"{i}.scores")
        scores = self.node("Add", [scores, "mask.scores"], f"{i}.masked")
        weights = self.node("Softmax", [scores], f"{i}.attention", axis=-1)
        context = self.node("MatMul", [weights, split["value"]], f"{i}.gathered")
        context = self.node("Transpose", [context], f"{i}.back", perm=[0, 2, 1, 3])
        return self.node("Reshape", [context, self.ints(0, 0, self.shape.hidden)], f"{i}.ctx")

    def layer(self, x: str, i: int) -> str:
        """Layer `i`: attention and feed-forward part, each with residual and normalisation after it."""

        def block(value: str, site: str, name: str, out: str) -> str:
            entered, how = self.enter(value, site)
            return self.linear(entered, site, how, layer_key(i, name), out)

        made = block(self.attention(x, i), f"{i}.ctx", "attention.output.dense", f"{i}.o")
        x = self.node("Add", [made, x], f"{i}.residual")
        x = self.norm(x, layer_key(i, "attention.output.LayerNorm"), f"{i}.mid")
        wide = block(x, f"{i}.mid", "intermediate.dense", f"{i}.wide")
        wide = self.node("Gelu", [wide], f"{i}.gelu", domain=MICROSOFT)
        made = block(wide, f"{i}.gelu", "output.dense", f"{i}.narrow")
        x = self.node("Add", [made, x], f"{i}.residual2")
        return self.norm(x, layer_key(i, "output.LayerNorm"), f"{i}.out")

    def build(self, extra_outputs: tuple[str, ...] = ()) -> onnx.ModelProto:
        """
        The whole graph, tokens to unit vectors [batch, hidden]. `extra_outputs`: values to give out besides, for calibration.
        """
        mask = self.node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
        row = self.node("Unsqueeze", [mask, self.ints(1, 2)], "mask.row")
        row = self.node("Sub", [row, self.constant("one", np.array(1, np.float32))], "mask.absent")
        self.node("Mul", [row, self.constant("masked", np.array(MASKED, np.float32))], "mask.scores")
        x = self.embed()
        for i in range(self.shape.layers):
            x = self.layer(x, i)
        # The sum over a text's tokens has the direction of their mean; normalising drops its length.
        mask = self.node("Unsqueeze", [mask, self.ints(1)], "pool.mask")
        total = self.node("MatMul", [mask, x], "pool.sum")
        total = self.node("Squeeze", [total, self.ints(1)], "pool")
        length = self.node("ReduceL2", [total], "pool.length", axes=[-1], keepdims=1)
        self.node("Div", [total, length], "embedding")
        value = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes,
            "encoder",
            [value(n, TensorProto.INT64, ["batch", "tokens"]) for n in ("input_ids", "attention_mask")],
            [value("embedding", TensorProto.FLOAT, ["batch", self.shape.hidden])]
            + [value(name, TensorProto.FLOAT, None) for name in extra_outputs],
            list(self.constants.values()),
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="ratio")


def refer_to(model: onnx.ModelProto, owner: bytes, location: str) -> None:
    """Replaces the large int8 constants of `model` by references into the file `location`.

    `owner` is that file's content, a model that holds the same constants.
    """
    for tensor in model.graph.initializer:
        if tensor.data_type != TensorProto.INT8 or len(tensor.raw_data) < 1024:
            continue
        offset = owner.find(tensor.raw_data)
        if offset < 0:
            raise ValueError(f"{location} does not hold the constant {tensor.name}")
        length = len(tensor.raw_data)
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, val in (("location", location), ("offset", offset), ("length", length)):
            tensor.external_data.add(key=key, value=str(val))
