"""Sphinx: ``sphinx-build -W docs build/docs`` writes the site; it reads nothing from the network."""

import sys
from pathlib import Path

# The checkout beside this file is what is described, not another installation.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import wts_fast

project = "wts_fast"
author = "the wts_fast developers"
project_copyright = "2026, the wts_fast developers"
release = version = wts_fast.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["build", "**.ipynb_checkpoints"]
root_doc = "index"

myst_enable_extensions = ["colon_fence", "attrs_inline"]
myst_heading_anchors = 4
# The notebook is run by tests/test_docs.py, which compares what it prints; here it is shown as it is.
nb_execution_mode = "off"

# Docstrings name other things in single backticks; a name that is none of ours stays plain.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "furo"
html_title = f"wts_fast {release}"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": []}


def setup(app):
    """Let the examples of RULES.md, which tests read by their language `example`, be shown as plain text."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("example", TextLexer)
