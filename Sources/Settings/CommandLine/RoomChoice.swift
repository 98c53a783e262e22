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
    private var isNamed = false
    /// True if a key came before its room: taken for the lobby's it would be lost with the next `--room`.
    private var hasStrayKey = false

    package init() {}

    fileprivate mutating func name(_ name: String) {
        (self.name, key, isNamed) = (name, nil, true)
    }

    fileprivate mutating func give(_ key: RoomKeySource) {
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
}

extension RoomSettings {
    package var room: String { roomChoice.name }

    /// The options that choose the room.
    ///
    /// - Parameter help: what the room is for.
    static func roomOptions(_ help: String) -> [Option<Self>] {
        [
            Option(
                name: "--room", help: help,
                kind: .value("NAME", wanted: Wanted.room) { settings, value in
                    (try? RoomName.compose(value)).map { settings.roomChoice.name($0) } != nil
                }),
            Option(
                name: "--key-file", help: "the key of the private --room before it: the first line of this file",
                kind: .value("FILE", wanted: "a file") { settings, value in
                    settings.roomChoice.give(.file(value))
                    return !value.isEmpty
                }, qualified: "--room"),
            Option(
                name: "--key-fd", help: "the key of the private --room before it, from this open descriptor",
                kind: .value("N", wanted: "the number of an open descriptor") { settings, value in
                    CInt(decimal: value).map { settings.roomChoice.give(.descriptor($0)) } != nil
                }, qualified: "--room"),
        ]
    }
}
