import Chat
import LineEditor
import Model
import TestSupport
import Testing

@testable import TerminalFace

/// The colours on a background that the terminal told.
@Suite struct ReadableColorTests {
    /// Black, white, both of Solarized, Dracula, the blue of an old console, and two greys.
    private static let backgrounds: [(red: UInt8, green: UInt8, blue: UInt8)] = [
        (0, 0, 0), (255, 255, 255), (0, 43, 54), (253, 246, 227), (40, 42, 54), (0, 0, 170), (96, 96, 96),
        (128, 128, 128),
    ]

    @Test(arguments: backgrounds)
    func `every colour has a contrast of 4_5 and more`(red: UInt8, green: UInt8, blue: UInt8) {
        let background = TerminalColor(red: red, green: green, blue: blue)
        let theme = Theme(.full, on: background)
        let styles =
            [
                theme.time, theme.notice, theme.rule, theme.history, theme.error, theme.direct, theme.directPrompt,
                theme.unread,
            ]
            + (0..<AuthorColors.count).map { theme.author($0) } + CardColor.allCases.map { theme.card($0) }
        for style in styles {
            #expect(!style.isDim)
            guard case .indexed(let index) = style.color else { continue }
            #expect(Self.contrast(index, background) >= 4.5)
        }
        let authors = Set((0..<AuthorColors.count).map { theme.author($0) })
        // A grey of the middle has no such colour: names are plain there, and the rest is black or white.
        #expect(authors.count == (red == 128 ? 1 : AuthorColors.count))
    }

    @Test func `the terminal is asked once, if it has the colours, and its answer changes the theme`() throws {
        for (depth, isAsked) in [(Theme.Depth.full, true), (.basic, false), (.none, false)] {
            var user = TerminalUser(depth: depth)
            user.session.reveal()
            #expect(user.session.writing(at: user.now).contains("\u{1b}]11;?\u{1b}\\") == isAsked)
            user.session.stepBack()
            user.session.reveal()
            #expect(!user.session.writing(at: user.now).contains("]11;?"))
        }
        var user = try TerminalUser.ready(depth: .full)
        #expect(user.session.view.rendering.theme.notice.isDim)
        user.type("\u{1b}]11;rgb:fdfd/f6f6/e3e3\u{1b}\\")
        #expect(user.session.view.rendering.theme == Theme(.full, on: TerminalColor(red: 253, green: 246, blue: 227)))
        #expect(user.session.editor.text == "")
    }

    @Test func `some terminals tell the background in the environment`() {
        func background(_ value: String?) -> TerminalColor? { Theme.background { $0 == "COLORFGBG" ? value : nil } }
        #expect(background("15;0") == TerminalColor(red: 0, green: 0, blue: 0))
        #expect(background("0;default;15") == TerminalColor(red: 255, green: 255, blue: 255))
        #expect(background("15;4") == nil && background("") == nil && background(nil) == nil)
    }

    /// By WCAG 2, with the linear values of xterm's six levels and the formula for greys.
    private static func contrast(_ index: UInt8, _ background: TerminalColor) -> Double {
        let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
        let cube = Int(index) - 16
        let color =
            index >= 232
            ? (8 + 10 * (index - 232), 8 + 10 * (index - 232), 8 + 10 * (index - 232))
            : (levels[cube / 36], levels[cube / 6 % 6], levels[cube % 6])
        let one = luminance(color.0, color.1, color.2)
        let other = luminance(background.red, background.green, background.blue)
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    private static func luminance(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Double {
        func linear(_ part: UInt8) -> Double {
            let value = Double(part) / 255
            guard value > 0.04045 else { return value / 12.92 }
            // To the power of 2.4: the fifth root of the twelfth power, by Newton's steps.
            let base = (value + 0.055) / 1.055
            var wanted = 1.0
            for _ in 0..<12 { wanted *= base }
            var root = base
            for _ in 0..<200 { root -= (root * root * root * root * root - wanted) / (5 * root * root * root * root) }
            return root
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
