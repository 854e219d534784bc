"""The first ten minutes: a project, a tutorial and examples, as files of the user.

What is copied stands in `examples` of a checkout, and goes into the wheel with the package.

    examples.py  `anabranch examples`: the programs that come with the package, listed and copied
    files.py     Files that come with the package, copied to where the user works
    init.py      `anabranch init`: a project with a program, data and a test, which work at once
    tutorial.py  `anabranch tutorial`: lessons in a folder, each a program with a task
"""
