"""Datasets: which there are and what is in them; data files come in and are removed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from fathom.api.depends import OfLibrary
from fathom.api.problems import documented, removes
from fathom.api.receiving import UPLOAD, UploadedFiles, received
from fathom.frozen import FrozenModel
from fathom.sessions.datasets import DescribedDataset, OfferedDataset
from fathom.settings import KB_NAME

router = APIRouter(prefix="/api/datasets", tags=["knowledge"])

DatasetName = Annotated[str, Path(min_length=1, max_length=300, description="Name of the dataset.")]


class OfferedDatasets(FrozenModel):
    """The data that sessions may ask."""

    datasets: tuple[OfferedDataset, ...]
    """What the service was started with, then what was uploaded, by name."""


@router.get("", summary="List datasets", responses=documented())
async def list_datasets(
    library: OfLibrary,
    kb: Annotated[str | None, Query(pattern=KB_NAME, description="Only those of this knowledge base.")] = None,
) -> OfferedDatasets:
    """The datasets that sessions may use, by name."""
    return OfferedDatasets(datasets=tuple(await library.datasets.listed(kb)))


@router.post("", summary="Upload data files", **UPLOAD)
async def upload_data(
    library: OfLibrary,
    request: Request,
    response: Response,
    kb: Annotated[str | None, Query(pattern=KB_NAME, description="The knowledge base that they are for.")] = None,
) -> UploadedFiles:
    """Upload datasets. Sessions use them by the `id` in the answer.

    Each file gets a result of its own: one that cannot be read is refused with the reason, the others are added. A file
    that a session may still need is kept: a new one of the same name gets a number.
    """
    async with received(request, library.delivery("data")) as files:
        told = UploadedFiles(files=tuple(await library.datasets.add(files, kb or "")))
    response.status_code = told.status
    return told


@router.get("/{name}", summary="Look into a dataset", responses=documented(404, 502))
async def get_dataset(name: DatasetName, library: OfLibrary) -> DescribedDataset:
    """The tables, fields and number of records of a dataset; external servers are not asked for these."""
    return await library.datasets.described(name)


@router.delete("/{name}", summary="Remove an uploaded data file", **removes(404, 409))
async def delete_dataset(name: DatasetName, library: OfLibrary) -> None:
    """Delete a dataset, unless a running session uses it. Those the service was started with cannot be deleted."""
    await library.datasets.remove(name)
