#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Shorthand of the description: what it stands for, and what is refused in it."""
import unittest

from description_tree import DescriptionTree
from encoding import DescriptionError
from families import expand_operations, expand_types, expand_variants
from load import load

ADD = {"name": "add", "code": 5, "arity": 2, "classes": ["float", "int"], "result": "same", "forms": ["vv", "vx", "step"],
       "summary": "a + b", "examples": {"vv": [{"asm": "et.add tr0, tr1, tr2"}], "vx": [{"asm": "et.add.x tr0, tr1, x1"}]}}
PROFILE_OF = {"f16": "Et-f16", "f8e4m3": "Et-fp8", "f8e5m2": "Et-fp8", "e8m0": "Et-mx"}


class FamiliesTest(unittest.TestCase):
    def test_an_operation_stands_for_a_tile_and_a_scalar_form(self):
        tiles, scalar = expand_operations([ADD], "here")
        self.assertEqual((tiles["name"], tiles["encoding"], tiles["syntax"]),
                         ("et.add", "0000101 tb ta 000 td 1011011", "td, ta, tb"))
        self.assertEqual((scalar["name"], scalar["encoding"], scalar["syntax"]),
                         ("et.add.x", "0000101 rs2 ta 001 td 1011011", "td, ta, rs2"))
        self.assertEqual(tiles["types"], [{"td": c, "ta": c, "tb": c} for c in ("@float", "@int")])

    def test_a_unary_operation_has_no_second_tile(self):
        unary, = expand_operations([ADD | {"arity": 1, "forms": ["vv"]}], "here")
        self.assertEqual((unary["encoding"], unary["syntax"]), ("0000101 00000 ta 000 td 1011011", "td, ta"))

    def test_a_comparison_writes_masks(self):
        mask, = expand_operations([ADD | {"result": "mask", "classes": ["int"], "forms": ["vx"]}], "here")
        self.assertEqual(mask["types"], [{"td": ["u8", "u32"], "ta": "@int"}])

    def test_a_chain_step_alone_is_no_instruction(self):
        self.assertEqual(list(expand_operations([ADD | {"forms": ["step"]}], "here")), [])

    def test_an_operation_may_need_a_profile_of_its_own(self):
        self.assertEqual([i.get("profile") for i in expand_operations([ADD | {"profile": "Et-fast"}], "here")], ["Et-fast"] * 2)
        self.assertEqual([i.get("profile") for i in expand_operations([ADD], "here")], [None] * 2)

    def test_a_form_without_example_is_refused(self):
        with self.assertRaisesRegex(DescriptionError, "here: operation 'add' has form vx but no example"):
            list(expand_operations([ADD | {"examples": {"vv": ADD["examples"]["vv"]}}], "here"))

    def test_a_row_is_split_by_the_profiles_its_types_need(self):
        rows = list(expand_types([{"td": "@float", "ta": "f16"}], PROFILE_OF))
        self.assertEqual([(r["profile"], r["td"]) for r in rows],
                         [("Et-f16", ["f32", "bf16", "f16"]), ("Et-f16 Et-fp8", ["f32", "bf16", "f16", "f8e4m3", "f8e5m2"])])
        self.assertEqual(list(expand_types([{"td": ["i8", "f16"]}], PROFILE_OF)),
                         [{"td": ["i8"], "profile": "Et-base"}, {"td": ["i8", "f16"], "profile": "Et-f16"}])

    def test_a_row_of_other_types_is_of_the_base_profile(self):
        self.assertEqual(list(expand_types([{"td": "@int"}], PROFILE_OF)), [{"td": ["i8", "i16", "i32"], "profile": "Et-base"}])

    def test_a_row_needs_what_it_names_and_what_its_instruction_needs_too(self):
        rows = list(expand_types([{"td": ["f32", "f16"], "profile": "Et-f32mm"}], PROFILE_OF, "Et-sort"))
        self.assertEqual([(r["profile"], r["td"]) for r in rows],
                         [("Et-sort Et-f32mm", ["f32"]), ("Et-sort Et-f32mm Et-f16", ["f32", "f16"])])
        rows = list(expand_types([{"td": "f16", "profile": ["Et-f16", "Et-base"]}], PROFILE_OF, "Et-f16"))
        self.assertEqual(rows, [{"td": ["f16"], "profile": "Et-f16"}])

    def test_each_takes_classes_and_types(self):
        rows = list(expand_types([{"each": ["@uint", "e8m0"], "td": "each", "ta": "each"}], PROFILE_OF))
        self.assertEqual(rows, [{"td": [t], "ta": [t], "profile": "Et-base"} for t in ("u8", "u16", "u32")]
                         + [{"td": ["e8m0"], "ta": ["e8m0"], "profile": "Et-mx"}])

    def test_variants_fill_the_code_and_share_the_rest(self):
        entry = {"encoding": "{code} 00000 ta 000 td 1011011", "syntax": "td, ta",
                 "variants": [{"name": "et.a", "code": "0000001", "summary": "a", "examples": []},
                              {"name": "et.b", "code": "0000010", "summary": "b", "examples": []}]}
        a, b = expand_variants([entry])
        self.assertEqual((a["name"], a["encoding"], a["syntax"]), ("et.a", "0000001 00000 ta 000 td 1011011", "td, ta"))
        self.assertEqual((b["summary"], b["encoding"]), ("b", "0000010 00000 ta 000 td 1011011"))
        self.assertNotIn("code", a)

    def test_an_unknown_class_is_refused(self):
        with DescriptionTree() as tree:
            tree.replace("isa/instructions/tiny.yaml", "tb: i8}", 'tb: "@real"}')
            with self.assertRaisesRegex(DescriptionError, "et.one: unknown element type '@real' for tb"):
                load(tree.root)

    def test_a_variant_whose_code_has_another_width_is_refused(self):
        with DescriptionTree() as tree:
            tree.replace("isa/instructions/tiny.yaml", 'name: et.two\n    encoding: "imm[11:0] rs1 001 rd 0001011"\n    syntax: "rd, imm(rs1)"\n'
                         '    summary: "rd = two"\n    examples:\n      - {asm: "et.two x1, 2(x3)", out: {}}',
                         'encoding: "{code} rs1 001 rd 0001011"\n    syntax: "rd, rs1"\n    variants:\n'
                         '      - {name: et.two, code: "01", summary: "two", examples: [{asm: "et.two x1, x3", out: {}}]}')
            with self.assertRaisesRegex(DescriptionError, "et.two: encoding .* covers 22 bits, needs 32"):
                load(tree.root)


if __name__ == "__main__":
    unittest.main()
