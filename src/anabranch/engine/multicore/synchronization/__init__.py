"""Synchronized stages: one state, forked for several workers when that pays.

    service.py      the stage: in one place at first, then shared     plans.py     when that pays
    gangs.py        what is ready to share it, for all stages of a run
    gathering.py    small slices dealt out together

    team.py         threads that meet in native code                  schedule.py  who does what
    job.py          a slice on its way through them
    posted.py       slices for workers that send messages             tagging.py   tags of columns
    gang.py         these workers in threads                          processes.py  in processes
    worker_process.py  what such a process does                    travelling.py   what they send
"""
