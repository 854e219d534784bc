"""Pictures of plans: boxes and links, laid out from left to right, as SVG and HTML.

    plan --plans--> scene --frames, layout--> places and ways --svg, html--> text

Depends on plan, ir, analysis.facts and the words of explain; on no library.

    columns.py  Columns: every node is to the right of all that lead to it, with few crossings
    fold.py     A layout that is wider than there is room, in rows as text has lines
    frames.py   Frames around some of the nodes, with nothing else between these
    html.py     A plan as an HTML page: drawn before and after the rewrites, with all reasons
    layout.py   A graph from left to right: columns, an order in each, ways around other nodes
    listing.py  The text of a program beside its drawing
    markup.py   Elements of SVG and HTML, and self-contained pages of them
    plans.py    A plan as a scene: operators in boxes, regions in frames, joints on the links
    scene.py    What a picture shows, before it has places: boxes of text, links, and frames
    shapes.py   What a layout is made of: nodes with a size, links, and where all that ends up
    style.py    Sizes and colours, and how wide a text will be; texts cut or broken to fit
    svg.py      A scene as SVG: laid out, and drawn as one self-contained text without any script
"""
