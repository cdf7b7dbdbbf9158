"""Fetching an entry from a hub of repositories, at a commit that was pinned.

``RepositorySource`` is the seam: the service asks it twice, once at acceptance to turn a branch or
tag into a full commit hash, and once, perhaps hours later, for the files of that commit.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from iolai.challenge.unpacking import RefusedError, UnpackLimits, checked_entry
from iolai.errors import IolaiError, MissingPartError, why_no_answer

__all__ = ["FetchError", "HubSource", "RepositorySource"]

_COMMIT = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"\w[\w.-]{0,95}/\w[\w.-]{0,95}", re.ASCII)
_REVISION = re.compile(r"\w[\w./-]{0,199}", re.ASCII)
#: Kept by the library beside what it downloads.
_CACHE = ".cache"


class FetchError(IolaiError):
    """The hub could not be reached or did not answer well: a fault of the platform."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="Try again in a while: the hub may be down.")


class RepositorySource(Protocol):
    """Where repositories come from.

    Both raise RefusedError where the repository, or what it holds, is at fault, and FetchError
    where the hub is.
    """

    def resolve(self, repository: str, revision: str) -> str:
        """Return the full commit hash that a branch, a tag or a commit stands for now."""
        ...

    def fetch(self, repository: str, commit: str, target: Path, limits: UnpackLimits) -> Path:
        """Download a commit's files into the new folder ``target``; return the entry's folder."""
        ...


class HubSource:
    """Model repositories of a Hugging Face hub, through ``huggingface_hub``.

    ``endpoint`` and ``token`` are the library's own where they are None: without a token only
    public repositories can be handed in.
    """

    def __init__(self, *, endpoint: str | None = None, token: str | None = None) -> None:
        self._endpoint, self._token = endpoint, token

    def resolve(self, repository: str, revision: str) -> str:
        """Ask the hub; see ``RepositorySource``."""
        return str(self._info(repository, revision).sha)

    def fetch(self, repository: str, commit: str, target: Path, limits: UnpackLimits) -> Path:
        """Download, after a look at what the hub says of its size; see ``RepositorySource``."""
        if _COMMIT.fullmatch(commit) is None:
            raise _refused(f"{commit[:50]!r} is no full commit hash", "Hand it in again.")
        files = self._info(repository, commit).siblings or []
        _check_size(files, limits)
        from huggingface_hub import hf_hub_download

        target.mkdir(mode=0o755)
        for file in files:
            with _named_errors(repository, commit):
                hf_hub_download(
                    repository,
                    file.rfilename,
                    revision=commit,
                    local_dir=target,
                    endpoint=self._endpoint,
                    token=self._token,
                )
        shutil.rmtree(target / _CACHE, ignore_errors=True)
        return checked_entry(target)

    def _info(self, repository: str, revision: str) -> Any:
        if _NAME.fullmatch(repository) is None or _REVISION.fullmatch(revision) is None:
            raise _refused(
                f"{repository[:200]!r} at {revision[:200]!r} names no repository",
                "Write it as owner/name, and a branch, a tag or a commit hash.",
            )
        try:
            from huggingface_hub import HfApi
        except ImportError as error:
            raise MissingPartError(
                "repositories need the library huggingface_hub",
                hint="Run: pip install 'iolai[hf]'",
            ) from error
        api = HfApi(endpoint=self._endpoint, token=self._token)
        with _named_errors(repository, revision):
            info = api.model_info(repository, revision=revision, files_metadata=True, timeout=30)
        if _COMMIT.fullmatch(str(info.sha)) is None:
            raise FetchError(f"the hub named no commit of {repository}")
        return info


@contextmanager
def _named_errors(repository: str, revision: str) -> Iterator[None]:
    """Tell a repository that cannot be had from a hub that cannot."""
    from huggingface_hub.errors import (
        DisabledRepoError,
        EntryNotFoundError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        yield
    except LocalEntryNotFoundError as error:  # what a lost connection becomes
        raise _unfetched(repository, error) from error
    except (RepositoryNotFoundError, DisabledRepoError, HFValidationError) as error:
        raise _refused(
            f"the repository {repository} is not there, or not public",
            "Check its name, make it public until the results are out, and hand it in again.",
        ) from error
    except RevisionNotFoundError as error:
        raise _refused(
            f"{repository} has no revision {revision}", "Name a branch, a tag or a commit."
        ) from error
    except EntryNotFoundError as error:
        raise _refused(
            f"a file of {repository} is gone", "Upload it again and hand the new commit in."
        ) from error
    except Exception as error:  # its HTTP library's own among them, whichever that is
        raise _unfetched(repository, error) from error


def _unfetched(repository: str, error: BaseException) -> FetchError:
    return FetchError(f"{repository} cannot be fetched: {why_no_answer(error, 'the hub')}")


def _refused(what: str, hint: str) -> RefusedError:
    return RefusedError(what, hint=hint)


def _check_size(files: list[Any], limits: UnpackLimits) -> None:
    if len(files) > limits.max_files:
        raise _refused(
            f"the repository holds more than {limits.max_files} files",
            "Leave out what the entry does not need, or pack small files together.",
        )
    if sum(int(file.size or 0) for file in files) > limits.max_bytes:
        raise _refused(
            f"the repository is larger than {limits.max_bytes >> 20} MiB",
            "Leave out what the entry does not need; weights can be quantised.",
        )
