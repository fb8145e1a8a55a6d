"""The grader's side of the worker: start it apart from the machine, load a submission, call its functions."""
