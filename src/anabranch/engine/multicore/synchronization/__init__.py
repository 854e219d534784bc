"""Synchronized stages: one state, forked for a gang of workers when that pays.

    service.py      the stage: slices in and out, in order     plans.py     when a gang pays
    gang.py         workers in threads or in processes         tagging.py   tags of whole columns
    travelling.py   their messages as bytes
"""
