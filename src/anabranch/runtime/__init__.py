"""What engines share while they run: inputs, outputs, stages at work, gangs, measurements."""
