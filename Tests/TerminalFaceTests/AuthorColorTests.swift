import Chat
import LineEditor
import Model
import Testing
import Wire

@testable import TerminalFace

@Suite struct AuthorColorTests {
    private static func key(_ number: Int) throws -> PeerID {
        let bytes = (0..<PeerID.byteCount).map { UInt8(truncatingIfNeeded: (number + 1) &* (37 + $0)) }
        return try #require(PeerID(bytes))
    }

    @Test func `24 colours can be read on black and on white, and are well apart`() {
        let palette = Theme.palette
        #expect(Set(palette).count == AuthorColors.count)
        for index in palette {
            #expect((16...231).contains(index))
            let luminance = Self.luminance(Int(index) - 16)
            #expect((luminance + 0.05) / 0.05 >= 3)
            #expect(1.05 / (luminance + 0.05) >= 3)
        }
    }

    @Test func `peers that are present have different colours, which they keep`() throws {
        var colors = AuthorColors()
        let keys = try (0..<24).map(Self.key)
        for key in keys { colors.record(key, isPresent: true) }
        let assigned = keys.map { colors[$0] }
        #expect(Set(assigned).count == 24)
        // Above the number of colours some are shared; nothing changes for the others.
        colors.record(try Self.key(24), isPresent: true)
        #expect(keys.map { colors[$0] } == assigned)
        // A peer that comes when a colour is free gets it.
        colors.record(keys[3], isPresent: false)
        colors.record(try Self.key(25), isPresent: true)
        #expect(colors[try Self.key(25)] == assigned[3])
    }

    @Test func `colours are taken in steps of 7 from the one that a key selects, and the table is bounded`() throws {
        var colors = AuthorColors()
        // The first eight bytes select: these keys all select colour 0.
        let keys = try (0..<4).map { number in
            var bytes = [UInt8](repeating: 0, count: PeerID.byteCount)
            (bytes[7], bytes[31]) = (UInt8(24 * number), UInt8(number))
            return try #require(PeerID(bytes))
        }
        for key in keys { colors.record(key, isPresent: true) }
        #expect(keys.map { colors[$0] } == [0, 7, 14, 21])
        #expect(colors.known(try Self.key(9)) == nil)
        for number in 0..<Limits.knownPeers + 100 {
            let bytes = (0..<PeerID.byteCount).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) }
            _ = colors[try #require(PeerID(bytes))]
        }
        #expect(colors.all.count <= Limits.knownPeers)
        #expect(keys.map { colors[$0] } == [0, 7, 14, 21])
    }

    @Test func `a peer that returns gets another colour only if its own is taken`() throws {
        var colors = AuthorColors()
        let first = try Self.key(1)
        let own = colors[first]
        // Another key that selects the same colour.
        let second = try #require(
            try (2..<256).map(Self.key).first {
                var alone = AuthorColors(); return alone[$0] == own
            })
        colors.record(first, isPresent: true)
        colors.record(first, isPresent: false)
        colors.record(second, isPresent: true)
        colors.record(first, isPresent: true)
        #expect(colors[first] != colors[second])
        #expect(colors[second] == own)
    }

    @Test(arguments: [
        ("NO_COLOR", "1", Theme.Depth.none), ("TERM", "xterm-256color", .full), ("TERM", "xterm", .basic),
        ("COLORTERM", "truecolor", .full),
    ])
    func `the environment says how many colours there are`(name: String, value: String, depth: Theme.Depth) {
        #expect(Theme.Depth { $0 == name ? value : nil } == depth)
    }

    /// Of xterm's colour cube, by WCAG 2, from the linear values of its six levels.
    private static func luminance(_ cube: Int) -> Double {
        let linear = [0, 0.1144, 0.2423, 0.4287, 0.6795, 1]
        return 0.2126 * linear[cube / 36] + 0.7152 * linear[cube / 6 % 6] + 0.0722 * linear[cube % 6]
    }
}
