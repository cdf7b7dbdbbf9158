"""Hugging Face transformers: folders of weights, AWQ and bitsandbytes among them, and GGUF files.

The trap that is closed here: a model's ``generation_config.json`` applies in silence wherever a
call leaves a setting out, and its ``repetition_penalty`` even to greedy decoding. The model's own
file is therefore replaced whole by one that says nothing but where an answer ends, every setting is
sent, and those in effect are read back from what transformers made of both.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from iolai.errors import InputError, MissingPartError
from iolai.solvers.llm.backends.base import one_by_one, require_equal
from iolai.solvers.llm.backends.files import model_path
from iolai.solvers.llm.config import LlmConfig
from iolai.solvers.llm.options import Option, checked
from iolai.solvers.llm.request import (
    BackendError,
    Completion,
    Decoding,
    Failed,
    Finish,
    Request,
    Scores,
    SettingError,
)

__all__ = ["TransformersBackend", "open_transformers", "transformers_options"]

_OPTIONS = {
    "device": Option("auto"),
    "dtype": Option("auto", names=("auto", "float16", "bfloat16", "float32")),
    "quantisation": Option("none", names=("none", "awq", "bitsandbytes-4bit", "bitsandbytes-8bit")),
    "from_hub": Option(False),
    "n_threads": Option(0, 0, 1024),
}


def open_transformers(config: LlmConfig) -> TransformersBackend:
    """Load a model and its tokenizer from a folder, a GGUF file or, with ``from_hub``, the hub.

    Options: ``device`` (auto: a GPU where there is one), ``dtype`` (auto: float16 on a GPU, else
    float32), ``quantisation`` (none, awq, bitsandbytes-4bit, bitsandbytes-8bit), ``from_hub`` (a
    name on the hub may be downloaded), ``n_threads`` (0: as torch wants).

    Raises MissingPartError without torch and transformers, InputError where nothing can be loaded.
    """
    options = transformers_options(config)
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingPartError(
            f"{error.name} is not installed",
            hint="Install it: pip install torch transformers accelerate gguf",
        ) from error
    if options["n_threads"]:
        torch.set_num_threads(options["n_threads"])
    if options["device"] == "auto":
        options["device"] = "cuda" if torch.cuda.is_available() else "cpu"
    if options["dtype"] == "auto":
        options["dtype"] = "float16" if options["device"].startswith("cuda") else "float32"
    place, more = _place(config.model, from_hub=options["from_hub"])
    try:
        stored = transformers.AutoConfig.from_pretrained(place, **more)
        _require_quantised(stored, options["quantisation"])
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, **more)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            place, **more, **_loading(options, torch, transformers)
        )
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        raise InputError(
            f"{config.model} cannot be loaded by transformers: {error}",
            hint="Check the folder, the options of the configuration, and that the library for "
            "its quantisation (autoawq, bitsandbytes, gguf) is installed.",
        ) from error
    if options["quantisation"] == "none":
        model.to(options["device"])
    return TransformersBackend(model.eval(), tokenizer, config.model, options)


def transformers_options(config: LlmConfig) -> dict[str, Any]:
    """Return the value of every option; raises InputError where one is none."""
    return checked("[options] of the backend transformers", config.options, _OPTIONS)


def _place(model: str, *, from_hub: bool) -> tuple[str, dict[str, Any]]:
    """Return what to load from, and the arguments that say which file and whether to download."""
    if from_hub and not Path(model).exists():
        return model, {}
    path = model_path(model)
    if path.suffix == ".gguf":
        return str(path.parent), {"gguf_file": path.name, "local_files_only": True}
    return str(path), {"local_files_only": True}


def _loading(options: Mapping[str, Any], torch: Any, transformers: Any) -> dict[str, Any]:
    dtype = getattr(torch, options["dtype"])
    arguments: dict[str, Any] = {"torch_dtype": dtype}
    if options["quantisation"] != "none":
        arguments["device_map"] = {"": options["device"]}
    if options["quantisation"] == "bitsandbytes-4bit":
        arguments["quantization_config"] = transformers.BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_compute_dtype=dtype,
            bnb_4bit_use_double_quant=True,
        )
    elif options["quantisation"] == "bitsandbytes-8bit":
        arguments["quantization_config"] = transformers.BitsAndBytesConfig(load_in_8bit=True)
    return arguments


def _require_quantised(stored: Any, asked: str) -> None:
    """Raise InputError where the files are quantised otherwise than asked.

    AWQ is how weights are stored, so only the files can say it; bitsandbytes makes them smaller
    while they are loaded. ``stored`` is the model's configuration.
    """
    found = getattr(stored, "quantization_config", None) or {}
    as_dict = found if isinstance(found, dict) else found.to_dict()
    method = str(getattr(as_dict.get("quant_method"), "value", as_dict.get("quant_method", "none")))
    if method in ("none", "gguf") and asked != "awq":
        return
    if asked.split("-")[0] != method:
        raise InputError(
            f"the model's quantisation is {method}, and the configuration says {asked}",
            hint="Set quantisation in [options] to what the files are.",
        )


class TransformersBackend:
    """One model, one request at a time."""

    concurrency = 1

    def __init__(self, model: Any, tokenizer: Any, name: str, options: Mapping[str, Any]) -> None:
        from transformers import GenerationConfig

        self._model = model
        self._tokenizer = tokenizer
        self._name = name
        self._options = dict(options)
        own = model.generation_config
        ends = own.eos_token_id if own.eos_token_id is not None else tokenizer.eos_token_id
        self._ends = list(ends) if isinstance(ends, list | tuple) else [ends]
        pad = tokenizer.pad_token_id
        self._tokens = {
            "eos_token_id": self._ends,
            "pad_token_id": pad if pad is not None else self._ends[0],
            "bos_token_id": tokenizer.bos_token_id,
        }
        model.generation_config = GenerationConfig(**self._tokens)

    def describe(self) -> Mapping[str, object]:
        """Return the libraries' versions, the model, and the options in effect."""
        from importlib.metadata import version

        return {
            "backend": "transformers",
            "library": f"transformers {version('transformers')}, torch {version('torch')}",
            "model": self._name,
            "n_parameters": self._model.num_parameters(),
            **self._options,
        }

    def count_tokens(self, text: str) -> int:
        """Return how many tokens a text is."""
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def generate(self, request: Request) -> Completion:
        """Answer one request; the deadline is looked at after every token."""
        import torch

        start = time.monotonic()
        if start >= request.deadline:
            raise BackendError("there is no time left", hint="Give the problem more time.")
        if request.grammar:
            raise SettingError(
                "the backend transformers takes no grammar", hint="Use the backend llama for that."
            )
        prompt = self._encoded(request)
        wanted = self._generation_config(request)
        settings = self._in_effect(wanted)
        require_equal(request.decoding, settings, "transformers")
        torch.manual_seed(request.seed % 2**63)
        try:
            with torch.inference_mode():
                output = self._model.generate(
                    **prompt, generation_config=wanted, stopping_criteria=_deadline(request)
                )
        except (RuntimeError, ValueError) as error:  # out of memory among them
            raise BackendError(
                f"transformers failed: {error}", hint="A shorter prompt needs less memory."
            ) from error
        n_prompt = prompt["input_ids"].shape[1]
        new = output[0, n_prompt:].tolist()
        return Completion(
            text=_until(self._text(new), request.stop),
            finish=self._finish(new, request),
            n_prompt_tokens=n_prompt,
            n_tokens=len(new),
            seconds=time.monotonic() - start,
            settings=settings,
        )

    def argmax_text(self, request: Request) -> str:
        """Decode by hand, without ``generate``: the likeliest token, again and again.

        Slow; it is what greedy decoding is compared with (``make gpu-check``, tests).
        """
        import torch

        ids = self._encoded(request)["input_ids"]
        new: list[int] = []
        with torch.inference_mode():
            while len(new) < request.max_tokens and not set(new) & set(self._ends):
                new.append(int(self._model(ids).logits[0, -1].argmax()))
                ids = torch.cat([ids, ids.new_tensor([[new[-1]]])], dim=1)
        return self._text(new)

    def _text(self, tokens: Sequence[int]) -> str:
        # Older versions take blanks out of what was written unless told otherwise.
        text: str = self._tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text

    def generate_all(self, requests: Sequence[Request]) -> list[Completion | Failed]:
        """Answer requests one after another."""
        return one_by_one(self.generate, requests)

    def score(self, request: Request, choices: Sequence[str]) -> Scores | Failed:
        """Return the log-probability of each choice, all its tokens together, as what comes next.

        A choice may stand with a blank before it or without one: both count. The prompt is read
        once for all choices of one token, as letters are, and once more for every longer one.
        """
        if time.monotonic() >= request.deadline:
            return Scores(None)
        try:
            return self._scores(self._encoded(request)["input_ids"], request.deadline, choices)
        except (RuntimeError, ValueError) as error:  # out of memory among them
            reason = f"transformers failed: {error}"
            return Failed(BackendError(reason, hint="A shorter prompt needs less memory."))

    def _scores(self, prompt: Any, deadline: float, choices: Sequence[str]) -> Scores:
        import torch

        ways = [self._tokens_of(text) for choice in choices for text in (choice, f" {choice}")]
        first, n_read, found = self._next_tokens(prompt, [])[0], 1, []
        for way in ways:
            if time.monotonic() >= deadline or not way:
                return Scores(None, n_read * prompt.shape[1])
            rows = [first]
            if len(way) > 1:
                rows, n_read = self._next_tokens(prompt, way[:-1]), n_read + 1
            found.append(sum(float(row[token]) for row, token in zip(rows, way, strict=True)))
        values = torch.logsumexp(torch.tensor(found).reshape(-1, 2), 1).tolist()
        return Scores(values, n_read * prompt.shape[1])

    def _tokens_of(self, text: str) -> list[int]:
        found: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return found

    def _next_tokens(self, prompt: Any, new: Sequence[int]) -> Any:
        """Return log-probabilities (1 + n new, vocabulary): what follows the prompt and each."""
        import torch

        with torch.inference_mode():
            ids = torch.cat([prompt, prompt.new_tensor([list(new)])], dim=1) if new else prompt
            logits = self._model(ids).logits[0, prompt.shape[1] - 1 :]
        return torch.log_softmax(logits.float(), dim=-1)

    def _encoded(self, request: Request) -> Any:
        messages = [{"role": m.role, "content": m.text} for m in request.messages]
        if getattr(self._tokenizer, "chat_template", None):
            text = self._tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True
            )
            tokens = self._tokenizer(text, add_special_tokens=False, return_tensors="pt")
        else:  # a model without a chat template goes on from the plain text
            tokens = self._tokenizer(request.text + "\n\n", return_tensors="pt")
        return {name: tokens[name].to(self._model.device) for name in _INPUTS if name in tokens}

    def _generation_config(self, request: Request) -> Any:
        from transformers import GenerationConfig

        settings = request.decoding
        if settings.presence_penalty or settings.frequency_penalty:
            raise SettingError(
                "transformers has no presence_penalty and no frequency_penalty",
                hint="Set both to 0 in the configuration.",
            )
        sampling = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "top_k": int(settings.top_k),
            "min_p": settings.min_p or None,
        }
        return GenerationConfig(
            **self._tokens,
            do_sample=not settings.is_greedy,
            **({} if settings.is_greedy else sampling),
            repetition_penalty=settings.repetition_penalty,
            no_repeat_ngram_size=0,
            num_beams=1,
            max_new_tokens=request.max_tokens,
            max_time=_seconds_left(request),
        )

    def _in_effect(self, wanted: Any) -> dict[str, float]:
        """Return the settings that ``generate`` will use, after its own merging with defaults."""
        prepared, *_ = self._model._prepare_generation_config(wanted)
        return settings_of(prepared)

    def _finish(self, new: Sequence[int], request: Request) -> Finish:
        if new and new[-1] in self._ends:
            return "stop"
        if time.monotonic() >= request.deadline:
            return "deadline"
        return "length" if len(new) >= request.max_tokens else "stop"

    def close(self) -> None:
        """Free the model."""
        self._model = None


_INPUTS = ("input_ids", "attention_mask")


def settings_of(config: Any) -> dict[str, float]:
    """Return the settings of a GenerationConfig by our names.

    Without sampling, temperature and the cuts have no part in decoding, whatever their values.
    """
    neutral = Decoding().as_dict()
    settings = {
        "temperature": config.temperature if config.do_sample else 0.0,
        "top_p": config.top_p if config.do_sample else None,
        "top_k": config.top_k if config.do_sample else None,
        "min_p": getattr(config, "min_p", None) if config.do_sample else None,
        "repetition_penalty": config.repetition_penalty,
        "presence_penalty": None,
        "frequency_penalty": None,
    }
    return {
        name: float(neutral[name] if value is None else value) for name, value in settings.items()
    }


def _seconds_left(request: Request) -> float | None:
    left = request.deadline - time.monotonic()
    return None if left == float("inf") else max(0.001, left)


def _deadline(request: Request) -> Any:
    """Return criteria that stop ``generate`` when the deadline is over.

    ``max_time`` does the same from when decoding begins; this one also counts what came before.
    """
    import torch
    from transformers import StoppingCriteria, StoppingCriteriaList

    class _Deadline(StoppingCriteria):  # type: ignore[misc]
        def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
            is_over = time.monotonic() >= request.deadline
            return torch.full((input_ids.shape[0],), is_over, device=input_ids.device)

    return StoppingCriteriaList([_Deadline()])


def _until(text: str, stops: Sequence[str]) -> str:
    """Cut a text where the first of the stops begins."""
    ends = [place for place in (text.find(stop) for stop in stops) if place >= 0]
    return text[: min(ends)] if ends else text
