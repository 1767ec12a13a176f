"""A page of a network on which one sets what was seen, and the probabilities of all others move.

The page stands alone: it holds the tables and the junction tree, and passes the messages itself, as
`core/graphical/propagation.hpp` does. Networks too wide for a page show their marginals only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from learnt.errors import InputError
from learnt.graphical import MEMORY, findings_of
from learnt.show.html import Ready, escaped, html_page, paragraph
from learnt.show.words import count_of

if TYPE_CHECKING:
    from learnt.graphical import BayesianNetwork, Findings

MOST_ENTRIES = 300_000  # of the cliques' tables that a page carries through

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1f2933; margin: 1.5rem auto; max-width: 70rem; padding: 0 1rem; }
#nodes { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .8rem; }
.node { border: 1px solid #b4bdc8; border-radius: 6px; padding: .5rem .7rem; background: #f5f7f9; }
.node.seen { border-color: #ef8636; background: #fdf0e6; }
.node h2 { font-size: 1rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
.state { display: grid; grid-template-columns: minmax(0, var(--label)) minmax(2.5rem, 1fr) 3.6rem; gap: .5rem; align-items: center; width: 100%;
  border: 0; background: none; font: inherit; font-size: .88rem; text-align: left; padding: .1rem 0; cursor: pointer; color: inherit; }
.state span { overflow-wrap: anywhere; } .share { white-space: nowrap; }
.state:hover, .state:focus-visible { outline: 1px solid #3b75af; }
.bar { height: .6rem; background: #e1e4e8; } .bar i { display: block; height: 100%; background: #3b75af; }
.seen .bar i { background: #ef8636; } .share { text-align: right; color: #6b7785; }
#said { min-height: 1.5em; } figure { margin: 1.5rem 0; overflow-x: auto; }
"""  # noqa: E501


def network_page(network: BayesianNetwork, evidence: Mapping[str, Any] | None = None, name: str = "") -> str:
    """The page, as text; `evidence` is set when it is opened."""
    if not network.variables:
        raise InputError("The network has no variables yet. Add some.")
    title = f"Network {name}".strip()
    words = f"{count_of(len(network.variables), 'variable')}, {count_of(len(network.edges), 'edge')}."
    body = [f"<h1>{escaped(title)}</h1>", str(paragraph(words)), *(str(paragraph(n.text)) for n in network.notes_)]
    findings = findings_of(network._compiled, evidence)
    if network.width().entries <= MOST_ENTRIES:
        script = files("learnt.report").joinpath("network.js").read_text("utf-8")
        if findings.soft:
            held = [f"{network.variables[v]} {findings.words[network.variables[v]]}" for v in findings.soft]
            body.append(str(paragraph(f"Held throughout, as likelihoods of states: {', '.join(held)}.")))
        body += [
            str(paragraph("Choose a state to say that it was seen, and once more to take it back.")),
            '<p id="said" role="status"></p><div id="nodes"></div>',
            f'<script type="application/json" id="network">{_data(network, findings)}</script>',
            f"<script>{script}</script>",
        ]
        picture = network.draw(bars=False).svg  # its bars would not move
    else:
        picture = network.draw(evidence, bars=network.width().bytes <= MEMORY).svg
        body.append(str(paragraph(f"{network.width()} That is too much for a page: the picture is all it shows.")))
    body.append(f"<figure>{Ready(picture)}</figure>")
    return html_page(title, "\n".join(body), STYLE)


def _data(network: BayesianNetwork, findings: Findings) -> str:
    """Variables, tables and cliques as JSON that no text in it can end early."""
    compiled = network._compiled
    tree = compiled.tree()
    found = {
        "names": list(compiled.names),
        "states": [[str(s) for s in states] for states in compiled.states],
        "scopes": [list(scope) for scope in (*compiled.scopes, *((v,) for v in findings.soft))],
        "tables": [values.ravel().tolist() for values in (*compiled.values, *findings.soft.values())],
        "cliques": [list(members) for members, _ in tree.cliques()],
        "parents": [parent for _, parent in tree.cliques()],
        "seen": findings.codes[0].tolist(),
    }
    return json.dumps(found, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
