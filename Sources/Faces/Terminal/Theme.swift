import LineEditor
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

    package init(_ depth: Depth) { self.depth = depth }

    var time: Style { style(Style(isDim: true)) }
    var notice: Style { style(Style(isDim: true)) }
    var rule: Style { style(Style(isDim: true)) }
    var history: Style { style(Style(isDim: true)) }
    var own: Style { style(Style(isBold: true)) }
    var mention: Style { style(Style(isBold: true, isReverse: true)) }
    var error: Style { style(Style(color: .basic(1), isBold: true)) }
    var direct: Style { style(Style(color: .basic(5))) }
    var prompt: Style { style(Style(isBold: true)) }
    var directPrompt: Style { style(Style(color: .basic(5), isBold: true)) }
    var unread: Style { style(Style(color: .basic(3))) }

    /// Of the 256 colours of xterm, those of `AuthorColors`. Each differs from black and from white by a contrast of 3 and more
    /// (WCAG 2), and any two by 23 and more in CIELAB (CIE 1976). None is of the first 16, which a theme can change.
    static let palette: [UInt8] = [
        30, 67, 32, 33, 27, 61, 98, 93, 171, 139, 133, 201, 126, 199, 168, 197, 131, 196, 166, 137, 136, 58, 28, 65,
    ]

    /// - Parameter index: a place in `palette`.
    func author(_ index: Int) -> Style {
        switch depth {
        case .none: .plain
        case .basic: Style(color: .basic(Theme.basicColors[index % Theme.basicColors.count]))
        case .full: Style(color: .indexed(Theme.palette[index]))
        }
    }

    /// Neither black nor white, and not the red of errors.
    private static let basicColors: [UInt8] = [2, 3, 4, 5, 6]

    private func style(_ style: Style) -> Style { depth == .none ? .plain : style }
}
