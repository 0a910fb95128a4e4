"""Attention maps the slow way: one sentence at a time, by transformers itself, and numpy."""

import numpy as np
import torch
import transformers

SENTENCES = (
    ("the", "films", "was", "good"),
    ("bad",),
    ("a", "very", "dull", "story", ",", "and", "not", "a", "good", "film", "!"),
    ("it", "was", "fine"),
    ("the", "films", "was", "good"),
    ("new", "york", "and", "paris", "left", "london", "for", "ada", "finely", ".", "and", "films"),
)
HEADS = {
    "Bert": "ForPreTraining",
    "Roberta": "ForMaskedLM",
    "GPT2": "LMHeadModel",
    "Llama": "ForCausalLM",
}


class Plain:
    """A checkpoint, run one sentence at a time in eager attention."""

    def __init__(self, folder):
        self.network = transformers.AutoModel.from_pretrained(
            folder, attn_implementation="eager"
        ).eval()
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    def pieces(self, words):
        """Ids and words of a sentence, a word at a time."""
        ids, owners = [], []
        for i, word in enumerate(words):
            found = self.tokenizer(word, add_special_tokens=False)["input_ids"]
            ids += found
            owners += [i] * len(found)
        if self.tokenizer.cls_token_id is not None:
            ids = [self.tokenizer.cls_token_id, *ids, self.tokenizer.sep_token_id]
            owners = [None, *owners, None]
        return tuple(ids), tuple(owners)

    def run(self, ids):
        """Output with attention and hidden states."""
        with torch.no_grad():
            return self.network(
                input_ids=torch.tensor([ids]), output_attentions=True, output_hidden_states=True
            )

    def weights(self, ids):
        """``(layer, head, piece, piece)``."""
        return torch.stack(self.run(ids).attentions)[:, 0].numpy()

    def value_norms(self, ids):
        """``alpha_ij ||W_O^h (W_V^h x_j + b_V)||``, vector by vector."""
        output = self.run(ids)
        found = np.zeros((len(output.attentions), *output.attentions[0].shape[1:]))
        for layer, weights in enumerate(output.attentions):
            state = output.hidden_states[layer][0]
            for head in range(weights.shape[1]):
                for j in range(len(ids)):
                    norm = np.linalg.norm(self.moved(layer, head, state[j]))
                    found[layer, head, :, j] = weights[0, head, :, j].numpy() * norm
        return found

    def moved(self, layer, head, state):
        """What a head of a layer makes of one hidden state, in the space of the residual."""
        kind = type(self.network).__name__
        size = self.network.config.hidden_size // self.network.config.num_attention_heads
        mine = slice(head * size, (head + 1) * size)
        with torch.no_grad():
            if kind.startswith(("Bert", "Roberta")):
                block = self.network.encoder.layer[layer].attention
                value = block.self.value.weight[mine] @ state + block.self.value.bias[mine]
                return (block.output.dense.weight[:, mine] @ value).double().numpy()
            if kind.startswith("GPT2"):
                block = self.network.h[layer]
                width = self.network.config.hidden_size
                matrix, bias = block.attn.c_attn.weight.T[2 * width :], block.attn.c_attn.bias
                value = matrix[mine] @ block.ln_1(state) + bias[2 * width :][mine]
                return (block.attn.c_proj.weight.T[:, mine] @ value).double().numpy()
            block = self.network.layers[layer]
            shared = head // block.self_attn.num_key_value_groups
            own = slice(shared * size, (shared + 1) * size)
            value = block.self_attn.v_proj.weight[own] @ block.input_layernorm(state)
            return (block.self_attn.o_proj.weight[:, mine] @ value).double().numpy()
