"""Sphinx: pages in Markdown, the API from docstrings, a gallery of pictures, learners from the registry."""

import sys
from pathlib import Path

import learnt

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "learnt"
author = "the learnt authors"
copyright = "the learnt authors"
version = release = learnt.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "markdown_docstrings",
    "learner_table",
    "mathml",
]
default_role = "literal"  # `name` in a docstring, as in Markdown
exclude_patterns = ["_build", "_ext", "examples"]
suppress_warnings = [
    "config.cache",  # the gallery's ordering function cannot be pickled
    "ref.python",  # annotations name a Metric, of which there are two: of distances, and of scores
]

myst_enable_extensions = ["dollarmath", "deflist", "fieldlist"]
myst_heading_anchors = 3
html_math_renderer = "mathml"  # drawn by the browser itself, also without a network

autosummary_generate = True
autodoc_default_options = {"members": True, "inherited-members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
python_use_unqualified_type_names = True

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "abort_on_example_error": True,
    "show_memory": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"learnt {release}"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False, "search_bar_text": "Search"}
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
