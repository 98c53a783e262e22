package import Chat
import Phrases

/// An operand of a command: a line spells it, a program gives it by its name, and the command gets it as a value.
package struct Operand: Sendable {
    package enum Kind: Hashable, Sendable {
        /// A peer, of these if several have the name: a word or a text in double quotes; at the end of a line all of the rest.
        case who(MeantPeers)
        /// A name for a peer or a room that the user is in, spelled as a peer is.
        case name
        /// A room to enter; of a new one the line has nothing behind.
        case room(isNew: Bool)
        /// `public`, a room or a peer; a program says which of the two.
        case place
        /// The rest of the line as it is.
        case text
        /// The beginning of a message's id.
        case message
        /// The id of a message that only programs give.
        case reference
        /// `--color` and one of the names, in front of a line.
        case color
        /// The text in front of the first `|` of a line.
        case title
        /// `remove` and the beginning of an id, or none: all of a line without a `|`. Then the other operands are not needed.
        case removal
        /// The key of a room: the rest of the line. It is not shown.
        case key
        /// Rooms, or `off` for none.
        case rooms
        /// True or false, each by a word of the line.
        case flag([String: Bool])
        /// True, as a slip of the hand must erase nothing.
        case confirmation
        /// A word of the line that says nothing to a program.
        case word
        /// True by these words at the end of the line.
        case ending(String)

        /// Whether a line is searched for it from its end, if another operand is in front of it.
        var isAtEnd: Bool {
            switch self {
            case .flag, .ending: true
            case .who, .name, .room, .place, .text, .message, .reference, .color, .title, .removal, .key, .rooms,
                .confirmation, .word:
                false
            }
        }
    }

    /// The name by which programs give it.
    package let name: String
    package let kind: Kind
    /// As `/help` shows it; nil for one that it does not show.
    let shown: String?
    package let isNeeded: Bool
    /// The error for a line that lacks it or has another word there; its arguments are the command and its usage.
    let fault: (code: ChatError.Code, phrase: Phrase)

    private init(
        _ name: String, _ kind: Kind, _ shown: String?, isNeeded: Bool = false,
        _ code: ChatError.Code = .unknownCommand, _ fault: Phrase = .takesNothing
    ) {
        (self.name, self.kind, self.shown, self.isNeeded) = (name, kind, shown, isNeeded)
        self.fault = (code, fault)
    }

    /// The names by which programs give it.
    var names: [String] {
        switch kind {
        case .place: ["who", "room"]
        case .rooms: [name, "off"]
        case .word: []
        case .who, .name, .room, .text, .message, .reference, .color, .title, .removal, .key, .flag, .confirmation,
            .ending:
            [name]
        }
    }

    static let who = who(.all)
    static func who(_ meant: MeantPeers) -> Operand {
        Operand("who", .who(meant), "WHO", isNeeded: true, .unknownPeer, .noPeerGiven)
    }
    /// Of a command that needs no name while one request is open.
    static let requester = Operand("who", .who(.requesting), "[WHO]")
    static let anyone = Operand("who", .who(.all), "[WHO]")
    static let place = Operand("place", .place, "WHO|ROOM", isNeeded: true, .unknownPeer, .noPeerGiven)
    static let text = Operand("text", .text, "TEXT", isNeeded: true, .empty, .emptyText)
    static func optionalText(_ name: String) -> Operand { Operand(name, .text, "[\(name.uppercased())]") }
    static let message = Operand("id", .message, "[ID]", .unknownMessage, .badMessageID)
    static let target = Operand("id", .message, "ID", isNeeded: true, .unknownMessage, .noMessageID)
    static let replyTo = Operand("replyTo", .reference, nil)
    static let emoji = Operand("emoji", .text, "[EMOJI]")
    static let removal = Operand("remove", .removal, nil)
    static let color = Operand("color", .color, nil, .invalidCard, .badCardColor)
    static let title = Operand("title", .title, "TITLE |", isNeeded: true, .invalidCard, .noCardTitle)
    static let cardText = Operand("text", .text, "TEXT", isNeeded: true, .invalidCard, .noCardTitle)
    static let ownRoom = Operand("room", .name, "[ROOM]")
    static let ownName = Operand("name", .name, "[NAME]")
    static let room = Operand("room", .room(isNew: false), "ROOM", isNeeded: true, .unknownRoom, .noRoomGiven)
    static let newRoom = Operand("room", .room(isNew: true), "ROOM", isNeeded: true, .unknownCommand, .takesNewRoom)
    static let new = Operand("new", .word, "new", .unknownCommand, .takesNewRoom)
    static let key = Operand("key", .key, "[KEY]")
    static let rooms = Operand("rooms", .rooms, "[ROOM]")
    static let yes = Operand("yes", .confirmation, "yes", .unknownCommand, .wipeNeedsYes)
    /// A word in place of the confirmation before it, which it is too.
    static let now = Operand("now", .ending("now"), nil)
    static func flag(_ name: String, _ words: KeyValuePairs<String, Bool>, _ fault: Phrase = .takesNothing) -> Operand {
        let shown = words.map(\.key).joined(separator: "|")
        return Operand(
            name, .flag(Dictionary(uniqueKeysWithValues: words.map { ($0.key, $0.value) })), "[\(shown)]",
            .unknownCommand, fault)
    }
    static func ending(_ words: String, _ name: String) -> Operand { Operand(name, .ending(words), nil) }
    static let setting = Operand("setting", .text, "[NAME VALUE]")
}
