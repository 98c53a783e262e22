internal import Chat
package import ChatNode
internal import Reactor

/// A room that this program is in.
///
/// All functions can be called from any actor and any task. The node of the room lives on an event loop inside the library,
/// which all rooms of the process share.
public final class Room: Sendable, Hashable {
    /// The address by which it was joined.
    public let address: RoomAddress
    let owner: RoomOwner
    package let carrier: any RoomCarrier

    package init(_ address: RoomAddress, _ owner: RoomOwner, _ carrier: any RoomCarrier) {
        (self.address, self.owner, self.carrier) = (address, owner, carrier)
    }

    /// Joins a room, and leaves it when `body` returns, throws or is cancelled: peers get a goodbye, and messages that wait are
    /// sent, for 10 s at most. Meanwhile the node dials peers again whose connections are lost. Where it ends by itself, `Event.stopped` is
    /// the last event and says why; `body` goes on, and what it sends from then on throws `SendError` with `ended`.
    ///
    /// - Parameters:
    ///   - address: the room.
    ///   - identity: the key of this user there.
    ///   - nickname: 1 to 24 characters; nil for the last one of the identity, or a random one.
    ///   - options: discovery, port, named peers, network interfaces.
    ///   - body: runs in the isolation of the caller, once the node is in the room. Peers are found meanwhile.
    /// - Returns: the result of `body`.
    /// - Throws: `JoinError`, and what `body` throws.
    public static func join<Result>(
        _ address: RoomAddress, as identity: Identity, nickname: String? = nil, options: Options = Options(),
        _ body: (Room) async throws -> Result
    ) async throws -> Result {
        let room = try await begin(address, as: identity, nickname: nickname, options)
        do {
            let result = try await body(room)
            await room.leave()
            return result
        } catch {
            await room.leave()
            throw error
        }
    }

    private static func begin(
        _ address: RoomAddress, as identity: Identity, nickname: String?, _ options: Options
    ) async throws(JoinError) -> Room {
        var configuration = try await configuration(of: address, nickname: nickname)
        configuration.port = options.port
        configuration.sharesHistory = options.sharesHistory
        let network = try options.network()
        let runtime = try Runtime.shared()
        let owner = RoomOwner(on: runtime.loop)
        try await owner.start { [configuration] (deliver) throws(JoinError) in
            try runtime.node(configuration, network, as: identity, deliver: deliver)
        }
        return Room(address, owner, DirectCarrier())
    }

    /// The part of a node's configuration that every network needs.
    package static func configuration(
        of address: RoomAddress, nickname: String?
    ) async throws(JoinError) -> NodeConfiguration {
        var configuration = NodeConfiguration()
        configuration.room = try await address.open()
        do throws(ChatError) {
            configuration.nickname = try nickname.map { text throws(ChatError) in try Nickname.compose(text) }
        } catch {
            throw JoinError(.invalidNickname, error.message)
        }
        return configuration
    }

    /// Leaves, and returns when the node has ended.
    package func leave() async { try? await carrier.carry { [owner] in await owner.leave() } }

    /// The events of the room, from its joining on.
    public var events: Events { Events(room: self) }

    /// This user, under the present nickname; nil once the room is left.
    public var me: Person? { get async { await owner.me() } }

    /// The TCP port at which the node listens; nil once the room is left.
    public var port: UInt16? { get async { await owner.port() } }

    /// The people that are here, the longest first; of a crowd, the 64 that were heard last. This user is not among them.
    public var people: [Person] { get async { await owner.people() } }

    /// A person that is or was here; nil for a key that was never seen here, for this user's, and once the room is left.
    ///
    /// - Parameter id: 64 hexadecimal digits.
    public func person(id: Person.ID) async -> Person? { await owner.person(id: id) }

    /// The person of a number that is or was here; nil if none has it or several share it, and once the room is left. A number is no proof of
    /// identity: anyone can look for a key with a certain one.
    ///
    /// - Parameter number: 1000 to 9999.
    public func person(number: Int) async -> Person? { await owner.person(number: number) }

    /// The accepted direct conversations, the one used last first.
    public var conversations: [Conversation] {
        get async { await owner.correspondents().map { Conversation(self, with: $0) } }
    }

    /// The requests for direct conversations that wait for an answer of this user, the oldest first.
    public var requests: [Request] {
        get async { await owner.requests().map { Request(room: self, person: $0.person, text: $0.text) } }
    }

    /// The messages to the room that are kept, at most 100: the oldest first, by the clocks of their authors.
    public var messages: [Message] { get async { await Conversation(self).messages() } }

    /// Says a text to the room. Waits for the pace of two messages a second (ten at once), and for peers whose queues are full.
    ///
    /// - Parameter text: 1 to 240 characters once white space at its ends is cut, and at most 3,072 bytes; a slash at its beginning
    ///   is sent as it is. `Message.fitting(_:)` shortens a text.
    /// - Returns: the message as others get it.
    /// - Throws: `SendError` for a text that breaks a rule, and once the room is left; `CancellationError` where the task is
    ///   cancelled while it waits.
    @discardableResult
    public func send(_ text: String) async throws -> Message { try await Conversation(self).send(text) }

    /// Shows to the room that this user types, or no longer, as `Conversation.setTyping(_:)`.
    public func setTyping(_ isTyping: Bool) async { await Conversation(self).setTyping(isTyping) }

    /// The direct conversation with a person; nothing is sent until a text is said in it.
    public func conversation(with person: Person) -> Conversation { Conversation(self, with: person) }

    /// Takes another nickname of 1 to 24 characters.
    ///
    /// - Throws: `SendError` with the rule that it breaks, `ended`.
    public func changeNickname(to nickname: String) async throws { try await perform(.rename(nickname), nil) }

    /// Shows to the room that this user is away, or is back. Saying a text does not end it.
    ///
    /// - Parameters:
    ///   - isAway: false for back.
    ///   - reason: 1 to 80 characters; nil for none.
    /// - Throws: `SendError` with `refused` if the reason breaks a rule. Nothing happens once the room is left.
    public func setAway(_ isAway: Bool = true, reason: String? = nil) async throws {
        let composed: String?
        do throws(ChatError) {
            composed = try reason.map { text throws(ChatError) in try AwayReason.compose(text) }
        } catch {
            throw SendError(error)
        }
        await owner.change(.away(isAway, reason: composed))
    }

    /// Refuses all contact with a person, whose messages are not shown any more, until the room is left. The person is not notified.
    /// Nothing happens once the room is left.
    public func block(_ person: Person) async { await owner.change(.blocked(person.key, true)) }

    /// Permits contact with a person again. The person is not notified. Nothing happens once the room is left.
    public func unblock(_ person: Person) async { await owner.change(.blocked(person.key, false)) }

    @discardableResult
    func perform(_ action: UserAction, _ pace: Pace? = .messages(1)) async throws -> [NodeEvent] {
        try await carrier.carry { [owner] in try await owner.perform(action, pace) }
    }

    /// Whether both are one membership of a room.
    public static func == (left: Room, right: Room) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
