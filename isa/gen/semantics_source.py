# SPDX-License-Identifier: Apache-2.0
"""The meaning of an instruction as it stands in the .cc: its SEMANTICS and what that calls in the same folder."""
import re

from load import SEMANTICS
from read import read_text

NAME = re.compile(r"(\w+)\s*(?:\(|=|\{)")
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'')
HEADER = re.compile(r'^#include "isa/instructions/(\w+\.h)"', re.MULTILINE)
BETWEEN = re.compile(r"\s*$|namespace |#|//(?!/)|\}")


def definitions(text):
    """Top-level definitions of a .cc with the docstrings before them, as text."""
    chunk, depth = [], 0
    for line in text.split("\n"):
        if not chunk and BETWEEN.match(line):
            continue
        chunk.append(line)
        code = LITERAL.sub("", line).split("//")[0].rstrip()
        depth += code.count("{") + code.count("(") - code.count("}") - code.count(")")
        if depth == 0 and code.endswith(("}", ";")):
            yield "\n".join(chunk)
            chunk = []


class SemanticsFile:
    """Definitions of one .cc and of the headers beside it that it includes, by name, in order."""

    def __init__(self, path):
        self.definitions = {}
        source = read_text(path)
        headers = "".join(read_text(path.with_name(name)) for name in HEADER.findall(source))
        for text in definitions(headers + source):
            name = self.defined_name(text)
            if name:
                # Overloads stand together.
                self.definitions[name] = f"{self.definitions[name]}\n{text}" if name in self.definitions else text

    @staticmethod
    def defined_name(text):
        code = "\n".join(line for line in text.split("\n") if not line.startswith(("///", "template")))
        found = SEMANTICS.match(code)
        if found:
            return found[1]
        found = NAME.search(code)
        return found and found[1]

    def meaning(self, semantics):
        """Source of an instruction: helpers first, in file order, its own SEMANTICS last."""
        wanted, todo = {semantics}, [semantics]
        while todo:
            words = set(re.findall(r"\w+", self.definitions[todo.pop()]))
            for name in self.definitions:
                if name in words and name not in wanted:
                    wanted.add(name)
                    todo.append(name)
        names = [n for n in self.definitions if n in wanted and n != semantics] + [semantics]
        return "\n\n".join(self.definitions[n] for n in names)
