"""The site's settings, for Sphinx: ./collscope docs --site FOLDER."""

import re

project = "collscope"
author = "the collscope authors"
copyright = f"2026, {author}"
version = release = "0.1"
extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "README"
include_patterns = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/*.md",
    "labs/*/handout.md",
    "platforms/README.md",
    "python/collscope/tuning/*/README.md",
    "platforms/data/README.md",
    "results/README.md",
    "results/claims.md",
    "results/*/report.md",
    "results/validation/README.md",
    "results/validation/orfeo_published/report.md",
    "results/validation/testbed*/report.md",
]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
myst_links_external_new_tab = False
html_theme = "furo"
html_title = "collscope"
html_copy_source = False
html_show_sourcelink = False
copybutton_prompt_text = "$ "  # what is copied begins behind it
copybutton_only_copy_prompt_lines = True

CONTENTS = {
    "Tutorials": "docs/README docs/install docs/your_own_cluster docs/your_own_algorithm docs/labs "
    "labs/latency/handout labs/broadcast/handout labs/pipelining/handout labs/allgather/handout labs/reduction/handout "
    "labs/nodes/handout labs/calibration/handout labs/decision/handout labs/challenge/handout",
    "How to": "docs/your_own_study docs/explorer docs/tuning docs/preload docs/testbed docs/schedules docs/synthesis",
    "Reference": "docs/commands docs/algorithms docs/decisions docs/machines docs/metrics docs/json docs/priors docs/glossary "
    "platforms/README platforms/data/README python/collscope/tuning/*/README",
    "Explanation": "docs/explain docs/node_model docs/nonblocking docs/validation docs/architecture CONTRIBUTING",
    "Results": "results/README results/claims results/*/report results/validation/README results/validation/*/report",
}


def fit(app, name, source):
    """Pages are written for readers of the tree and know nothing of the site."""
    text = re.sub(r"^(#+ )\[([^]]+)\]\([^)]+\)$", r"\1\2", source[0], flags=re.M)  # a heading that is a link to a file
    text = re.sub(r'^<a id="([\w.-]+)"></a>\s*', r"(\1)=\n", text, flags=re.M)  # anchors that links name
    if name.startswith("labs/"):
        text = re.sub(r"^!\[[^]]*\]\([^)]+\)(\\\\)?$", "", text, flags=re.M)  # pictures that `lab start` makes
    if name == root_doc:
        for caption, pages in CONTENTS.items():
            lines = "\n".join(f"/{page}" for page in pages.split())
            text += f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n{lines}\n```\n"
    source[0] = text


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", fit)
