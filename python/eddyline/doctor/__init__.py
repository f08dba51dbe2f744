"""The doctor: finds out why eddyline does not work here or on a server, and says what to do."""

from eddyline.doctor.findings import Finding, report_as_json, report_as_text
from eddyline.doctor.installation import examine, examine_server
from eddyline.doctor.packages import show_versions

__all__ = [
    "Finding",
    "examine",
    "examine_server",
    "report_as_json",
    "report_as_text",
    "show_versions",
]
