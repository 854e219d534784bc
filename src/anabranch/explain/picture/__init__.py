"""Pictures of plans: boxes and links, laid out from left to right, as SVG and HTML.

    plans.py               a plan or a synchronization plan -> a scene, with its notes
    frames.py, layout.py   a scene's sizes -> places and ways
    svg.py, html.py        a scene with its places -> text

Depends on plan, ir, analysis.facts and the words of explain; on no library.
"""
