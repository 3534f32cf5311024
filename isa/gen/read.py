# SPDX-License-Identifier: Apache-2.0
"""Reads YAML, JSON and text; whatever is wrong with a file becomes one line that names it and the line. Writes text."""
import json
from collections.abc import Hashable

import jsonschema
import yaml

from encoding import DescriptionError


class UniqueKeyLoader(yaml.SafeLoader):
    """Refuses duplicate keys, which YAML readers otherwise drop silently."""

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            place = f"{self.name}:{key_node.start_mark.line + 1}"
            if not isinstance(key, Hashable):
                raise DescriptionError(f"{place}: a key must be a word or a number, not {key}")
            if key in seen:
                raise DescriptionError(f"{place}: duplicate key '{key}'")
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_text(path):
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DescriptionError(f"{path.name}: cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DescriptionError(f"{path.name}: not UTF-8 text: {error.reason} at byte {error.start}") from error


def read_yaml(path):
    text = read_text(path)
    try:
        loader = UniqueKeyLoader(text)
        loader.name = path.name
        return loader.get_single_data()
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise DescriptionError(f"{path.name}:{line}: YAML does not allow the character {error.character:#x}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = ", ".join(" ".join(t.split()) for t in (error.context, error.problem) if t)
        raise DescriptionError(f"{path.name}:{mark.line + 1}: not YAML: {problem}") from error
    except ValueError as error:  # a scalar that looks like a date and is none
        raise DescriptionError(f"{path.name}: not YAML: {error}") from error


def read_json(path):
    text = read_text(path)
    try:
        return json.loads(text)
    except ValueError as error:
        raise DescriptionError(f"{path.name}: not JSON: {error}") from error


def check_schema(data, schema, path):
    """Refuses data that breaks a JSON Schema, naming the place and, in a list of named entries, the entry."""
    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft7Validator)
    error = jsonschema.exceptions.best_match(validator(schema).iter_errors(data))
    if error is None:
        return
    place = ".".join(str(p) for p in error.absolute_path)
    entry = ""
    if len(error.absolute_path) > 1:
        item = data[error.absolute_path[0]][error.absolute_path[1]]
        if isinstance(item, dict):
            entry = f"{item.get('name', 'unnamed entry')}: "
    raise DescriptionError(" ".join(f"{path.name}: {entry}{place or 'file'}: {error.message}".split()))


def write_if_changed(path, text):
    """Leaves the file's time alone when nothing changed, so that nothing is rebuilt."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
