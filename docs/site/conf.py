"""The site's settings, for Sphinx: ./collscope docs --site FOLDER."""

project = "collscope"
author = "the collscope authors"
copyright = f"2026, {author}"
version = release = "0.1"
extensions = ["myst_parser", "sphinx_copybutton", "sphinx_external_toc"]
external_toc_path = "docs/site/toc.yml"
include_patterns = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/*.md",
    "labs/*/handout.md",
    "platforms/README.md",
    "platforms/data/README.md",
    "results/README.md",
    "results/claims.md",
    "results/*/report.md",
    "results/validation/README.md",
    "results/validation/orfeo_published/report.md",
]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = [
    "myst.header",  # some pages begin with a table of their own levels
    "myst.xref_missing",  # anchors that are elements of HTML
    "misc.highlighting_failure",
]
html_theme = "furo"
html_title = "collscope"
html_copy_source = False
html_show_sourcelink = False
copybutton_prompt_text = "$ "  # what is copied begins behind it
copybutton_only_copy_prompt_lines = True
