"""The engine that drives passes over a Dask cluster: workers read their own pieces, only statistics travel.

context.py    `learnt.cluster(client)`: whose workers
engine.py     at the client: the pieces of a source, who has which, and the passes they have seen
round.py      one pass: whom to ask, what to do when one is gone
tasks.py      tasks sent out and waited for, as long as the scheduler is there
session.py    at a worker: the pieces it has, and the passes over them
kept_rows.py  their rows, in memory, on disk, or read again
tree.py       the order in which statistics are added, which hangs on the number of pieces alone
shares.py     which worker gets which pieces
versions.py   whether workers have the learnt that is here
machine.py    the worker that a task finds itself on
words.py      what is told of a worker's errors
payload.py    what is sent
"""
