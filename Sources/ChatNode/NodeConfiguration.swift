package import Chat
package import Wire

/// The configuration of a node.
package struct NodeConfiguration: Sendable {
    /// 1 to 24 characters; nil draws one at random.
    package var nickname: String?
    package var room = Room.lobby
    /// Whether the key of the room was made just now.
    package var isNewRoom = false
    /// The profile in the presence; its texts are composed.
    package var profile = Profile()
    /// The user's own names for peers.
    package var contacts: [PeerID: String] = [:]
    /// 0 for a port of the system's choice.
    package var port: UInt16 = 0
    /// Messages per second that an author sends: of each other one twice as many are accepted. 0: no limit, for simulations.
    package var messagesPerSecond = Limits.sendPerSecond
    /// Messages per second that the user sends, if it is another number. 0: no limit.
    package private(set) var ownMessagesPerSecond: Double?
    /// Handshakes that all peers together may begin with us per second; the burst is twice that. 0: no limit, for
    /// simulations.
    package var handshakesPerSecond = Limits.handshakesPerSecond
    /// Sends read receipts for direct messages, and shows those of others.
    package var readReceipts = false
    /// Sends records at random times, in which private messages go, so that no observer learns of these (`--cover`).
    package var sendsCover = false
    /// Whether past messages are asked for and offered.
    package var sharesHistory = true

    /// Lets bridges publish what this node says to the room; nil: only in a private room.
    package var consentsToBridges: Bool?
    /// Nil unless this node carries the room to other networks.
    package var bridge: BridgeSetup?

    /// Whether direct messages for peers without a link are sealed and sent to neighbours that announced them.
    package var sealsForRelays = false
    /// Whether sealed messages for others are passed on.
    package var relaysSealed = false

    /// The part of the first presence about bridges.
    var bridging: Bridging {
        Bridging(consents: consentsToBridges ?? room.isPrivate, isBridge: bridge != nil)
    }

    /// Whether other nodes should be there, of which a wrong key would hide all.
    var awaitsOthers: Bool { room.isPrivate && !isNewRoom }

    /// The rate of the own messages; 0 for no limit.
    var ownPace: Double { ownMessagesPerSecond ?? messagesPerSecond }

    package init() {}

    /// Takes over the rate that the user chose. 0 lifts the limit on the own messages alone: what others send is held to the
    /// usual one.
    package mutating func choose(rate: Double) {
        ownMessagesPerSecond = rate
        if rate > 0 { messagesPerSecond = rate }
    }
}
