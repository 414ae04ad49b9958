"""The metadata of a data set in the Croissant format: its name, version, files and columns.

Croissant 1.1 (https://docs.mlcommons.org/croissant/) is the JSON-LD that search engines for data
sets and `mlcroissant` read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from gubs_env.games import find_table
from gubs_env.records.data_card import Contents, columns, title_of
from gubs_env.support.files import replace_file

CROISSANT_FILE = "_croissant.json"
"""The metadata in a folder of Parquet files, whose readers skip names that begin with `_`."""
CONTEXT = json.loads(files(__package__).joinpath("croissant_context.json").read_text("utf-8"))
"""The `@context` of the format, in which all its terms are declared."""
SPECIFICATION = "http://mlcommons.org/croissant/1.1"
LICENCE = "https://spdx.org/licenses/MIT"
HASH_DIGITS = 12
"""Digits of the SHA-256 in a version."""


class Version(NamedTuple):
    """The name and the version of a data set, which a paper can cite."""

    name: str
    """The table and the agents, as `gubs_v0_2-policy`."""
    version: str
    """`1.0.0+` and the first digits of the SHA-256 of the checksums of all files, in order."""
    checksums: Mapping[str, str]
    """The SHA-256 of each Parquet file, by its name."""


def version_of(meta: Mapping[str, Any], contents: Contents, paths: Sequence[Path]) -> Version:
    """Return the name and the version of some Parquet files.

    Args:
        meta: the metadata of the first file.
        contents: the games.
        paths: the files in order.

    Raises:
        OSError: for a file that cannot be read.
    """
    table = find_table(meta["game"], meta["num_players"], meta["rules"])
    name = re.sub(r"[^\w.-]+", "-", "-".join([table.name, *sorted(contents.seats)]))
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    digest = hashlib.sha256("".join(sums.values()).encode()).hexdigest()
    return Version(name, f"1.0.0+{digest[:HASH_DIGITS]}", sums)


def write_croissant(
    folder: Path, version: Version, meta: Mapping[str, Any], contents: Contents, schema: Any
) -> None:
    """Write the metadata of a folder of Parquet files.

    Args:
        folder: the folder.
        version: the name, the version and the checksums.
        meta: the metadata of the first file.
        contents: the games.
        schema: the columns, as a schema of pyarrow.

    Raises:
        OSError: if it cannot be written.
    """
    meanings = columns(meta)
    agents = ", ".join(sorted(contents.seats))
    found = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": version.name,
        "version": version.version,
        "description": f"{contents.games:,} games of {title_of(meta)}, by {agents}, with "
        f"{contents.decisions:,} decisions: one row for each.",
        "conformsTo": SPECIFICATION,
        "license": LICENCE,
        "distribution": [
            *(_file(name, checksum) for name, checksum in version.checksums.items()),
            {
                "@type": "cr:FileSet",
                "@id": "decisions-files",
                "containedIn": [{"@id": name} for name in version.checksums],
                "encodingFormat": "application/x-parquet",
                "includes": "games-*.parquet",
            },
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "decisions",
                "name": "decisions",
                "field": [_field(column, meanings[column.name]) for column in schema],
            }
        ],
    }
    replace_file(folder / CROISSANT_FILE, json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def _file(name: str, checksum: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": "application/x-parquet",
        "sha256": checksum,
    }


def _field(column: Any, meaning: str) -> dict[str, Any]:
    """Return the description of a column of pyarrow."""
    import pyarrow.types as kinds

    kind, shape = column.type, {}
    if kinds.is_list(kind) or kinds.is_fixed_size_list(kind):
        length = kind.list_size if kinds.is_fixed_size_list(kind) else -1
        kind, shape = kind.value_type, {"cr:isArray": True, "cr:arrayShape": str(length)}
    is_text = kinds.is_string(kind)
    number = "sc:Float" if kinds.is_floating(kind) else "sc:Integer"
    return {
        "@type": "cr:Field",
        "@id": f"decisions/{column.name}",
        "name": column.name,
        "description": meaning,
        "dataType": "sc:Text" if is_text else number,
        **shape,
        "source": {
            "fileSet": {"@id": "decisions-files"},
            "extract": {"column": column.name},
        },
    }
