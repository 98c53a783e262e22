package import Chat
package import ChatNode
import Noise
import Synchronization
package import Wire

/// A node in a simulation, with what a person in front of it would do and see.
package final class SimulatedPeer: Sendable {
    package let host: HostID
    package let key: PeerID
    private let node: Confined<Node>
    private let network: InMemoryNetwork
    private let directory: InMemoryDirectory
    private let told: Told
    private let scheduler: SimulatedScheduler

    /// All events of the node, in order.
    private final class Told: Sendable {
        let events = Mutex<[NodeEvent]>([])
        let accepted = Mutex<[PeerID]>([])
    }

    init(
        simulation: Simulation, configuration: NodeConfiguration, clockError: Duration, seed: UInt64,
        identitySeed: UInt64?, accepted: [PeerID], minimumEpoch: UInt64, place: Int?, neighbour: SimulatedPeer?,
        isDeaf: Bool, listener: (@Sendable ([NodeEvent]) -> Void)?
    ) {
        network = simulation.network
        directory = simulation.directory
        host = simulation.network.addHost(at: place, beside: neighbour?.host)
        var randomness = Randomness.seeded(seed)
        var identityRandomness = identitySeed.map(Randomness.seeded) ?? randomness
        let identity = Identity.generate(using: &identityRandomness)
        if identitySeed == nil { randomness = identityRandomness }
        key = identity.id
        let told = Told()
        self.told = told
        told.accepted.withLock { $0 = accepted }
        scheduler = SimulatedScheduler(timeline: simulation.timeline, clockError: clockError)
        let node = Node(
            configuration: configuration, identity: identity, accepted: accepted, minimumEpoch: minimumEpoch,
            randomness: randomness,
            scheduler: scheduler,
            transport: InMemoryTransport(network: simulation.network, host: host),
            discoveries: [InMemoryDiscovery(directory: simulation.directory, host: host, isDeaf: isDeaf)],
            deliver: listener ?? { batch in told.events.withLock { $0 += batch } },
            directsChanged: { accepted in told.accepted.withLock { $0 = accepted } })
        self.node = Confined(node)
        try? with { node throws(TransportError) in try node.start() }
    }

    package var events: [NodeEvent] { told.events.withLock { $0 } }

    /// The content that a file would keep: the peers of accepted direct conversations, the one used last at the end.
    package var accepted: [PeerID] { told.accepted.withLock { $0 } }

    /// Every message that the node reported, in any conversation.
    package var messages: [MessageView] {
        events.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    package var hasStopped: Bool {
        events.contains { if case .stopped = $0 { true } else { false } }
    }

    /// Runs `body` inside the node.
    package func with<Result: Sendable, Failure: Error>(
        _ body: (Node) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try network.timeline.perform { () throws(Failure) in try body(node.value) }
    }

    /// Sends to the conversation that is being looked at.
    package func say(_ text: String) throws(ChatError) {
        try with { node throws(ChatError) in try node.perform(.send(text)) }
    }

    /// The latest public messages on which the user has no reaction, of so many.
    func reactable(of count: Int) -> [MessageID] {
        with { node in node.chat.messages(in: .publicRoom) }.suffix(count)
            .filter { !$0.reactions.contains(where: \.isOwn) }.map(\.id)
    }

    package func react(_ emoji: String, to message: MessageID) throws(ChatError) {
        try with { node throws(ChatError) in
            try node.perform(.react(message.hexadecimal, of: .publicRoom, .set(emoji)))
        }
    }

    package func say(_ text: String, to other: SimulatedPeer) throws(ChatError) {
        try with { node throws(ChatError) in try node.perform(.send(text, to: .direct(other.key))) }
    }

    package func accept(_ other: SimulatedPeer) throws(ChatError) {
        try with { node throws(ChatError) in try node.perform(.accept(other.key)) }
    }

    package func decline(_ other: SimulatedPeer) throws(ChatError) {
        try with { node throws(ChatError) in try node.perform(.decline(other.key)) }
    }

    package func open(_ conversation: Conversation) {
        with { node in node.change(.open(conversation)) }
    }

    package func isOnline(_ other: SimulatedPeer) -> Bool {
        with { [key = other.key] node in node.chat.roster.isOnline(key) }
    }

    /// The texts of a conversation, the oldest first.
    package func texts(_ conversation: Conversation = .publicRoom) -> [String] {
        with { node in node.chat.messages(in: conversation) }.map(\.text)
    }

    package func unread(_ conversation: Conversation = .publicRoom) -> Int {
        with { node in node.chat.summaries }.first { $0.conversation.isAbout(conversation) }?.unread ?? 0
    }

    package func counter(_ name: String) -> Int {
        with { node in node.statistics() }.first { $0.metric.name == name }?.value ?? 0
    }

    /// Kills the program as SIGKILL does: the kernel closes the connections, and only the mDNS daemon says goodbye.
    ///
    /// - Parameter isReset: true if the kernel resets the connections instead of closing them.
    package func kill(isReset: Bool = false) {
        network.timeline.perform {
            network.kill(host, isReset: isReset)
            directory.remove(host)
        }
    }

    /// Takes the node off the network without a sign to the others, as a machine that loses its power.
    package func vanish() {
        network.timeline.perform {
            network.vanish(host)
            directory.forget(host)
        }
    }

    /// Sets the wall clock of its machine.
    ///
    /// - Parameter error: its offset from now on.
    package func setClock(error: Duration) { scheduler.setClock(error: error) }

    /// Leaves politely, which takes a while.
    package func leave() {
        with { node in node.beginLeaving() }
    }
}

extension ConversationView {
    /// Whether it shows `conversation`.
    package func isAbout(_ conversation: Conversation) -> Bool {
        switch (self, conversation) {
        case (.publicRoom, .publicRoom): true
        case (.direct(let who), .direct(let peer)): who.key == peer
        case (.publicRoom, .direct), (.direct, .publicRoom): false
        }
    }
}
