"""How the service stands that `fathom serve` would start: where it listens, whom it lets in, and its page."""

from __future__ import annotations

from importlib.resources import files

from fathom import wiring
from fathom.cli.checks import DoctorCheck
from fathom.errors import FathomError

_PARTS = ("index.html", "app.js", "style.css", "vendor/preact.js")
"""Files without which there is no page."""


async def service_checks(settings: wiring.Settings) -> list[DoctorCheck]:
    """Where the service would listen, the tokens that let somebody in, and the files of the page."""
    try:
        in_force, others = await _tokens(settings)
    except FathomError as error:
        return [DoctorCheck(name="service", status="error", found=str(error)), _page()]
    told = f"{in_force} in force, {others} revoked or expired" if in_force or others else "none"
    tokens = DoctorCheck(name="tokens", status="ok", found=told)
    return [_address(settings, in_force), tokens, _page()]


def _address(settings: wiring.Settings, in_force: int) -> DoctorCheck:
    from fathom.api.listening import place_of
    from fathom.api.security.origins import checked_origins

    try:
        place = place_of(settings.serve_host)
        checked_origins(settings.serve_origins)
    except FathomError as error:
        return DoctorCheck(name="service", status="error", found=str(error), cure="Check serve_host and serve_origins.")
    reach = "this machine only" if place.is_loopback else "other machines too"
    asked = settings.serve_require_token or not place.is_loopback
    found = f"{place.url(settings.serve_port)}, reachable from {reach}, {'' if asked else 'no '}token needed"
    if asked and not in_force:
        cure = "`fathom token create NAME` makes a token; without one, `fathom serve` does not start."
        return DoctorCheck(name="service", status="warning", found=found, cure=cure)
    if place.is_everywhere and not settings.serve_names:
        cure = "It answers to IP addresses only: to use a host name, set serve_names or give --allow-host."
        return DoctorCheck(name="service", status="ok", found=found, cure=cure)
    return DoctorCheck(name="service", status="ok", found=found)


async def _tokens(settings: wiring.Settings) -> tuple[int, int]:
    """How many tokens are in force, and how many are not."""
    from fathom.sessions.tokens import is_in_force

    if not wiring.runs_file(settings).exists():
        return 0, 0
    async with wiring.opened_tokens(settings) as store:
        tokens = await store.all()
    in_force = sum(map(is_in_force, tokens))
    return in_force, len(tokens) - in_force


def _page() -> DoctorCheck:
    folder = files("fathom.page").joinpath("static")
    missing = [part for part in _PARTS if not folder.joinpath(part).is_file()]
    if missing:
        cure = "Install Fathom again: its files are not complete."
        return DoctorCheck(name="page", status="error", found=f"{', '.join(missing)} missing in {folder}", cure=cure)
    return DoctorCheck(name="page", status="ok", found=f"in {folder}")
