"""A local cross-encoder, with a small real ONNX model that adds up the weights of its words."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from backends import Settings
from backends.rerankers.cross_encoder import CrossEncoder
from state.errors import ConfigError

WORDS = {"[PAD]": 0.0, "[UNK]": 0.0, "[SEP]": 0.0, "osmosis": 0.0, "water": 4.0, "tax": -5.0}
CLASSES = {1: np.array([[1.0]]), 2: np.array([[-0.5, 0.5]])}


def write_tokenizer(folder: Path) -> None:
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A [SEP]", pair="$A [SEP] $B:1 [SEP]:1", special_tokens=[("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def write_model(path: Path, classes: int = 1) -> None:
    """Write a model whose logit is the sum of the weights of its unmasked words."""
    weights = np.array([[weight] for weight in WORDS.values()], np.float32)
    parts = {"weights": weights, "heads": CLASSES[classes].astype(np.float32)}
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["each"], axis=0),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
        helper.make_node("Mul", ["each", "column"], ["seen"]),
        helper.make_node("ReduceSum", ["seen", "first"], ["sum"], keepdims=0),
        helper.make_node("MatMul", ["sum", "heads"], ["logits"]),
    ]
    axes = {"last": np.array([2], np.int64), "first": np.array([1], np.int64)}
    tensors = [numpy_helper.from_array(v, k) for k, v in {**parts, **axes}.items()]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])
    graph = helper.make_graph(nodes, "words", inputs, [output], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    path.parent.mkdir(exist_ok=True)
    onnx.save(model, path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "a-cross-encoder"
    home.mkdir()
    write_tokenizer(home)
    write_model(home / "model.onnx")
    return home


def test_each_text_gets_its_logit_in_its_place(folder: Path) -> None:
    reranker = CrossEncoder(folder)
    texts = ["water", "a tax on water and a tax", "nothing", "water water"]
    assert reranker.score("osmosis", texts) == pytest.approx([4.0, -6.0, 0.0, 8.0])
    assert (reranker.scale, reranker.name) == ("logit", "a-cross-encoder")


def test_a_score_does_not_depend_on_what_it_is_batched_with(folder: Path) -> None:
    reranker = CrossEncoder(folder)
    many = [f"water {'word ' * n}" for n in range(20)]
    assert reranker.score("osmosis", many)[7] == reranker.score("osmosis", [many[7]])[0]


def test_two_classes_become_one_logit(folder: Path) -> None:
    write_model(folder / "model.onnx", classes=2)
    assert CrossEncoder(folder).score("osmosis", ["water", "tax"]) == pytest.approx([4.0, -5.0])


def test_the_models_own_folder_for_onnx_files_is_found(folder: Path) -> None:
    (folder / "model.onnx").unlink()
    write_model(folder / "onnx" / "model.onnx")
    assert CrossEncoder(folder).score("osmosis", ["water"]) == pytest.approx([4.0])


def test_a_long_text_and_a_long_question_are_cut_at_the_models_length(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"max_position_embeddings": 8}))
    reranker = CrossEncoder(folder)
    (cut,) = reranker.score("osmosis", ["water " * 50])
    assert cut < 8 * 4
    assert reranker.score("osmosis " * 50, ["water"])


def test_broken_characters_are_read_as_question_marks(folder: Path) -> None:
    assert CrossEncoder(folder).score("os\udcff", ["water \udcff"]) == pytest.approx([4.0])


def test_no_texts_give_no_scores(folder: Path) -> None:
    assert CrossEncoder(folder).score("osmosis", []) == []


def test_a_folder_without_a_model_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="optimum-cli export onnx"):
        CrossEncoder.from_settings(Settings(_env_file=None, cross_encoder=tmp_path))


def test_without_a_folder_there_is_no_cross_encoder() -> None:
    with pytest.raises(ConfigError, match="CRAG_CROSS_ENCODER"):
        CrossEncoder.from_settings(Settings(_env_file=None))
