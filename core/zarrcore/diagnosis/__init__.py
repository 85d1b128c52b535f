"""Diagnosis of an installation: versions, and findings with their remedies.

Other packages report on themselves through the entry-point group ``zarrscope.diagnoses``: each entry is a `Reporter`, for
instance a module with the functions ``versions`` and ``findings``.
"""

from zarrcore.diagnosis.all_parts import all_findings, all_versions
from zarrcore.diagnosis.finding import Finding, Reporter, State

__all__ = ["Finding", "Reporter", "State", "all_findings", "all_versions"]
