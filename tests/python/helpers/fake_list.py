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


def _collective(
    name: str, into: str, out: str, in_place: str, bound: str, root: bool = False, operator: bool = False
) -> dict[str, object]:
    sides = [dict(zip(("who", "amount"), side.split(), strict=True)) for side in (into, out)]
    rounds, sent, times, combined = bound.split()
    unit = {"vector": "vector", "nothing": "none"}.get(sides[0]["amount"], "block")
    return {
        "name": name,
        "mpi": None if name == "rotation" else f"MPI_{name.capitalize()}",
        "has_root": root,
        "has_operator": operator,
        "uneven": name in ("reduce_scatter", "gatherv", "scatterv", "allgatherv"),
        "unit": unit,
        "in": sides[0],
        "out": sides[1],
        "in_place": in_place,
        "bound": {"rounds": rounds, "sent": sent, "times": int(times), "combined": combined},
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
        {
            "key": "decision/ompi_4_1",
            "summary": "Open MPI's",
            "source": "",
            "params": [],
            "collectives": ["bcast", "allgather"],
        }
    ],
    "collectives": [
        _collective("bcast", "root vector", "every vector", "always", "log whole 1 none", root=True),
        _collective("reduce", "every vector", "root vector", "same", "log whole 1 others", root=True, operator=True),
        _collective("scatter", "root blocks", "every block", "out_in", "log others 1 none", root=True),
        _collective("gather", "every block", "root blocks", "in_out", "log others 1 none", root=True),
        _collective("allgather", "every block", "every blocks", "in_out", "log others 1 none"),
        _collective("reduce_scatter", "every vector", "every part", "same", "log others 1 others", operator=True),
        _collective(
            "reduce_scatter_block", "every blocks", "every block", "same", "log others 1 others", operator=True
        ),
        _collective("allreduce", "every vector", "every vector", "same", "log others 2 others", operator=True),
        _collective("rotation", "every block", "every block", "same", "one block 1 none"),
        _collective("barrier", "none nothing", "none nothing", "never", "log none 0 none"),
        _collective("alltoall", "every blocks", "every blocks", "same", "log others 1 none"),
        _collective("allgatherv", "every block", "every blocks", "in_out", "log others 1 none"),
    ],
    "types": [
        {"name": name, "bytes": size}
        for name, size in (("float", 4), ("double", 8), ("int", 4), ("byte", 1), ("long", 8), ("affine", 8))
    ],
    "operators": ["sum", "prod", "max", "min", "affine", "none"],
    "metrics": ["makespan", "osu_avg", "root", "loop"],
}
TEXT = json.dumps(LIST)
