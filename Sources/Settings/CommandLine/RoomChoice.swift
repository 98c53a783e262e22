import Chat

/// Where the key of a private room is read.
package enum RoomKeySource: Hashable, Sendable {
    case file(String)
    case descriptor(CInt)
}

/// The room that the settings ask for.
package struct RoomChoice: Hashable, Sendable {
    /// A result of `RoomName.compose`.
    package private(set) var name = RoomName.lobby
    /// Nil for an open room.
    package private(set) var key: RoomKeySource?
    private(set) var isNamed = false
    /// True if a key came before its room: taken for the lobby's it would be lost with the next `--room`.
    private var hasStrayKey = false

    package init() {}

    mutating func name(_ name: String) {
        (self.name, key, isNamed) = (name, nil, true)
    }

    mutating func give(_ key: RoomKeySource) {
        hasStrayKey = hasStrayKey || !isNamed
        self.key = key
    }

    /// Checks that need all settings together.
    func check() throws(UsageError) {
        guard !hasStrayKey else {
            throw UsageError("a key is of the --room before it; give --room NAME in front of --key-file or --key-fd")
        }
    }
}

/// The settings of a command that is about a room.
package protocol RoomSettings: CommandSettings {
    var roomChoice: RoomChoice { get set }

    /// Takes the name of the room, a result of `RoomName.compose`; false if it is one room too many.
    mutating func name(room: String) -> Bool
}

extension RoomSettings {
    package var room: String { roomChoice.name }

    package mutating func name(room: String) -> Bool {
        roomChoice.name(room)
        return true
    }

    /// The options that choose the room.
    ///
    /// - Parameters:
    ///   - help: the purpose of the room, for the help text.
    ///   - areSeveral: whether the options may be given for several rooms.
    static func roomOptions(_ help: String, areSeveral: Bool = false) -> [Option<Self>] {
        [
            Option(
                name: "--room", help: help,
                kind: .value("NAME", wanted: "a name of 1 to 64 characters on one line") { settings, value in
                    (try? RoomName.compose(value)).map { settings.name(room: $0) } ?? false
                }, isRepeatable: areSeveral),
            .file("--key-file", "the key of the private --room before it: the first line of this file") {
                $0.roomChoice.give(.file($1))
            }.repeatable(areSeveral, about: "--room"),
            .descriptor("--key-fd", "the key of the private --room before it, from this open descriptor") {
                $0.roomChoice.give(.descriptor($1))
            }.repeatable(areSeveral, about: "--room"),
        ]
    }
}
