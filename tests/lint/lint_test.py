"""The lints find what they are for, and nothing else."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import include_lint
import text_lint
import unity_lint
import vocabulary_lint


class LintTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.names = []

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.names.append(name)

    def run_check(self, check):
        return check(self.folder.name, self.names)

    def test_a_lower_layer_may_not_include_a_higher_one(self):
        self.write("models/plant/x.hpp", "")
        self.write("engine/base/y.cpp", '#include "models/plant/x.hpp"\n')
        self.assertEqual(self.run_check(include_lint.check),
                         ['engine/base/y.cpp:1: base may not include "models/plant/x.hpp" of models/plant'])

    def test_a_higher_layer_may_include_lower_ones_and_the_standard_library(self):
        self.write("engine/base/y.hpp", "")
        self.write("include/stallcast/z.hpp", "#include <vector>\n")
        self.write("models/plant/x.cpp", '#include "engine/base/y.hpp"\n#include "stallcast/z.hpp"\n'
                   "#include <sys/wait.h>\n#include <unistd.h>\n")
        self.assertEqual(self.run_check(include_lint.check), [])

    def test_rooms_of_a_layer_include_lower_ones_only(self):
        self.write("models/storage/x.hpp", "")
        self.write("models/plant/y.hpp", '#include "models/storage/x.hpp"\n')
        self.assertEqual(self.run_check(include_lint.check), [])
        self.write("models/storage/z.hpp", '#include "models/plant/y.hpp"\n')
        self.assertEqual(self.run_check(include_lint.check),
                         ['models/storage/z.hpp:1: models/storage may not include "models/plant/y.hpp" of models/plant'])

    def test_a_file_beside_the_rooms_is_found(self):
        self.write("models/x.cpp", "")
        self.assertEqual(len(self.run_check(include_lint.check)), 1)

    def test_layers_that_may_include_each_other_are_found(self):
        def layer(name, *may):
            return {"name": name, "may": may}
        self.assertIsNone(include_lint.cycle_of({"layers": [layer("a"), layer("b/x", "a"), layer("c", "b/*"), layer("t", "*")]}))
        self.assertEqual(include_lint.cycle_of({"layers": [layer("a", "c"), layer("b", "a"), layer("c", "b")]}),
                         ["a", "c", "b", "a"])

    def test_third_party_types_stay_out_of_public_headers(self):
        for header in ("nlohmann/json.hpp", "boost/graph/adjacency_list.hpp", "Eigen/Dense",
                       "simgrid/s4u.hpp", "QString"):
            self.names.clear()
            self.write("include/stallcast/z.hpp", f"#include <{header}>\n")
            self.assertEqual(len(self.run_check(include_lint.check)), 1, header)

    def test_simgrid_is_included_by_its_own_files_only(self):
        self.write("engine/sim/simgrid_context.cpp", "#include <simgrid/s4u.hpp>\n")
        self.write("bench/peers/x.cpp", "#include <simgrid/s4u.hpp>\n")
        self.assertEqual(self.run_check(include_lint.check), [])
        self.write("bench/x.cpp", "#include <simgrid/s4u.hpp>\n")
        self.write("engine/sim/context.cpp", "#include <simgrid/s4u.hpp>\n")
        self.write("tests/models/x_test.cpp", "#include <xbt/log.h>\n")
        self.assertEqual([f.split(":")[0] for f in self.run_check(include_lint.check)],
                         ["bench/x.cpp", "engine/sim/context.cpp", "tests/models/x_test.cpp"])

    def test_tests_may_include_from_their_own_root(self):
        self.write("tests/support/a.hpp", "")
        self.write("tests/models/x_test.cpp", '#include "support/a.hpp"\n')
        self.assertEqual(self.run_check(include_lint.check), [])

    def test_a_library_that_is_not_in_the_table_is_found(self):
        self.write("models/plant/x.cpp", "#include <fmt/format.h>\n")
        self.assertEqual(self.run_check(include_lint.check),
                         ["models/plant/x.cpp:1: <fmt/format.h> is not a known library"])

    def test_an_include_relative_to_its_own_folder_is_found(self):
        self.write("engine/base/y.hpp", "")
        self.write("engine/base/y.cpp", '#include "y.hpp"\n')
        self.assertEqual(len(self.run_check(include_lint.check)), 1)

    def test_a_folder_outside_the_table_is_found(self):
        self.write("new/y.cpp", "")
        self.assertEqual(len(self.run_check(include_lint.check)), 1)

    def test_long_files_need_a_reason_and_very_long_ones_a_split(self):
        self.write("a.cpp", "\n" * 400)
        self.write("b.cpp", "\n" * 401)
        self.write("c.cpp", "\n" * 500)
        self.write("d.cpp", "\n" * 601)
        self.write("tests/lint/long_files.txt", "c.cpp one table\nd.cpp one table\ne.cpp gone\n")
        self.assertEqual([f.split(" ")[0] for f in self.run_check(text_lint.file_length)],
                         ["b.cpp:401:", "d.cpp:601:", "tests/lint/long_files.txt:1:"])

    def test_paths_of_one_machine_are_found_but_not_pointers_or_addresses(self):
        self.write("a.md", "see /ho" "me/someone/x\nx = '/Us" "ers/me'\n")
        self.write("b.md", "https://example.org/work/x jobs/work/a /storage/0/ost /usr/bin /homes\n")
        self.assertEqual([f[:6] for f in self.run_check(text_lint.machine_paths)],
                         ["a.md:1", "a.md:2"])

    def test_unfinished_marks_need_an_issue_number(self):
        self.write("a.cpp", "// TO" "DO: later\n// TO" "DO(#12): later\n// FIX" "ME\nmastodon\n")
        self.assertEqual([f[:7] for f in self.run_check(text_lint.unfinished)],
                         ["a.cpp:1", "a.cpp:3"])

    def test_a_file_of_tests_that_nobody_runs_is_found(self):
        self.write("tests/CMakeLists.txt", "add(all SOURCES a_test.cpp)\nforeach(test b c)\n")
        self.write("tests/a_test.cpp", "")
        self.write("tests/b_test.py", "")
        self.write("tests/aa_test.cpp", "")
        self.assertEqual([f.split(":")[0] for f in self.run_check(text_lint.run_tests)], ["tests/aa_test.cpp"])

    def test_relative_links_must_lead_somewhere(self):
        self.write("docs/a.md", "[a](b.md#part) [b](../x/c.cpp) [c](gone.md) [d](https://e.org)\n"
                   "```\n[e](gone.md)\n```\n`[f](gone.md)` [g](#here) [h](../x/)\n")
        self.write("docs/b.md", "")
        self.write("x/c.cpp", "")
        self.assertEqual(self.run_check(text_lint.links), ['docs/a.md:1: "gone.md" leads nowhere'])

    def test_types_of_one_name_in_two_namespaces_are_found(self):
        self.write("a.hpp", "namespace stallcast::plan {\nstruct Change { int x; };\n}\n")
        self.write("b.hpp", "namespace stallcast {\nnamespace diff {\nenum class Change : int { more };\n}\n}\n")
        self.assertEqual(self.run_check(vocabulary_lint.check),
                         ["b.hpp:3: stallcast::diff::Change has the name of a type in stallcast::plan",
                          "a.hpp:2: stallcast::plan::Change has the name of a type in stallcast::diff"])

    def test_nested_types_declarations_and_uses_of_types_do_not_count(self):
        self.write("a.hpp", "namespace a {\nclass Change final : public Base<int> {\n  struct Impl {};\n};\n}\n")
        self.write("b.hpp", "namespace b {\nstruct Change;\nstruct Outer { struct Change {}; };\n"
                   "struct Outer::Impl {};\ninline struct tm change() { return {}; }\n"
                   "// struct Change {\nconst char* text = \"struct Change {\";\n}\n")
        self.write("tests/c.hpp", "namespace c {\nstruct Change {};\n}\n")
        self.write("d.cpp", "namespace d {\nstruct Change {};\n}\n")
        self.assertEqual(self.run_check(vocabulary_lint.check), [])

    def test_a_template_and_its_specialization_are_one_type(self):
        self.write("a.hpp", "namespace a {\ntemplate <class T, std::array<int, 2> N>\nstruct Names {};\n"
                   "template <>\nstruct Names<int> {};\n}\n")
        self.write("b.hpp", "namespace b {\ntemplate <class T>\nclass [[nodiscard]] Names {};\n}\n")
        self.assertEqual([f.split(" ")[1] for f in self.run_check(vocabulary_lint.check)],
                         ["a::Names", "b::Names"])

    def unit(self, first, second, target="stallcast_library(x SOURCES a.cpp b.cpp LINKS y)"):
        """What is said of two sources of one target, both in a namespace."""
        self.names = []
        self.write("CMakeLists.txt", target + "\n")
        for name, text in (("a.cpp", first), ("b.cpp", second)):
            self.write(name, "namespace x {\nnamespace {\n" + text + "\n}\n}\n")
        return [finding.split(" which")[0] for finding in self.run_check(unity_lint.check)]

    def test_functions_that_a_call_in_another_file_could_mean_are_found(self):
        found = ["b.cpp:3: f could be meant by calls of a.cpp:3,"]
        for first, second in (("int f(int a) { return a; }", "double f(const double& a) { return a; }"),
                              ("int f(std::string_view a) { return 1; }", "int f(const std::string& b, int n = 0) { return n; }"),
                              ("template <class T>\nint f(const T& a) { return 1; }".replace("\n", " "), "int f(Design& d) { return 1; }"),
                              ("int f(const Json& a) { return 1; }", "int f(double a) { return 1; }"),
                              ("int f(std::span<const int> a) { return 1; }", "int f(const std::vector<int>& a) { return 1; }"),
                              ("int f(std::optional<Design> a) { return 1; }", "static int f(Design a) { return 1; }")):
            self.assertEqual(self.unit(first, second), found, (first, second))

    def test_functions_that_no_call_confuses_are_left(self):
        f = "int f(const Design& d) { return 1; }"
        for second in ("int f(const Host& h) { return 1; }", "int f(const Design& d, int n) { return n; }", "int g(const Design& d) { return 1; }",
                       "// int f(const Design& d) { return 1; }", "struct S { int f(const Design& d) { return 1; } };",
                       "int g() { const auto f = [](const Design& d) { return 1; }; return 1; }",
                       "}\nint f(const Design& d) { return 1; }\nnamespace {", "}\nint S::f(const Design& d) { return 1; }\nnamespace {",
                       "}\nnamespace y {\nnamespace {\nint f(const Design& d) { return 1; }\n}\n}\nnamespace {"):
            self.assertEqual(self.unit(f, second), [], second)
        self.assertEqual(self.unit(f, f, "stallcast_library(x SOURCES a.cpp)\nstallcast_library(y SOURCES b.cpp)"), [])


if __name__ == "__main__":
    unittest.main()
