import Chat
package import LineEditor
import Wire

/// The styles of the chat, as far as the terminal has colours.
package struct Theme: Hashable, Sendable {
    /// The colours of a terminal.
    package enum Depth: Hashable, Sendable {
        /// `NO_COLOR` is set: no style at all.
        case none
        case basic
        /// The 256 colours of xterm.
        case full

        /// - Parameter environment: returns the value of a variable; `NO_COLOR`, `TERM` and `COLORTERM` are read.
        package init(environment: (String) -> String?) {
            guard (environment("NO_COLOR") ?? "").isEmpty else {
                self = .none
                return
            }
            let hasMany = (environment("TERM") ?? "").hasPart("256color") || !(environment("COLORTERM") ?? "").isEmpty
            self = hasMany ? .full : .basic
        }
    }

    package let depth: Depth
    /// Nil while the terminal's background is not known, and where the terminal's own theme makes the colours.
    private let readable: ReadableColors?

    /// - Parameter background: the terminal's, as far as it is known.
    package init(_ depth: Depth, on background: TerminalColor? = nil) {
        self.depth = depth
        readable = depth == .full ? background.map { ReadableColors(on: $0) } : nil
    }

    /// The background that `COLORFGBG` tells, as some terminals set it: `15;0` for white on black. Nil without one of both ends.
    package static func background(environment: (String) -> String?) -> TerminalColor? {
        switch (environment("COLORFGBG") ?? "").split(separator: ";").last {
        case "0": TerminalColor(red: 0, green: 0, blue: 0)
        case "15": TerminalColor(red: 255, green: 255, blue: 255)
        default: nil
        }
    }

    /// The faintness that SGR 2 gives depends on the terminal: a known background has a grey that can be read.
    private var dim: Style { style(readable.map { Style(color: .indexed($0.dim)) } ?? Style(isDim: true)) }

    private func color(_ basic: UInt8, _ readable: KeyPath<ReadableColors, UInt8>) -> Style.Color {
        self.readable.map { .indexed($0[keyPath: readable]) } ?? .basic(basic)
    }

    var time: Style { dim }
    var notice: Style { dim }
    var rule: Style { dim }
    var history: Style { dim }
    var own: Style { style(Style(isBold: true)) }
    var mention: Style { style(Style(isBold: true, isReverse: true)) }
    var error: Style { style(Style(color: color(1, \.error), isBold: true)) }
    var direct: Style { style(Style(color: color(5, \.direct))) }
    var prompt: Style { style(Style(isBold: true)) }
    var directPrompt: Style { style(Style(color: color(5, \.direct), isBold: true)) }
    var unread: Style { style(Style(color: color(3, \.unread))) }

    /// The frame of a card.
    func card(_ color: CardColor) -> Style {
        style(Style(color: readable.map { .indexed($0.card(color)) } ?? .basic(Theme.basic(color))))
    }

    private static func basic(_ color: CardColor) -> UInt8 {
        switch color {
        case .red: 1
        case .green: 2
        case .orange, .yellow: 3
        case .blue: 4
        case .purple: 5
        case .teal: 6
        case .gray: 7
        }
    }

    /// Of the 256 colours of xterm, those of `AuthorColors` on a background that is not known. Each differs from black and from white by a contrast of 3 and more
    /// (WCAG 2), and any two by 23 and more in CIELAB (CIE 1976). None is of the first 16, which a theme can change.
    static let palette: [UInt8] = [
        30, 67, 32, 33, 27, 61, 98, 93, 171, 139, 133, 201, 126, 199, 168, 197, 131, 196, 166, 137, 136, 58, 28, 65,
    ]

    /// - Parameter index: a place in `palette`.
    func author(_ index: Int) -> Style {
        switch depth {
        case .none: .plain
        case .basic: Style(color: .basic(Theme.basicColors[index % Theme.basicColors.count]))
        case .full: author(index, of: readable?.authors ?? Theme.palette)
        }
    }

    private func author(_ index: Int, of palette: [UInt8]) -> Style {
        palette.isEmpty ? .plain : Style(color: .indexed(palette[index % palette.count]))
    }

    /// Neither black nor white, and not the red of errors.
    private static let basicColors: [UInt8] = [2, 3, 4, 5, 6]

    private func style(_ style: Style) -> Style { depth == .none ? .plain : style }
}
