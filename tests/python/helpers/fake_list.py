"""A small registry as the programs print one."""

import json


def _param(name: str, default: int, low: int, high: int, words: list[str] | None = None) -> dict[str, object]:
    return {"name": name, "default": default, "min": low, "max": high, "words": words, "help": f"about {name}"}


def _algorithm(key: str, *params: dict[str, object]) -> dict[str, object]:
    return {
        "key": key,
        "collective": key.partition("/")[0],
        "summary": f"what {key} does",
        "source": "a paper",
        "params": list(params),
        "ports": "one",
        "flags": [],
        "twin": None,
        "has_cost": True,
    }


LIST = {
    "algorithms": [
        _algorithm("bcast/mst", _param("dest", 0, 0, 1, ["first", "end"])),
        _algorithm("bcast/linear"),
        _algorithm("bcast/knomial", _param("k", 4, 2, 64), _param("s", 0, 0, 1 << 30)),
        _algorithm("allgather/bucket"),
        _algorithm("scatter/linear"),
        _algorithm("allreduce/bucket"),
    ],
    "decisions": [
        {"key": "decision/ompi_4_1", "summary": "Open MPI's", "source": "", "collectives": ["bcast", "allgather"]}
    ],
    "collectives": [
        {"name": name, "has_root": rooted, "has_operator": operator}
        for name, rooted, operator in (
            ("bcast", True, False),
            ("reduce", True, True),
            ("scatter", True, False),
            ("gather", True, False),
            ("allgather", False, False),
            ("reduce_scatter", False, True),
            ("reduce_scatter_block", False, True),
            ("allreduce", False, True),
            ("rotation", False, False),
            ("barrier", False, False),
            ("alltoall", False, False),
        )
    ],
}
TEXT = json.dumps(LIST)
