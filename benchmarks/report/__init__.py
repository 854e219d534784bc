"""Results as people and programs read them: a table, Markdown, JSON, plots.

    figures     figures as texts, the same in every report
    markdown    a page for each suite
    plots       one PNG for each plot
    readme      the summaries in the README and in other documents
    results     JSON: each workload with the machine it was measured on
    table       the table in the terminal
"""
