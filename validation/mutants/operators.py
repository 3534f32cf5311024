# SPDX-License-Identifier: Apache-2.0
"""Mechanical mutants of one translation unit, found in clang's syntax tree: exact ranges, nothing the compiler alone evaluates."""
import hashlib
import re

from clang.cindex import CursorKind as K
from clang.cindex import TypeKind as T
from mutant import Mutant, expression

RELATIONAL = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|"}
LOGICAL = {"&&": "||", "||": "&&"}
SWAPPED = ("-", "/", "%", "<<", ">>")
COMPOUND = {"+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "<<=": ">>=", ">>=": "<<=", "&=": "|=", "|=": "&=", "^=": "|="}
INTEGER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*)([uUlLzZ]*)")
MACRO = re.compile(r"[A-Z][A-Z0-9_]+\(")
FLOATING = re.compile(r"[\d.][\w.'+-]*")
# Parents under which a literal is an argument of a template or a constant that must be one.
CONSTANT_PARENTS = (K.TYPE_REF, K.TEMPLATE_REF, K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.OVERLOADED_DECL_REF, K.PARM_DECL,
                    K.FIELD_DECL, K.CXX_BASE_SPECIFIER, K.TYPE_ALIAS_DECL, K.TYPE_ALIAS_TEMPLATE_DECL)
CONSTANT_KINDS = (K.STATIC_ASSERT, K.ENUM_CONSTANT_DECL, K.ENUM_DECL, K.CONCEPT_DECL, K.TYPE_ALIAS_DECL,
                  K.TYPE_ALIAS_TEMPLATE_DECL, K.TEMPLATE_NON_TYPE_PARAMETER, K.TEMPLATE_TYPE_PARAMETER)
EFFECTS = (K.CALL_EXPR, K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.UNARY_OPERATOR, K.CONTINUE_STMT)
SCOPES = (K.NAMESPACE, K.TRANSLATION_UNIT, K.LINKAGE_SPEC, K.UNEXPOSED_DECL)
INTEGERS = (T.BOOL, T.CHAR_U, T.UCHAR, T.USHORT, T.UINT, T.ULONG, T.ULONGLONG, T.CHAR_S, T.SCHAR, T.SHORT, T.INT, T.LONG,
            T.LONGLONG, T.INT128, T.UINT128, T.DEPENDENT)
NUMBERS = INTEGERS + (T.FLOAT, T.DOUBLE)


class Operators:
    """Collects the mutants of the files wanted, each file from the first unit that has it."""

    def __init__(self, sources):
        self.sources = sources     # {name: text}, of the files wanted
        self.found = {}            # (file, start, end, pieces) -> Mutant without its final id
        self.done = set()

    def visit_unit(self, unit, name_of):
        """`name_of`: path of a file in clang's tree to its name in `sources`, or None."""
        wanted = {}
        for cursor in unit.cursor.get_children():
            path = cursor.location.file.name if cursor.location.file else None
            if path not in wanted:
                name = name_of(path)
                wanted[path] = name if name in self.sources and name not in self.done else None
            if wanted[path]:
                self.visit(cursor, None, wanted[path], False)
        self.done |= {name for name in wanted.values() if name}

    # -- places ---------------------------------------------------------------

    def range_of(self, cursor, name):
        extent = cursor.extent
        if extent.start.file is None or extent.end.file is None or extent.start.file.name != extent.end.file.name:
            return None
        start, end = extent.start.offset, extent.end.offset
        return (start, end) if start < end <= len(self.sources[name]) else None

    def add(self, name, operator, place, pieces, what):
        start, end = place
        text = self.sources[name]
        key = (name, start, end, operator)
        if key not in self.found:
            line = text.count("\n", 0, start) + 1
            what = " ".join(f"{text[start:end]} -> {what}".split())
            self.found[key] = Mutant("", name, line, operator, False, start, end, pieces, what)

    # -- the walk -------------------------------------------------------------

    def visit(self, cursor, parent, name, constant):
        if cursor.kind in CONSTANT_KINDS:
            return
        place = self.range_of(cursor, name)
        text = self.sources[name][place[0]:place[1]] if place else ""
        children = list(cursor.get_children())
        if cursor.kind == K.VAR_DECL:
            constant = constant or self.is_constant(cursor, parent, text)
        if place and not constant:
            self.mutate(cursor, parent, children, name, place, text)
        for i, child in enumerate(children):
            inner = constant or self.is_of_type(cursor, child, name)
            if cursor.kind == K.CASE_STMT and i == 0 or cursor.kind == K.IF_STMT and i == 0 and re.match(r"if\s+constexpr", text):
                inner = True
            self.visit(child, cursor, name, inner)

    def is_of_type(self, cursor, child, name):
        """An expression of a declared type: an array size, an argument of a template."""
        place = self.range_of(child, name)
        if not place or cursor.kind not in (K.VAR_DECL, K.FIELD_DECL):
            return False
        return place[1] <= cursor.location.offset or self.sources[name][:place[0]].rstrip().endswith("[")

    @staticmethod
    def is_constant(cursor, parent, text):
        """A variable that the compiler computes, or a table of one."""
        if parent is None or parent.kind in SCOPES or re.search(r"\b(constexpr|constinit)\b", text):
            return True
        if not cursor.type.is_const_qualified() or cursor.type.get_canonical().kind not in INTEGERS:
            return False
        return not any(c.kind in (K.DECL_REF_EXPR, K.CALL_EXPR, K.MEMBER_REF_EXPR) for c in cursor.walk_preorder() if c != cursor)

    def mutate(self, cursor, parent, children, name, place, text):
        kind = cursor.kind
        if kind == K.BINARY_OPERATOR and len(children) == 2:
            self.binary(children, name, place)
        elif kind == K.COMPOUND_ASSIGNMENT_OPERATOR and len(children) == 2:
            self.compound(children, name, place)
        elif kind == K.UNARY_OPERATOR and text.startswith("!") and len(children) == 1:
            operand = self.range_of(children[0], name)
            if operand:
                self.add(name, "logical", place, expression(*place, ("bool(", operand, ")")), "without !")
        elif kind in (K.INTEGER_LITERAL, K.FLOATING_LITERAL):
            self.literal(cursor, parent, name, place, text)
        elif kind in (K.IF_STMT, K.WHILE_STMT, K.CONDITIONAL_OPERATOR) and children:
            self.condition(children[0], name, text)
        elif kind == K.COMPOUND_STMT:
            for child in children:
                self.dropped(child, name)

    def operator_between(self, children, name):
        left, right = (self.range_of(c, name) for c in children)
        if not left or not right or left[1] > right[0]:
            return None, left, right
        return self.sources[name][left[1]:right[0]].strip(), left, right

    def binary(self, children, name, place):
        sign, left, right = self.operator_between(children, name)
        kinds = [c.type.get_canonical().kind for c in children]
        for operator, table in (("relational", RELATIONAL), ("logical", LOGICAL), ("arithmetic", ARITHMETIC)):
            if sign not in table or (table is ARITHMETIC and not self.fits(sign, kinds)):
                continue
            other = table[sign]
            if table is ARITHMETIC and other in ("<<", ">>", "|", "&") and not all(k in INTEGERS for k in kinds):
                continue
            self.add(name, operator, place, expression(*place, ("(", left, f") {other} (", right, ")")), other)
        if sign in SWAPPED and all(k in NUMBERS for k in kinds):
            self.add(name, "swapped operands", place, expression(*place, ("(", right, f") {sign} (", left, ")")), "operands swapped")

    @staticmethod
    def fits(sign, kinds):
        # + and - of a pointer and a number both exist; the rest is for numbers.
        return all(k in NUMBERS for k in kinds) or (sign == "+" and kinds[0] == T.POINTER and kinds[1] in INTEGERS)

    def compound(self, children, name, place):
        sign, left, right = self.operator_between(children, name)
        kinds = [c.type.get_canonical().kind for c in children]
        if sign in COMPOUND and (all(k in NUMBERS for k in kinds) or sign in ("+=", "-=")):
            other = COMPOUND[sign]
            self.add(name, "arithmetic", place, expression(*place, ("(", left, f") {other} (", right, ")")), other)

    def literal(self, cursor, parent, name, place, text):
        if self.must_be_constant(parent, self.sources[name][:place[0]]):
            return
        if cursor.kind == K.FLOATING_LITERAL:
            if FLOATING.fullmatch(text):
                self.add(name, "constant", place, expression(*place, f"{text} + 1"), f"{text} + 1")
            return
        found = INTEGER.fullmatch(text)
        if not found:
            return
        value, suffix = int(found[1].replace("'", ""), 0), found[2]
        # Up or down by the place alone; 0 goes up.
        down = value > 0 and hashlib.sha256(f"{name}{place[0]}".encode()).digest()[0] % 2
        other = f"{value - 1 if down else value + 1}{suffix}"
        self.add(name, "constant", place, expression(*place, other), other)

    @staticmethod
    def must_be_constant(parent, before):
        """A literal after the text `before` that is a size, an argument of a template or a null pointer."""
        if parent is None or parent.kind in CONSTANT_PARENTS or parent.type.get_canonical().kind == T.POINTER:
            return True
        last = before.rstrip()[-1:]
        if last == "[":
            return parent.kind not in (K.ARRAY_SUBSCRIPT_EXPR, K.CALL_EXPR)
        return before.endswith("<") or (parent.kind == K.VAR_DECL and last not in "={(")

    def condition(self, cursor, name, text):
        place = self.range_of(cursor, name)
        if not place or cursor.kind in (K.DECL_STMT, K.VAR_DECL) or re.match(r"if\s+constexpr", text):
            return
        if MACRO.match(self.sources[name], place[0]):
            return
        negated = expression(*place, ("!(", place, ")"))
        if cursor.type.get_canonical().kind != T.BOOL:  # pointers and the like have no common type with their negation
            negated = ("(etalonMutant(", None, ") != bool(", place, "))")
        self.add(name, "negated condition", place, negated, "negated")

    def dropped(self, cursor, name):
        place = self.range_of(cursor, name)
        while cursor.kind == K.UNEXPOSED_EXPR:
            inner = list(cursor.get_children())
            if len(inner) != 1:
                return
            cursor = inner[0]
        if not place or cursor.kind not in EFFECTS:
            return
        source = self.sources[name]
        rest = source[place[1]:]
        end = place[1] + len(rest) - len(rest.lstrip())
        if source[end:end + 1] != ";" or not re.match(r"[\w:*+(-]", source[place[0]]):
            return
        place = (place[0], end + 1)
        self.add(name, "dropped statement", place, ("{ if (!etalonMutant(", None, ")) { ", place, " } }"), "nothing")

    # -- ids ------------------------------------------------------------------

    def mutants(self):
        """All of them, in source order. An id is made of file, operator and line, so it survives changes elsewhere."""
        count, result = {}, []
        for mutant in sorted(self.found.values(), key=lambda m: (m.file, m.start, m.end, m.group)):
            text = self.sources[mutant.file]
            line = " ".join(text.split("\n")[mutant.line - 1].split())
            place = (mutant.file, mutant.group, line, mutant.what)
            count[place] = count.get(place, 0) + 1
            digest = hashlib.sha256("\n".join((*place, str(count[place]))).encode()).hexdigest()[:6]
            stem = mutant.file.rsplit("/", 1)[-1].replace(".", "-")
            result.append(Mutant(**{**mutant.__dict__, "id": f"{stem}-{digest}"}))
        return result
