import Noise
import Testing
import Wire

@testable import Chat

struct DisplayGuardTests {
    @Test(
        arguments: [
            "plain text", "한글 \u{1112}\u{1161}\u{11ab}", "कि क्‍ष", "می‌خواهم", "👨‍👩‍👧‍👦 👍🏽 ❤️‍🔥 1️⃣",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "e\u{301}", "שלום", "\u{600}12", "🏴‍☠️", "漢字\u{3000}仮名", "a\u{fffd}b", "",
        ])
    func `ordinary text is shown unchanged`(text: String) {
        #expect(Array(DisplayGuard.safe(text).utf8) == Array(text.utf8))
    }

    @Test(
        arguments: [
            "\u{0}", "\u{7}", "\u{8}", "\u{b}", "\u{c}", "\u{1b}", "\u{7f}", "\u{80}", "\u{85}", "\u{9b}", "\u{9f}",
            "\u{ad}",
            "\u{61c}", "\u{200e}", "\u{200f}", "\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}", "\u{200b}", "\u{2060}",
            "\u{2064}", "\u{feff}", "\u{180e}", "\u{2028}", "\u{2029}", "\u{115f}", "\u{1160}", "\u{3164}", "\u{ffa0}",
            "\u{e000}", "\u{f0000}", "\u{10fffd}", "\u{378}", "\u{ffff}", "\u{10ffff}", "\u{fff9}",
            "\u{e0001}", "\u{e0041}", "\u{e007f}", "\u{34f}", "\u{17b4}", "\u{200c}", "\u{200d}", "\u{e0100}",
        ] as [Unicode.Scalar])
    func `terminal controls and invisible scalars are replaced`(scalar: Unicode.Scalar) {
        let text = "a" + String(Character(scalar)) + "b"
        #expect(DisplayGuard.safe(text) == "a\u{fffd}b")
    }

    @Test func `a noncharacter is replaced`() throws {
        let scalar = try #require(Unicode.Scalar(UInt32(0xfdd0)))
        #expect(DisplayGuard.safe(String(Character(scalar))) == "\u{fffd}")
    }

    @Test func `line breaks and tabs become one space`() {
        #expect(DisplayGuard.safe("a\nb\rc\td\r\ne") == "a b c d e")
        #expect(DisplayGuard.safe("a\n\nb") == "a  b")
    }

    @Test func `a joiner outside its scripts and emoji is replaced`() {
        #expect(DisplayGuard.safe("😀\u{200d}b") == "😀\u{fffd}b")
        #expect(DisplayGuard.safe("a\u{200d}😀") == "a\u{fffd}😀")
        #expect(DisplayGuard.safe("\u{200d}") == "\u{fffd}")
        #expect(DisplayGuard.safe("ک\u{200c}\u{200c}\u{200c}") == "ک\u{200c}\u{fffd}\u{fffd}")
        #expect(DisplayGuard.safe("1\u{200d}2") == "1\u{fffd}2")
    }

    @Test func `tags that form no flag are replaced`() {
        #expect(DisplayGuard.safe("🏴\u{e0067}\u{e0062}") == "🏴\u{fffd}\u{fffd}")
        #expect(DisplayGuard.safe("😀\u{e0067}\u{e0062}\u{e0065}\u{e007f}").unicodeScalars.count == 5)
        let long = "🏴" + String(repeating: "\u{e0061}", count: 7) + "\u{e007f}"
        #expect(!DisplayGuard.safe(long).unicodeScalars.contains("\u{e0061}"))
    }

    @Test func `a mark needs a base character`() {
        #expect(DisplayGuard.safe("\u{301}a") == "\u{fffd}a")
        #expect(DisplayGuard.safe("\u{fe0f}a") == "\u{fffd}a")
    }

    @Test func `a selector behind a selector is replaced`() {
        #expect(Array(DisplayGuard.safe("❤\u{fe0f}\u{fe0f}").unicodeScalars) == ["❤", "\u{fe0f}", "\u{fffd}"])
    }

    @Test func `a nickname cannot imitate a line of another peer`() {
        #expect(DisplayGuard.safeName("bob#4821> hi <eve") == "bob\u{fffd}4821\u{fffd} hi \u{fffd}eve")
        #expect(DisplayGuard.safeName("quiet-otter") == "quiet-otter")
        #expect(DisplayGuard.safeName("[x\u{1b}") == "\u{fffd}x\u{fffd}")
    }

    @Test(
        arguments: [
            ("ben#9294" + String(repeating: "\u{2800}", count: 15), String(repeating: "\u{fffd}", count: 15)),
            ("Ian\u{200b}", "\u{fffd}"), ("Ian\u{fff0}", "\u{fffd}"), ("ben\u{202e}", "\u{fffd}"),
            ("★Bob", "\u{fffd}Bob"),
            ("⭐Bob", "\u{fffd}Bob"), ("ben\u{ff03}9294", "ben\u{fffd}9294"), ("a\u{3000}\u{2003} b", "a b"),
            ("Ian\u{fe0f}", "Ian\u{fffd}"), ("Ian\u{3164}", "Ian\u{fffd}"), ("می\u{200c}", "می\u{fffd}"),
            ("❤️ می‌خواهم 葛\u{fe00}", "❤️ می‌خواهم 葛\u{fe00}"), ("a  b", "a b"),
        ])
    func `no name imitates another one by scalars that are not seen or look like its signs`(name: String, end: String) {
        let shown = DisplayGuard.safeName(name)
        #expect(Array(shown.utf8).suffix(end.utf8.count) == Array(end.utf8)[...])
        #expect(!shown.contains("#") && !shown.contains("★"))
        #expect(DisplayGuard.safeName(shown) == shown)
    }

    @Test func `a shown name ends with its whole number, and only a contact has a star`() throws {
        let key = try #require(PeerID([UInt8](repeating: 7, count: 32)))
        func shown(_ nickname: String, suffix: Int? = nil, contact: String? = nil) -> String {
            PeerName(number: 1_234, suffix: suffix, nickname: nickname, stage: .newcomer, key: key, contact: contact)
                .displayName
        }
        #expect(shown("ben#9294\u{202e}") == "ben\u{fffd}9294\u{fffd}#1234")
        #expect(shown("x", suffix: 5_678, contact: "B★b") == "★B\u{fffd}b#1234-5678")
        #expect(shown("★Bob") == "\u{fffd}Bob#1234" && shown("") == "newcomer#1234")
    }

    @Test func `no scalar gives a control or a second line`() {
        var unsafe: [Int] = []
        // From the third plane on all scalars of a plane are alike, but the tags in plane 14.
        let values =
            Array(0..<0x3_0000) + Array(stride(from: 0x3_0000, to: 0x11_0000, by: 61)) + Array(0xe_0000..<0xe_0200)
        for value in values {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            let shown = DisplayGuard.safe("x" + String(Character(scalar)) + "y").unicodeScalars
            let isUnsafe = shown.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
            if isUnsafe || shown.count != 3 { unsafe.append(value) }
        }
        #expect(unsafe.isEmpty)
    }

    @Test func `guarding twice changes nothing, and no text grows`() {
        var randomness = Randomness.seeded(3)
        let scalars: [Unicode.Scalar] = [
            "a", "#", "\r", "\n", "\t", "\u{1b}", "\u{200d}", "\u{200c}", "\u{fe0f}", "😀", "🏽", "\u{1f3f4}",
            "\u{e0067}",
            "\u{e0062}", "\u{e007f}", "क", "\u{94d}", "ک", "\u{301}", "\u{fffd}", "\u{202e}", "\u{180b}", "ᠠ",
            "\u{20e3}",
        ]
        for _ in 0..<2_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<12 {
                if let scalar = scalars.randomElement(using: &randomness) { text.append(scalar) }
            }
            let once = DisplayGuard.safe(String(text))
            #expect(Array(DisplayGuard.safe(once).utf8) == Array(once.utf8))
            #expect(once.unicodeScalars.count <= text.count)
            #expect(once.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
        }
    }
}
