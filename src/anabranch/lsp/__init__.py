"""The language server: what a program's author sees while typing.

    editor <-> server --asking--> analyst --fork--> answers: findings, completion

The server knows the protocol and no program; the analyst knows programs and no protocol. Python is
run statement by statement under a guard, our languages are compiled and mended where they fail.

    analyst.py       The process that looks at programs: nothing that they do reaches the editor
    answers.py       The questions that a server asks about a program, and their answers
    asking.py        The server's end of the analyst: one question at a time, the newest first
    completion.py    What may stand at the cursor: attributes of items, methods of streams, words
    declarations.py  What a text declares: for the outline, and to find where a name comes from
    findings.py      What is found in a program: its problems, and what was proved, in words
    guard.py         What a program may not do while it is typed: write, start processes, connect
    keywords.py      The words of our languages: of their grammars, and of their libraries
    positions.py     Places of a text as the protocol counts them, in the units of the client
    problems.py      What is wrong with a program, and where: our errors as an editor shows them
    recovery.py      Programs in our own languages, with more than one error
    server.py        The language server: what editors ask, answered from the last findings
    statements.py    A Python program run statement by statement, as far as it goes
"""
