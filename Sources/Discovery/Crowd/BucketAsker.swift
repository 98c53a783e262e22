import ChatNode
import Reactor
import Wire

/// Asks for the members of buckets by one-shot questions, which each member answers by a packet to this machine alone (RFC
/// 6762 section 6.7); at each interface, in each family. Confined to its event loop.
///
/// The answers come to a port of its own, so their senders are known, also where Avahi's daemon does all else.
final class BucketAsker: DescriptorHandler {
    struct BucketAnswer {
        /// From index 0.
        let bytes: ArraySlice<UInt8>
        /// The address that it came from.
        let sender: [UInt8]
        let place: MulticastPlace
        let room: RoomNumber
    }

    private struct Question {
        let socket: MulticastSocket
        let place: MulticastPlace
        let room: RoomNumber
        let id: UInt16
    }

    /// Responders answer at once; the network may keep an answer for a while.
    static let patience = Duration.seconds(3)
    /// Sockets at once. A room asks by three questions within its patience, at up to 17 interfaces in two families.
    static let maximumQuestions = 256
    /// In one turn; the rest waits for the next.
    private static let batch = 64

    private let loop: EventLoop
    private let hear: (BucketAnswer) -> Void
    private let gate: MulticastGate
    private var questions: [CInt: Question] = [:]
    private var buffer = [UInt8](repeating: 0, count: MulticastSocket.maximumMessage)
    private var generator = SystemRandomNumberGenerator()

    init(loop: EventLoop, gate: MulticastGate = MulticastGate(), hear: @escaping (BucketAnswer) -> Void) {
        self.loop = loop
        self.gate = gate
        self.hear = hear
    }

    /// Asks for the members of some subtypes of a room; where the network can not be used, nothing is asked.
    func ask(for subtypes: [String], of room: RoomNumber, in view: NetworkView) {
        let id = UInt16.random(in: .min ... .max, using: &generator)
        let question = MDNSMessage.query(for: subtypes.map(MDNSName.subtype), id: id)
        for (place, source) in view.listeningPosts where questions.count < Self.maximumQuestions {
            do throws(SystemError) {
                let socket = try MulticastSocket(.asker, at: place.interface, from: source, other: 0, reach: 255)
                try loop.watch(socket.number, .readable, self)
                questions[socket.number] = Question(socket: socket, place: place, room: room, id: id)
                try socket.send(question)
            } catch {
                // Avahi and other places go on.
                continue
            }
        }
        loop.schedule(at: loop.now + Self.patience) { [weak self] in self?.end { $0.id == id && $0.room == room }
        }
    }

    /// The room has ended.
    func leave(_ room: RoomNumber) { end { $0.room == room } }

    func close() { end { _ in true } }

    func ready(_ descriptor: CInt, _ events: Readiness) {
        for _ in 0..<Self.batch {
            guard let question = questions[descriptor], let (count, sender) = question.socket.receive(into: &buffer)
            else { return }
            let packet = MulticastPacket(
                sender: sender.address, header: Array(buffer[..<min(count, MulticastPacket.headerSize)]))
            let id = count < 2 ? nil : UInt16(buffer[0]) << 8 | UInt16(buffer[1])
            guard id == question.id, sender.port == MulticastSocket.port, gate.admits(packet, now: loop.now) else {
                continue
            }
            hear(
                BucketAnswer(
                    bytes: buffer[..<count], sender: sender.address, place: question.place, room: question.room))
        }
    }

    private func end(where isOver: (Question) -> Bool) {
        for (number, question) in questions where isOver(question) {
            loop.unwatch(number)
            questions[number] = nil
        }
    }
}
