"""The search: nodes a second, and the same answer for any number of threads."""


def test_analysis(timed_layer):
    timed_layer("analysis")
