"""Writes small SQL dumps in the form of MediaWiki's, of both generations."""

import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path

SCHEMAS = {
    "page": "page_id page_namespace page_title page_is_redirect",
    "pagelinks": "pl_from pl_namespace pl_title",
    "langlinks": "ll_from ll_lang ll_title",
    "linktarget": "lt_id lt_namespace lt_title",
}
OLD = {
    "categorylinks": "cl_from cl_to cl_sortkey cl_type",
    "imagelinks": "il_from il_to",
    "externallinks": "el_id el_from el_to",
}
NEW = {
    "categorylinks": "cl_from cl_sortkey cl_type cl_target_id",
    "imagelinks": "il_from il_target_id",
    "externallinks": "el_id el_from el_to_domain_index el_to_path",
}


def written(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    escaped = str(value).replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def write_table(
    folder: Path, table: str, rows: Iterable[Sequence[object]], new: bool = False, packed: bool = True
) -> Path:
    """Two rows to a line, as dumps have many."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = {**SCHEMAS, **(NEW if new else OLD)}[table].split()
    lines = ["-- MySQL dump", f"DROP TABLE IF EXISTS `{table}`;", f"CREATE TABLE `{table}` ("]
    lines += [f"  `{column}` varbinary(255) NOT NULL," for column in columns]
    lines += [f"  PRIMARY KEY (`{columns[0]}`)", ") ENGINE=InnoDB;", f"LOCK TABLES `{table}` WRITE;"]
    several = list(rows)
    for start in range(0, len(several), 2):
        values = ",".join("(" + ",".join(map(written, row)) + ")" for row in several[start : start + 2])
        lines.append(f"INSERT INTO `{table}` VALUES {values};")
    text = "\n".join([*lines, "UNLOCK TABLES;", ""]).encode()
    path = folder / (f"xxwiki-20240101-{table}.sql" + (".gz" if packed else ""))
    path.write_bytes(gzip.compress(text) if packed else text)
    return path
