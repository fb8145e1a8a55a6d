load_subconfig("course_config.py")  # noqa: F821
