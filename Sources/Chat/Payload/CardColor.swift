/// The colour of a card (Protocol.md section 6). The names are those of all faces.
package enum CardColor: UInt8, Sendable, CaseIterable {
    case red
    case orange
    case yellow
    case green
    case teal
    case blue
    case purple
    case gray

    /// Of a card whose author chose none.
    package static let usual = CardColor.teal

    package init?(name: String) {
        guard let color = CardColor.allCases.first(where: { $0.name == name }) else { return nil }
        self = color
    }

    package var name: String { "\(self)" }
}
