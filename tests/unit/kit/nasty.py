"""Texts that try to leave their literal, or to change on their way."""

from __future__ import annotations

NASTY = [
    "",
    "it's",
    'say "hi"',
    "back\\slash",
    "ends in a backslash\\",
    "two\\\\",
    "\\'",
    "\\\\'",
    "''",
    "'; drop table x; --",
    "\\'; drop table x; --",
    "' or 1 = 1 or '",
    "/* comment */",
    "*/ select 1 /*",
    "-- comment",
    "end;",
    "${spark.app.name}",
    "\\${env:HOME}",
    "$${a}${b}",
    "$\\{a}",
    "{{ 1 + 1 }}{% do x %}",
    "line\nbreak",
    "carriage\r\nreturn",
    "tab\there",
    "%_\\%\\_",
    "\\u0027; drop table x",
    "\\x27\\047",
    "\0null\x1a",
    "`tick`",
    "ünïcödé ☃ \N{MATHEMATICAL SCRIPT CAPITAL X}",
    "line\u2028separator",
    "\u202egnp",
]

# For whole runs, which are slower: all at once, and those that matter at an end.
WORST = [" ".join(NASTY), "'", '"', "\\", "\\'", "${x}", "*/", "--", "`", "\n"]
