"""What depends on what: the one table of which numbers, pictures and programs follow from which folders and files.

Everything that is kept is found again by a hash of what it was made from. When a file moves, this table is all that follows; a test
looks whether each place exists and whether a C source belongs to a program that none of these numbers would notice.
"""

from __future__ import annotations

# Compiler flags and which sources make a program.
BUILD = ("CMakeLists.txt", "CMakePresets.json", "cmake")
# What an algorithm does, whoever runs it.
ALGORITHMS = ("algorithms", "core/catalogue", "core/plan")

# Who may go on when: the plans of one rank's operations.
PLANS = tuple(
    f"core/nonblocking/{name}" for name in ("builder.c", "builder.h", "graph.h", "plan.c", "plan.h", "ranges.c")
)

# Numbers, by the source that says them.
SIMULATION = (*ALGORITHMS, "core/schedule", "core/nonblocking", "core/runtime", "driver", "sim", *BUILD)
MEASUREMENT = (*ALGORITHMS, "core/schedule", "core/nonblocking", "core/runtime", "driver", "validate", *BUILD)
MODEL = (*ALGORITHMS, "core/schedule", *PLANS, "model", "prove", *BUILD)
TWINS = (*ALGORITHMS, "core/schedule", "prove/call.c", "prove/call.h", "prove/messages.c", "validate/twins",
         "core/runtime/variables.h")  # fmt: skip

# Pictures and pages, by what draws them: below python/collscope.
STUDY_PAGES = ("studies", "analysis", "figures", "papers", "base/pages.py", "base/templates", "base/units.py", "points/table.py",
               "catalogue/decisions.py", "machines/study_variants.py")  # fmt: skip
_DRAWN = ("figures/style.py", "figures/files.py", "figures/schedule/sheet.py", "figures/schedule/rounds.py", "schedules/trace.py",
          "reference/pictures.py")  # fmt: skip
DOCUMENTED_PICTURES = {
    "graph": (*_DRAWN, "figures/schedule/net.py", "figures/schedule/graph.py", "schedules/rules.py"),
    "table": (*_DRAWN, "figures/schedule/holdings.py", "schedules/holdings.py"),
}

# What a build is made from.
PROGRAMS = ("algorithms", "bench", "cmake", "core", "driver", "model", "platforms", "preload", "prove", "sim", "tests",
            "validate")  # fmt: skip
