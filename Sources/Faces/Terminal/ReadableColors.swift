import Chat
import Glibc
import LineEditor
import Model

/// The colours of xterm's 256 that can be read on a background: with a contrast of 4.5 and more (WCAG 2).
struct ReadableColors: Hashable, Sendable {
    static let contrast = 4.5

    /// For authors, well apart and in the order of their hues; empty on a background that leaves no colour.
    let authors: [UInt8]
    /// The greyest that can be read, for what is dim.
    let dim: UInt8
    let error: UInt8
    let direct: UInt8
    let unread: UInt8
    private let cards: [CardColor: UInt8]

    init(on background: TerminalColor) {
        let background = Shade(background)
        let readable = ReadableColors.cube.filter { $0.shade.contrast(to: background) >= ReadableColors.contrast }
        let hues = readable.filter { $0.shade.chroma >= ReadableColors.leastChroma }
        authors = ReadableColors.spread(hues).sorted { $0.shade.hue < $1.shade.hue }.map(\.index)
        // A grey of the middle leaves only one end, black or white.
        let ends = [ReadableColors.cube[0], ReadableColors.cube[215]]
        let strongest = ends.max { $0.shade.contrast(to: background) < $1.shade.contrast(to: background) } ?? ends[0]
        let greys = (ReadableColors.greys + ends).filter {
            $0.shade.contrast(to: background) >= ReadableColors.contrast
        }
        dim = (greys.min { $0.shade.contrast(to: background) < $1.shade.contrast(to: background) } ?? strongest).index
        func nearest(to wanted: TerminalColor) -> UInt8 {
            let wanted = Shade(wanted)
            return (readable.min { $0.shade.distance(to: wanted) < $1.shade.distance(to: wanted) } ?? strongest).index
        }
        error = nearest(to: TerminalColor(red: 215, green: 0, blue: 0))
        direct = nearest(to: TerminalColor(red: 175, green: 0, blue: 175))
        unread = nearest(to: TerminalColor(red: 175, green: 135, blue: 0))
        cards = Dictionary(
            uniqueKeysWithValues: CardColor.allCases.map { ($0, nearest(to: ReadableColors.wanted($0))) })
    }

    /// That of the frame of a card.
    func card(_ color: CardColor) -> UInt8 { cards[color] ?? dim }

    private static func wanted(_ color: CardColor) -> TerminalColor {
        switch color {
        case .red: TerminalColor(red: 215, green: 0, blue: 0)
        case .orange: TerminalColor(red: 215, green: 95, blue: 0)
        case .yellow: TerminalColor(red: 215, green: 175, blue: 0)
        case .green: TerminalColor(red: 0, green: 135, blue: 0)
        case .teal: TerminalColor(red: 0, green: 135, blue: 135)
        case .blue: TerminalColor(red: 0, green: 95, blue: 215)
        case .purple: TerminalColor(red: 135, green: 0, blue: 215)
        case .gray: TerminalColor(red: 135, green: 135, blue: 135)
        }
    }

    private struct Entry {
        let index: UInt8
        let shade: Shade
    }

    /// Below it a colour is a grey.
    private static let leastChroma = 30.0
    private static let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
    private static let cube = (0..<216).map { number in
        let (red, green, blue) = (levels[number / 36], levels[number / 6 % 6], levels[number % 6])
        return Entry(
            index: UInt8(16 + number), shade: Shade(TerminalColor(red: red, green: green, blue: blue)))
    }
    private static let greys = (0..<24).map { number in
        let level = UInt8(8 + 10 * number)
        return Entry(
            index: UInt8(232 + number), shade: Shade(TerminalColor(red: level, green: level, blue: level)))
    }

    /// Each next one is the one that differs most from those before.
    private static func spread(_ colors: [Entry]) -> [Entry] {
        guard let first = colors.max(by: { $0.shade.chroma < $1.shade.chroma }) else { return [] }
        var chosen = [first]
        var distances = colors.map { $0.shade.distance(to: first.shade) }
        while chosen.count < min(AuthorColors.count, colors.count) {
            guard let next = distances.indices.max(by: { distances[$0] < distances[$1] }), distances[next] > 0 else {
                break
            }
            chosen.append(colors[next])
            for index in colors.indices {
                distances[index] = min(distances[index], colors[index].shade.distance(to: colors[next].shade))
            }
        }
        return chosen
    }
}

/// A colour of sRGB as it is seen: its luminance (WCAG 2) and its place in CIELAB (CIE 1976).
private struct Shade: Hashable, Sendable {
    let luminance: Double
    private let lightness: Double
    private let a: Double
    private let b: Double

    init(_ color: TerminalColor) {
        func linear(_ part: UInt8) -> Double {
            let value = Double(part) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        func f(_ value: Double) -> Double { value > 0.008856 ? cbrt(value) : 7.787 * value + 16 / 116 }
        let (red, green, blue) = (linear(color.red), linear(color.green), linear(color.blue))
        luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        let x = f((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505)
        let y = f(luminance)
        let z = f((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089)
        (lightness, a, b) = (116 * y - 16, 500 * (x - y), 200 * (y - z))
    }

    var chroma: Double { hypot(a, b) }
    var hue: Double { atan2(b, a) }

    func contrast(to other: Shade) -> Double {
        (max(luminance, other.luminance) + 0.05) / (min(luminance, other.luminance) + 0.05)
    }

    func distance(to other: Shade) -> Double {
        hypot(lightness - other.lightness, hypot(a - other.a, b - other.b))
    }
}
