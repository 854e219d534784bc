"""Results as people and programs read them: a table, Markdown, JSON, plots.

    figures.py   Figures as texts, the same in every report
    markdown.py  Results as Markdown: a page for each suite
    plots.py     Results as pictures: one PNG for each plot
    readme.py    The summaries in the README and in other documents, kept by the command
    results.py   The results of a suite as JSON: each workload with the machine it was measured on
    table.py     Results in the terminal
"""
