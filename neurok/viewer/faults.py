"""Faults: what a page is told when something goes wrong; what is our own fault goes to the log as well."""

from neurok.errors import NeurokError
from neurok.viewer.children import LOG


def describe_fault(fault: Exception, what: str) -> str:
    """One sentence on a fault; what: the thing that failed, as in 'the upload'."""
    if isinstance(fault, NeurokError):
        return str(fault)
    LOG.error("%s failed", what, exc_info=fault)
    return f"{what[:1].upper()}{what[1:]} failed ({type(fault).__name__}); the log of neurok view says where."
