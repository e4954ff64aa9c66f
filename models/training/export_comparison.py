"""Writes the base model as @huggingface/transformers expects it, for the throughput bench:
python models/training/export_comparison.py --out out/bench/models/all-MiniLM-L6-v2

fp32 is traced by torch's exporter, q8 is onnxruntime's dynamic quantisation of it, as the
library's own conversion script makes them. Needs torch and transformers beside requirements.txt.
"""

from __future__ import annotations

import argparse
import shutil
import warnings
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from transformers import AutoModel

from export_encoder import base_weights

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class HiddenStates(torch.nn.Module):
    """The model with its hidden states as the only output, for the exporter."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, token_type_ids):
        """Token ids, mask and token types, all (batch, tokens), to hidden states (batch, tokens, d)."""
        out = self.model(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        return out.last_hidden_state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--source", type=Path)
    args = parser.parse_args()
    source = args.source or base_weights()
    warnings.filterwarnings("ignore")
    folder = args.out / "onnx"
    folder.mkdir(parents=True, exist_ok=True)
    model = AutoModel.from_pretrained(source, attn_implementation="eager").eval()
    ids = torch.randint(1000, 2000, (2, 9))
    mask = torch.ones_like(ids)
    mask[1, 5:] = 0
    axes = {0: "batch_size", 1: "sequence_length"}
    fp32 = folder / "model.onnx"
    torch.onnx.export(
        HiddenStates(model),
        (ids, mask, torch.zeros_like(ids)),
        str(fp32),
        input_names=list(INPUTS),
        output_names=["last_hidden_state"],
        dynamic_axes=dict.fromkeys((*INPUTS, "last_hidden_state"), axes),
        opset_version=17,
        dynamo=False,
    )
    quantize_dynamic(
        str(fp32),
        str(folder / "model_quantized.onnx"),
        per_channel=True,
        reduce_range=True,
        weight_type=QuantType.QInt8,
    )
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(source / name, args.out / name)


if __name__ == "__main__":
    main()
