"""Writes the dataclasses of the model file's keys from the library's JSON Schema, which is made
from the tables that its reader uses: so they are the same keys."""

from __future__ import annotations

import importlib.util
import json
import keyword
import sys
import textwrap
from pathlib import Path
from typing import Any, Dict, List, Tuple

HEAD = '''"""{title}

Written from the library's tables of keys when the package is built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, List, Literal, Mapping, Optional, Sequence, Union

from {places}_description import Function, Law, Matrix, Number, Numbers, Part, Point, Vector

'''

NAMES = {
    "number": "Number",
    "function": "Function",
    "vector": "Vector",
    "point": "Point",
    "name": "str",
    "parameter": "str",
}

# One entry of a section whose entries are all alike.
SINGULAR = {
    "bodies": "Body",
    "markers": "Marker",
    "tables": "TableFile",
    "objectives": "Objective",
    "states": "State",
    "events": "Event",
    "blocks": "Block",
}


def schema_of(library: Path) -> Dict[str, Any]:
    """Asks a built module for the schema."""
    spec = importlib.util.spec_from_file_location("nutate._library", library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.lib.py_add_laws(module.ffi.NULL)
    size = module.lib.nt_model_schema(module.ffi.NULL, 0) + 1
    text = module.ffi.new("char[]", size)
    module.lib.nt_model_schema(text, size)
    return json.loads(module.ffi.string(text))


def camel(name: str) -> str:
    """Turns "rolling_disk" into "RollingDisk"."""
    return "".join(part[:1].upper() + part[1:] for part in name.replace("-", "_").split("_"))


class Writer:
    """The classes of one module, nested ones before those that name them."""

    def __init__(self, definitions: Dict[str, Any]) -> None:
        self.definitions = definitions
        self.known = dict(NAMES)
        self.classes: List[str] = []
        self.names: List[str] = []

    def annotation(self, value: Dict[str, Any], owner: str) -> str:
        """The type of a key's value; groups become classes of their own, named after the owner."""
        if "$ref" in value:
            return self.defined(value["$ref"].rsplit("/", 1)[1])
        if "anyOf" in value:
            kinds = []
            for choice in value["anyOf"]:
                kind = self.annotation(choice, owner)
                if kind not in kinds:
                    kinds.append(kind)
            return kinds[0] if len(kinds) == 1 else f"Union[{', '.join(kinds)}]"
        if "enum" in value:
            return f"Literal[{', '.join(json.dumps(choice) for choice in value['enum'])}]"
        if "const" in value:
            return f"Literal[{json.dumps(value['const'])}]"
        kind = value.get("type")
        if isinstance(kind, list):
            return "Union[float, str, bool]" if "boolean" in kind else "Number"
        if kind == "object":
            return self.mapping(value, owner)
        if kind == "array":
            return self.array(value, owner)
        return {"string": "str", "boolean": "bool", "number": "Number", "integer": "int"}.get(
            str(kind), "Any"
        )

    def defined(self, name: str) -> str:
        """The type of what the schema defines once for all."""
        if name not in self.known:
            self.known[name] = self.annotation(self.definitions[name], camel(name))
        return self.known[name]

    def mapping(self, value: Dict[str, Any], owner: str) -> str:
        if "properties" in value:
            return self.write(owner, value)
        entries = value.get("additionalProperties")
        if isinstance(entries, dict):
            return f"Mapping[str, {self.annotation(entries, owner)}]"
        return "Mapping[str, Any]"

    def array(self, value: Dict[str, Any], owner: str) -> str:
        items = value.get("items")
        if not isinstance(items, dict):
            return "Sequence[Any]"
        kind = self.annotation(items, owner)
        return "Numbers" if kind == "Number" else f"Sequence[{kind}]"

    def write(self, name: str, value: Dict[str, Any]) -> str:
        """Writes the class of a mapping and returns its name in quotes, usable before it is there."""
        while name in self.names:
            name += "_"
        self.names.append(name)
        required = value.get("required", [])
        fixed, fields = "", []
        for key, said in value["properties"].items():
            if "const" in said and isinstance(said["const"], str):
                fixed = f"    _type: ClassVar[Optional[str]] = {json.dumps(said['const'])}\n"
                continue
            kind = self.annotation(said, name + camel(key))
            if key == "law" and fixed.count("python"):
                kind = "Law"
            place = key + "_" if keyword.iskeyword(key) else key
            needed = key in required and "const" not in said
            line = f"{place}: {kind}" if needed else f"{place}: Optional[{kind}] = None"
            fields.append((not needed, line, said.get("description", "")))
        fields.sort(key=lambda field: field[0])
        words = [value.get("description", ""), ""] if value.get("description") else []
        words += [f"{line.split(':')[0]}: {text}" for _, line, text in fields if text]
        self.classes.append(self.text(name, words, fixed, [line for _, line, _ in fields]))
        return f'"{name}"'

    @staticmethod
    def text(name: str, words: List[str], fixed: str, fields: List[str]) -> str:
        lines = [f"@dataclass(kw_only=True)\nclass {name}(Part):"]
        said: List[str] = []
        for word in words:
            word = word.replace("\\", "\\\\").replace('"', "'")
            said += textwrap.wrap(word, 92, subsequent_indent="    ") or [""]
        if said:
            lines.append('    """' + "\n    ".join(said).rstrip() + '\n    """\n')
        body = fixed + "".join(f"    {field}\n" for field in fields)
        lines.append(body or "    pass\n")
        return "\n".join(line.rstrip(" ") for line in "\n".join(lines).split("\n"))

    def module(self, title: str, places: str = ".") -> str:
        names = sorted(self.names)
        listed = ",\n    ".join(json.dumps(name) for name in names)
        return (
            HEAD.format(title=title, places=places)
            + f"__all__ = [\n    {listed},\n]\n\n\n"
            + "\n\n".join(self.classes)
        )


def modules(schema: Dict[str, Any]) -> Dict[str, str]:
    """All files: {"joints.py": text, ...}."""
    files: Dict[str, str] = {}
    definitions = schema["$defs"]
    sections = Writer(definitions)
    fields: List[Tuple[str, str, str]] = []
    typed = []
    for key, value in schema["properties"].items():
        if key == "nutate":
            continue
        entries = value.get("additionalProperties")
        choices = entries.get("anyOf", []) if isinstance(entries, dict) else []
        if choices and all("title" in choice for choice in choices):
            writer = Writer(definitions)
            for choice in choices:
                writer.write(camel(choice["title"]), choice)
            files[f"{key}.py"] = writer.module(f"Entries of the section `{key}`.")
            typed.append(key)
            kind = "Mapping[str, Part]"
        elif isinstance(entries, dict) and key in SINGULAR:
            kind = f"Mapping[str, {sections.annotation(entries, SINGULAR[key])}]"
        else:
            kind = sections.annotation(value, camel(key))
        fields.append((key, kind, value.get("description", "")))
    sections.names.append("File")
    sections.classes.append(
        Writer.text(
            "File",
            ["A whole model file.", ""] + [f"{key}: {text}" for key, _, text in fields],
            "",
            [f"{key}: Optional[{kind}] = None" for key, kind, _ in fields],
        )
    )
    files["keys.py"] = sections.module("The sections of a model file.")
    files["keys.py"] += (
        "\n\n#: modules with the types of a section's entries\nTYPED: List[str] = "
        + repr(typed).replace("'", '"')
        + "\n"
    )
    return files


def write(package: Path) -> None:
    """Writes the modules into a package that holds the built library."""
    (library,) = package.glob("_library*.so")
    for name, text in modules(schema_of(library)).items():
        (package / name).write_text(text)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
