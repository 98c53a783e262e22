"""Each house rule, broken in a small project of its own; and the project itself, which breaks none."""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

import attack_table  # noqa: E402
import crowd_table  # noqa: E402
import fault_table  # noqa: E402
import house_rules  # noqa: E402
import observer_table  # noqa: E402
import swift_source  # noqa: E402


HOUSE = {
    "Package.swift": 'module("Wire", []),\nmodule("Chat", ["Wire"]),\ntests("ChatTests", []),\n',
    "Docs/Architecture.md": "| module | may import |\n|---|---|\n| `Wire` | nothing |\n| `Chat` | Wire, Glibc |\n",
    "Docs/Protocol.md": "| constant | value |\n|---|---|\n| `sizes` | 512, 1280 |\n| `pause` | 10 / 60 |\n",
    "Docs/Threats.md": "tested: `a thing holds`\n",
    "Sources/Wire/Limits.swift": "enum Limits {\n    static let sizes = [512, 1_280]\n}\n",
    "Sources/Chat/Chat.swift": "import Wire\n\nstruct Chat {\n    static let turns = 3\n    func say() {\n    }\n}\n\n"
                               "extension Limits {\n    static let pause = Duration.seconds(10.0 / 60.0)\n}\n",
    "Tests/ChatTests/ChatTests.swift": "import Testing\n\n@Test func `a thing holds`() {\n}\n",
}


class HouseRules(unittest.TestCase):
    def breaches(self, **changes):
        """The breaches in the small project with some files changed: path -> text."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**HOUSE, **changes}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return "\n".join(house_rules.breaches(folder))

    def assert_refused(self, expected, name, text):
        self.assertIn(expected, self.breaches(**{name: text}))

    def test_the_small_house_is_in_order(self):
        self.assertEqual(self.breaches(), "")

    def test_the_real_house_is_in_order(self):
        self.assertEqual(house_rules.breaches(ROOT), [])

    def test_only_the_module_of_the_node_extends_it(self):
        for line in ("extension Node {\n}\n", "package extension ChatNode.Node: Sendable {\n}\n"):
            self.assert_refused("Up.swift:1: an extension of Node", "Sources/Chat/Up.swift", line)
        allowed = "// extension Node\nextension NodeEvent {\n}\nextension Node.Row {\n}\n"
        self.assertEqual(self.breaches(**{"Sources/Chat/Up.swift": allowed}), "")

    def test_a_large_node_is_refused(self):
        body = "    func f() {\n    }\n" * 30
        node = {"Sources/ChatNode/Node.swift": "final class Node {\n" + body + "}\n",
                "Sources/ChatNode/More.swift": "extension Node {\n" + body + "}\nstruct Other {\n" + body + "}\n"}
        with mock.patch.object(house_rules, "LINES_OF_NODE", 123):
            self.assertIn("Node has 124 lines over all its extensions", self.breaches(**node))
        with mock.patch.object(house_rules, "LINES_OF_NODE", 124):
            self.assertNotIn("Node has", self.breaches(**node))

    def test_a_property_of_the_node_that_four_files_touch_is_refused(self):
        node = "final class Node {\n    let me: Int\n    var links = 0\n    var all: Int { links }\n    func f() {\n    }\n}\n"
        files = {"Sources/ChatNode/Node.swift": node}
        for number in range(3):
            files[f"Sources/ChatNode/N{number}.swift"] = f"extension Node {{\n    func f{number}() {{\n        links = 1\n    }}\n}}\n"
        with mock.patch.object(house_rules, "WIDELY_TOUCHED", set()):
            self.assertIn("4 files touch `links` of Node", self.breaches(**files))
        with mock.patch.object(house_rules, "WIDELY_TOUCHED", {"links"}):
            self.assertNotIn("of Node;", self.breaches(**files))
        with mock.patch.object(house_rules, "WIDELY_TOUCHED", {"links", "me"}):
            self.assertIn("few files touch `me` of Node; take it off", self.breaches(**files))

    def test_a_part_of_the_node_that_four_files_touch_is_refused(self):
        files = {"Sources/ChatNode/Node.swift": "final class Node {\n    var parts: Parts\n}\n",
                 "Sources/ChatNode/Parts.swift": "struct Parts: ~Copyable {\n    var links = 0\n}\n"}
        for number, use in enumerate(("act { $0.links = 1 }", "parts.links = 1", "act { $0.links += 1 }", "return parts.links")):
            files[f"Sources/ChatNode/N{number}.swift"] = f"extension Node {{\n    func f() {{\n        {use}\n    }}\n}}\n"
        self.assertIn("4 files touch `links` of Node", self.breaches(**files))
        for line in ("other.links = 1", "let links = 1", "// links", 'say("links")', "say(links: 1)", "all = 1"):
            with self.subTest(line):
                text = f"extension Node {{\n    func f2() {{\n        {line}\n    }}\n}}\n"
                with mock.patch.object(house_rules, "WIDELY_TOUCHED", set()):
                    self.assertNotIn("of Node;", self.breaches(**{**files, "Sources/ChatNode/N2.swift": text}))

    def test_more_places_that_assume_isolation_are_refused(self):
        text = "func f(_ node: Chat) {\n    node.assumeIsolated { _ in }\n    // assumeIsolated\n}\n"
        with mock.patch.object(house_rules, "UNCHECKED_ISOLATION", 0):
            self.assertIn("assumeIsolated in 1 places", self.breaches(**{"Sources/Chat/A.swift": text}))
        self.assertEqual(self.breaches(**{"Sources/Chat/A.swift": text}), "")

    def test_a_default_over_an_enum_of_ours_is_refused(self):
        enum = "enum Key {\n    case enter, tab\n    case text(String)\n    case up\n}\n"
        for case in (".enter, .up", '.text("a, b")', ".text(let text) where text.isEmpty", "let .text(text)"):
            with self.subTest(case):
                switch = f"func f(key: Key) {{\n    switch key {{\n    case {case}: f(key: key)\n    default: break\n    }}\n}}\n"
                self.assert_refused("A.swift:7: a switch over an enum of ours", "Sources/Chat/A.swift", enum + switch)
        for case in ("1, 2", ".control", '"enter"', "(.enter, .up)", "let key where key == .up"):
            with self.subTest(case):
                switch = f"func f(key: Key) {{\n    switch key {{\n    case {case}: f(key: key)\n    default: break\n    }}\n}}\n"
                self.assertEqual(self.breaches(**{"Sources/Chat/A.swift": enum + switch}), "")

    def test_an_import_upwards_is_refused(self):
        self.assert_refused("Wire must not import Chat", "Sources/Wire/Up.swift", "package import Chat\n")

    def test_a_library_outside_its_room_is_refused(self):
        self.assert_refused("Chat must not import CSodium", "Sources/Chat/Key.swift", "internal import CSodium\n")

    def test_an_import_in_a_comment_is_not_an_import(self):
        self.assertEqual(self.breaches(**{"Sources/Wire/Up.swift": "// import Chat\n/* import Chat */\n"}), "")

    def test_foundation_is_refused_in_tests_too(self):
        self.assert_refused("Foundation", "Tests/ChatTests/More.swift", "import FoundationEssentials\n")

    def test_a_room_without_a_row_is_refused(self):
        self.assert_refused("Attic is only in one", "Sources/Attic/Attic.swift", "struct Attic {}\n")

    def test_a_package_that_grants_more_than_the_table_is_refused(self):
        package = 'module("Wire", ["Chat"]),\nmodule("Chat", ["Wire"]),\n'
        self.assert_refused("Package.swift: Wire and Chat", "Package.swift", package)

    def test_a_test_target_with_other_dependencies_than_its_imports_is_refused(self):
        package = HOUSE["Package.swift"].replace('tests("ChatTests", [])', 'tests("ChatTests", ["Wire"])')
        self.assert_refused("Package.swift: ChatTests and Wire", "Package.swift", package)
        tests = "@testable import Chat\n" + HOUSE["Tests/ChatTests/ChatTests.swift"]
        self.assert_refused("Package.swift: ChatTests and Chat", "Tests/ChatTests/ChatTests.swift", tests)
        self.assert_refused("FaceTests is only in one", "Tests/FaceTests/FaceTests.swift", "import Testing\n")

    def test_a_table_of_attacks_that_no_run_made_is_refused(self):
        rows = [{"tried": "noise", "memory_kib": [1024, 2048], "calm_ms": [1, 2], "attack_ms": [3, 4], "newcomer_seconds": None,
                 "counted": {"noise": 5}, "required": ["noise"], "missed": [], "cpu_percent": [6, 7], "attacker": {}}]
        results = json.dumps(rows)
        marks = attack_table.BEGIN + attack_table.END
        self.assertIn("the table of attacks", self.breaches(**{"Docs/attacks.json": results, "Docs/Threats.md": marks}))
        table = attack_table.BEGIN + attack_table.HEAD + attack_table.row(rows[0]) + attack_table.END
        self.assertEqual(self.breaches(**{"Docs/attacks.json": results, "Docs/Threats.md": table}), "")
        self.assertIn("| noise | 1, 2 ms | 3, 4 ms | 1.0 + 1.0 MiB | 6 → 7 % | never | none | `noise` 5 | held |", table)
        self.assertIn("| held, in 9 of 10 rooms |", attack_table.row(rows[0] | {"runs": 10, "held": 9}))

    def test_a_table_of_faults_that_no_run_made_is_refused(self):
        rows = [{"test": "Bad.test_noise", "fault": "noise", "tried": "two hosts", "figures": "3 said", "missed": None}]
        files = {"Docs/faults.json": json.dumps(rows), "Tests/test.py": "def test_noise(self): pass\n"}
        marks = fault_table.BEGIN + fault_table.END
        self.assertIn("the table of faults", self.breaches(**files, **{"Docs/Threats.md": marks}))
        table = fault_table.BEGIN + fault_table.HEAD + fault_table.row(rows[0]) + fault_table.END
        self.assertEqual(self.breaches(**files, **{"Docs/Threats.md": table}), "")
        self.assertIn("| noise | two hosts | 3 said | held | tested: `test_noise` |", table)

    def test_tables_of_the_observer_that_no_run_made_are_refused(self):
        guess = {"share": 0.25, "chance": 0.25, "error": 0.01, "found": False}
        rows = [{"kind": "receiver", "program": "ours", "cover": True, "nodes": 5, "room": "busy", "rhythm": None, "happened": guess,
                 "guesses": dict.fromkeys(("nearest", "count", "size", "boosting"), guess),
                 "answers": {"p": 0.5, "shares": [1, 0.9]}},
                {"kind": "cost", "program": "ours", "cover": False, "nodes": 2, "records": [2, 0.1], "bytes": [1234, 5],
                 "processor_ms": [0.5, 0.1],
                 "mark_ms": [1.5, 2.5], "rest_records_per_minute": 3.0, "rest_bytes_per_minute": 4567,
                 "rest_processor_ms_per_minute": 8.9}]
        results = json.dumps(rows)
        table = observer_table
        marks = table.BEGIN + table.END + table.COST_BEGIN + table.COST_END
        self.assertIn("the tables of the observer", self.breaches(**{"Docs/observer.json": results, "Docs/Threats.md": marks}))
        text = (table.BEGIN + table.HEAD + table.row(rows[0]) + table.END
                + table.COST_BEGIN + table.COST_HEAD + table.cost_row(rows[1]) + table.COST_END)
        self.assertEqual(self.breaches(**{"Docs/observer.json": results, "Docs/Threats.md": text}), "")
        share = "25.0 % | " * 4
        self.assertIn(f"| ours, cover | 5 | busy | {share}28.0 % | none | 100 and 90 % answer; p = 0.5 | 25.0 % |  |\n", text)
        self.assertIn("| ours | 2 | 2 ± 0.1 | 1,234 ± 5 | 0.5 ± 0.1 ms | 1.5, 2.5 ms | 3.0, 4,567 | 8.9 ms |\n", text)

    def test_tables_of_crowds_that_no_run_made_are_refused(self):
        row = {"nodes": 100, "latency": [10, 50], "rate": 20, "label": "now", "seeds": 3, "messages": 6000, "expected": 594000,
               "delivered": 594000, "live": 593999, "sends": 1.0254, "p50": 61.3, "p99": 300.4, "longest": 500.2, "control": 0.402,
               "bytes": 1066, "links": 12.24, "linksMost": 18, "hops": 3.2, "hopsMost": 8, "cutOff": 0, "seconds": 12.3,
               "megabytes": 812}
        rows = [{**row, "kind": "size"}, {**row, "kind": "rate"}, {**row, "kind": "fault", "how": "harm", "cutOff": 2}]
        marks = ["".join(crowd_table.marks(kind)) for kind in crowd_table.HEADS]
        files = {"Docs/crowd.json": json.dumps(rows), "Docs/Simulation.md": "\n".join(marks)}
        self.assertIn("the tables of crowds", self.breaches(**files))
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "Docs").mkdir()
            for name, text in files.items():
                Path(folder, name).write_text(text)
            crowd_table.write(folder)
            text = Path(folder, "Docs/Simulation.md").read_text()
        self.assertEqual(self.breaches(**files | {"Docs/Simulation.md": text}), "")
        shared = "100.00 % | 99.99 % | 1.025 | 61 / 300 / 500 |"
        self.assertIn(f"\n| 100 | {shared} 12.2 / 18 | 3.2 / 8 | 0.40 | 1066 | 12 s | 812 MB |\n", text)
        self.assertIn(f"\n| 100 | 10-50 | 20 | now | {shared} 308 | 0.40, 1,066 | 12.2 / 18 | 3.2 / 8 | nothing |\n", text)
        self.assertIn(f"\n| harm | now | {shared} 0.40, 1,066 | 12.2 / 18 | 3.2 / 8 | 2 | cut off |\n", text)

    def test_a_long_function_is_refused_and_one_of_40_lines_is_not(self):
        self.assert_refused("func f is 41 lines", "Sources/Chat/Long.swift", "func f() {\n" + "\n" * 39 + "}\n")
        self.assertEqual(self.breaches(**{"Sources/Chat/Long.swift": "func f() {\n" + "\n" * 38 + "}\n"}), "")

    def test_braces_in_strings_and_comments_do_not_end_a_function(self):
        body = 'let a = "}"  // }\n    let b = #"}"#\n    let c = """\n        }\n        """\n'
        found = list(swift_source.functions(f"func f() {{\n    {body}}}\n"))
        self.assertEqual(found, [("func f", 1, 7)])

    def test_a_requirement_of_a_protocol_has_no_length(self):
        source = "protocol P {\n    func f(\n        a: Int\n    ) throws -> Int\n    init()\n}\nstruct S {\n}\n"
        self.assertEqual(list(swift_source.functions(source)), [])

    def test_private_notes_and_vague_names_are_refused(self):
        path = "/" + "work/main"
        for text, expected in [
            ("// TODO: more\n", "a note to oneself"),
            ("final class PeerManager {}\n", "says nothing"),
            ("public struct A {}\n", "public access"),
            ("func f() async { try? await Task.sleep(for: .seconds(1)) }\n", "a sleep"),
            (f"// see {path}\n", "a path of one machine"),
            ("nonisolated(unsafe) var a = 1\n", "nonisolated(unsafe)"),
        ]:
            with self.subTest(text):
                self.assert_refused(expected, "Sources/Chat/Word.swift", text)

    def test_public_access_is_granted_to_the_library_alone(self):
        module, granted = "Sources/Library/Doors/A.swift", HOUSE["Docs/Architecture.md"] + "| `Doors` | nothing | doors |\n"
        files = {module: "public struct A {}\n", "Docs/Architecture.md": granted}
        self.assertNotIn("public access", self.breaches(**files))
        self.assert_refused("public access", "Sources/Up/A.swift", "public struct A {}\n")

    def test_unchecked_and_unsafe_are_refused_outside_their_files(self):
        self.assert_refused("@unchecked", "Sources/Chat/A.swift", "final class A: @unchecked Sendable {}\n")
        self.assert_refused("unsafe in a module", "Sources/Chat/A.swift", "func f() {\n    unsafe g()\n}\n")

    def test_inlinable_members_of_a_type_that_is_not_usable_from_inline_are_refused(self):
        member = "    @inlinable package init() {}\n}\n"
        self.assert_refused("@inlinable is of no effect", "Sources/Chat/A.swift", "package struct A {\n" + member)
        usable = "@usableFromInline package struct A {\n" + member
        self.assertEqual(self.breaches(**{"Sources/Chat/A.swift": usable}), "")

    def test_a_limit_that_differs_from_its_document_is_refused(self):
        protocol = HOUSE["Docs/Protocol.md"].replace("1280", "1281")
        self.assert_refused("sizes is [512.0, 1281.0] there", "Docs/Protocol.md", protocol)

    def test_a_limit_that_only_one_side_has_is_refused(self):
        self.assert_refused("links is", "Docs/Protocol.md", HOUSE["Docs/Protocol.md"] + "| `links` | 256 |\n")
        limits = "extension Limits {\n    package static let links = 256\n}\n"
        self.assert_refused("links is None there and [256.0] in Sources/Up/A.swift", "Sources/Up/A.swift", limits)

    def test_a_limit_in_two_files_is_refused(self):
        again = "extension Limits {\n    static let sizes = [512, 1_280]\n}\n"
        self.assert_refused("sizes is a limit in Sources/", "Sources/Up/A.swift", again)

    def test_a_continuation_that_is_kept_without_a_check_in_its_closure_is_refused(self):
        for kept in ("waiting.append($0)", "waiter = $0", "beginners[label] = $0"):
            self.assert_refused("kept without a check", "Sources/Up/A.swift",
                                "func next() async {\n    await withCheckedContinuation { " + kept + " }\n}\n")

    def test_a_claim_without_its_test_is_refused(self):
        self.assert_refused("no test `it rains`", "Docs/Threats.md", "tested: `it rains`\n")

    def test_a_phrase_that_is_not_used_or_has_other_arguments_is_refused(self):
        phrase = 'extension Phrase {\n    static let hello = Phrase(\n        "hello %1", "KOREAN")\n}\n'
        self.assert_refused("hello is not used", "Sources/Phrases/A.swift", phrase)
        self.assert_refused("other arguments", "Sources/Phrases/A.swift", phrase)
        self.assert_refused("no Korean text", "Sources/Phrases/A.swift", phrase.replace("KOREAN", ""))

    def test_a_link_that_leads_nowhere_is_refused(self):
        self.assert_refused("nowhere", "README.md", "See [this](Docs/Missing.md).\n")


if __name__ == "__main__":
    unittest.main()
