"""The settings of the service: where it listens, whom it lets in, and how much it takes on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from fathom.frozen import Described
from fathom.settings.flags import Flag
from fathom.settings.web import Hosts, Names


class ServiceSettings(Described, BaseSettings):
    """One field per setting; the sentence under it is its row in the docs."""

    model_config = SettingsConfigDict(defer_build=True)

    serve_host: Annotated[
        str,
        Flag(
            "service",
            "ADDRESS",
            name="host",
            told="Address to listen on; any but this machine's own needs a token.",
        ),
    ] = "127.0.0.1"
    """Address that the service listens on. Any but this machine's own (`127.0.0.1`, `::1`) needs a token to be let in.
    """

    serve_port: Annotated[int, Flag("service", "N", name="port", told="Port to listen on; 0 takes a free one.")] = (
        Field(default=8000, ge=0, le=65_535)
    )
    """Port that the service listens on; 0 takes one that is free."""

    serve_names: Annotated[
        Hosts,
        Flag(
            "service",
            "NAME",
            name="allow-host",
            told="Another name that the service goes by; may be given several times.",
            is_repeated=True,
        ),
    ] = ()
    """Names under which the service may be asked besides its address, such as the name of a proxy before it."""

    serve_origins: Annotated[
        Names,
        Flag(
            "service",
            "URL",
            name="origin",
            told="Another page that may use the API; may be given several times.",
            is_repeated=True,
        ),
    ] = ()
    """Origins of other pages that may use the API from a browser, such as `https://tools.example.org`. The default is
    none."""

    serve_require_token: Annotated[
        bool,
        Flag("service", name="require-token", told="Let nobody in without a token, here neither."),
    ] = False
    """Whether a token is needed on this machine's own address too."""

    serve_sessions: Annotated[
        int, Flag("service", "N", name="sessions", told="Sessions that are under way at once.")
    ] = Field(default=8, ge=1, le=1_000)
    """Sessions that are under way at once; further ones wait."""

    serve_models: Names = ()
    """Models that a session may ask for in place of `model`, as `provider:model`. They are asked by the same key and
    address."""

    serve_rate: int = Field(default=600, ge=1)
    """Requests that one client may make in a minute."""

    serve_new_sessions: int = Field(default=30, ge=1)
    """Sessions and estimates that one client may ask for in a minute."""

    serve_viewers: int = Field(default=50, ge=1)
    """Streams of events that one client may hold open at once."""

    serve_upload_mb: int = Field(default=50, ge=1, le=10_000)
    """Megabytes that one uploaded file may have."""

    serve_uploads_mb: int = Field(default=5_000, ge=1)
    """Megabytes that all uploaded files together may take."""

    serve_log: Annotated[
        Literal["text", "json"],
        Flag("service", "text|json", name="log", told="How the log is written. [text]"),
    ] = "text"
    """How the service writes its log: lines for people, or a JSON object per line."""
