"""What engines share while they run: inputs, outputs, stages, gangs, measurements.

    exits.py        Who ends the process of a run without a word is told of, with the line
    interpreter.py  The interpreter's settings for the time of a run
    machine.py      The machine: a graph whose operators fire tuple after tuple, to completion
    metrics.py      What was measured of each stage and operator: for the user, and as JSON
    options.py      What a run is asked for, and its report
    progress.py     How a run gets on, for whoever wants to be told
    recording.py    A recording of a run: what was read, written and measured, from time to time
    started.py      A stream that runs in the background, and what is known of it meanwhile
    termination.py  A request to end (a signal, a closed terminal) ends what runs cleanly
    ends/           The two ends of a run: sources read in the program's order, sinks written
    gang/           Workers of a synchronization plan: messages in and out, which engines carry
    processes/      Worker processes: how they are forked, what they are told, the memory shared
    stage/          A stage at work on a slice: rows in Python, kernels over columns, by tuple
"""
