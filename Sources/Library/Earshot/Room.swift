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
    let carrier: any RoomCarrier

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
    ///   - nickname: 1 to 24 characters; nil for the last one of a kept identity, or a random one.
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
        let kept = identity.kept
        try await owner.start { [configuration] (owner, deliver) throws(JoinError) in
            try runtime.node(configuration, network, as: kept, of: owner, deliver: deliver)
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
    public var me: Person? { get async { await owner.me().map(Person.init) } }

    /// The TCP port at which the node listens; nil once the room is left.
    public var port: UInt16? { get async { await owner.port() } }

    /// The people that are here, the longest first; of a crowd, the 64 that were heard last. This user is not among them.
    public var people: [Person] { get async { await owner.people().map(Person.init) } }

    /// The messages to the room that are kept, the oldest first: at most 100.
    public var messages: [Message] { get async { await Conversation(self).messages() } }

    /// Says a text to the room. Waits for the pace of two messages a second (ten at once), and for peers whose queues are full.
    ///
    /// - Parameter text: 1 to 240 characters.
    /// - Returns: the message as others get it.
    /// - Throws: `SendError` for a text that breaks a rule, and once the room is left; `CancellationError` where the task is
    ///   cancelled while it waits.
    @discardableResult
    public func send(_ text: String) async throws -> Message { try await Conversation(self).send(text) }

    /// The private conversation with a person; nothing is sent until a text is said in it.
    public func conversation(with person: Person) -> Conversation { Conversation(self, with: person) }

    /// Takes another nickname of 1 to 24 characters.
    ///
    /// - Throws: `SendError` with `refused` if it breaks a rule, `ended`.
    public func rename(_ nickname: String) async throws { try await perform(.rename(nickname), nil) }

    /// Refuses all contact with a person, or permits it again. The person is not notified.
    public func block(_ person: Person, _ isOn: Bool = true) async { await owner.change(.blocked(person.key, isOn)) }

    @discardableResult
    func perform(_ action: UserAction, _ pace: Pace? = .messages(1)) async throws -> [NodeEvent] {
        try await carrier.carry { [owner] in try await owner.perform(action, pace) }
    }

    /// Whether both are one membership of a room.
    public static func == (left: Room, right: Room) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
