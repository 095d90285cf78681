"""Make a tiny Llama with random weights, a tokenizer of bytes and a chat template: `python tiny_model.py FOLDER`.

Nothing is fetched. What it says is noise, and that is all that is wanted of it.
"""

from __future__ import annotations

import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

END, BEGIN = "<|end|>", "<|begin|>"
TEMPLATE = (
    "{% for message in messages %}"
    "<|begin|>{{ message.role }}\n{{ message.content }}<|end|>"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|begin|>assistant\n{% endif %}"
)


def tokenizer() -> PreTrainedTokenizerFast:
    """A token for each byte, and two marks."""
    tokens = [END, BEGIN, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    plain = Tokenizer(models.BPE(vocab={token: number for number, token in enumerate(tokens)}, merges=[]))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=plain, bos_token=BEGIN, eos_token=END, pad_token=END)
    fast.chat_template = TEMPLATE
    return fast


def model(vocabulary: int) -> LlamaForCausalLM:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=65_536,
        bos_token_id=1,
        eos_token_id=0,
        pad_token_id=0,
    )
    return LlamaForCausalLM(config)


if __name__ == "__main__":
    words = tokenizer()
    words.save_pretrained(sys.argv[1])
    model(len(words)).save_pretrained(sys.argv[1])
