"""How rules were made, as their files say it: lines `@name=value` among the comments, which `tune --check` reads back."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

from collscope.base.errors import UserError
from collscope.base.units import parse_ranks, parse_sizes

MODEL, REAL, SIM = "model", "real", "sim"
SOURCES = {MODEL: "the model", REAL: "measurement", SIM: "simulation"}
HASH = re.compile("[0-9a-f]{12}")


@dataclass(frozen=True)
class Origin:
    """platform, platform_hash: the machine, and the hash of its numbers; chosen_by: model, or real or sim where calls that the model left
    open were measured or simulated; ranks, ranks_per_node, bytes: as the options of `tune` have them, "": not known, or as many ranks on a
    node as it has cores; loss: what a rule may lose against the best, None: not known."""

    platform: str
    platform_hash: str
    chosen_by: str = MODEL
    ranks: str = ""
    ranks_per_node: str = ""
    bytes: str = ""
    loss: float | None = None

    def __str__(self) -> str:
        given = {name: value for name, value in asdict(self).items() if value not in ("", None)}
        return "\n".join(f"@{name}={value}" for name, value in given.items())


def read(path: str, text: str) -> Origin | None:
    """Of a file's text; None: it does not say. UserError: a line that `tune` would not write."""
    found = dict(re.findall(r"^# ?@(\w+)=(.*)$", text, re.MULTILINE))
    if not found:
        return None
    try:
        made = Origin(**{**found, "loss": float(found["loss"]) if "loss" in found else None})
    except (TypeError, ValueError) as error:
        raise UserError(f"{path}: the lines that begin with # @ were changed; tune again") from error
    if made.chosen_by not in SOURCES:
        raise _wrong(path, "chosen_by", made.chosen_by)
    if not HASH.fullmatch(made.platform_hash):
        raise _wrong(path, "platform_hash", made.platform_hash)
    if made.loss is not None and not 0 <= made.loss <= 1:
        raise _wrong(path, "loss", found["loss"])
    readers = {"ranks": parse_ranks, "ranks_per_node": parse_ranks, "bytes": parse_sizes}
    for name, reader in readers.items():
        try:
            if name in found:
                reader(found[name])
        except UserError as error:
            raise _wrong(path, name, found[name]) from error
    return made


def _wrong(path: str, name: str, value: str) -> UserError:
    return UserError(
        f"{path}: @{name}={value[:80]}: not as ./collscope tune writes it; give the option by hand and delete the line"
    )
