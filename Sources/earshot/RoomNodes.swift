import Chat
import ChatNode
import Commands
import Discovery
import Noise
import Phrases
import Reactor
import Settings
import Storage
import Wire

/// Makes and starts the nodes of the program's rooms, all on one event loop.
struct RoomNodes: Sendable {
    private let arguments: Arguments
    private let loop: EventLoop
    private let kept: KeptState?
    private let reports: ReportQueue
    /// The mDNS of all rooms; nil where peers are not looked for.
    private let discovery: LocalNetwork.Shared?
    private let tell: @Sendable ([RoomReport]) -> Void

    /// - Parameters:
    ///   - loop: where the nodes live; it is run by the caller.
    ///   - reports: take the events of all nodes.
    ///   - tell: takes them too, in the nodes' turn.
    init(
        _ arguments: Arguments, on loop: EventLoop, keeping kept: KeptState?, _ reports: ReportQueue,
        and tell: @escaping @Sendable ([RoomReport]) -> Void
    ) {
        (self.arguments, self.loop, self.kept) = (arguments, loop, kept)
        (self.reports, self.tell) = (reports, tell)
        discovery = arguments.network(of: arguments.rooms[0]).sharedDiscovery()
    }

    /// Makes the nodes of the rooms of the command line; the first one has the kept identity, if there is one. The keys of
    /// private rooms are then the nodes' alone, so that a wipe forgets them.
    func add(_ openRooms: [Room], to rooms: isolated Program) throws(StartFailure) {
        for (index, room) in openRooms.enumerated() {
            let label = try RoomNodes.reserve(room.name, in: rooms)
            rooms.add(label, try node(in: room, label, arguments.rooms[index], isAsKept: index == 0, rooms))
        }
    }

    /// Makes the node that comes after a wipe: of another identity, under another name, in the first room, or in the lobby if
    /// that was private.
    func addNext(to rooms: isolated Program) throws(StartFailure) -> RoomLabel {
        var setup = arguments.rooms[0]
        setup.nickname = nil
        let room = setup.choice.key == nil ? Room(openNamed: setup.choice.name) : .lobby
        let label = try RoomNodes.reserve(room.name, in: rooms)
        rooms.add(label, try node(in: room, label, setup, isAsKept: false, rooms))
        return label
    }

    /// Starts all nodes. The epoch of the run is on the disk before any peer hears of the kept identity, with the nickname, by which
    /// later runs go on even if it was drawn.
    func start(_ rooms: isolated Program) throws(StartFailure) {
        let all = rooms.all
        if let kept, let first = all.first, kept.keeps(first.label) {
            let (epoch, nickname) = (first.node.epoch, first.node.chat.ownName.nickname)
            do throws(StorageError) {
                try kept.files.store { state in
                    state.epoch = epoch
                    state.nickname = nickname
                }
            } catch {
                throw StartFailure(error)
            }
        }
        for index in all.indices {
            let port = arguments.rooms.indices.contains(index) ? arguments.rooms[index].port : 0
            do throws(TransportError) {
                try rooms.start(at: index)
            } catch {
                throw StartFailure(listeningOn: port, error)
            }
        }
    }

    /// Joins a further room, as `/join` asks for.
    func begin(
        _ request: RoomRequest, _ label: RoomLabel, in rooms: isolated Program
    ) async -> CommandExecutor.Joining {
        let room: Room
        let node: Node
        if request.key == nil, !request.isOpen, let invited = rooms.invitation(to: request.name) {
            room = invited
        } else {
            do throws(ChatError) { room = try await RoomNodes.open(request) } catch { return .failed(error) }
        }
        if let known = rooms.label(of: room) {
            rooms.forgetInvitation(to: room)
            return .known(known)
        }
        do throws(StartFailure) {
            node = try self.node(
                in: room, label, RoomSetup(), isAsKept: request.isAsKept, isNew: request.isNew, rooms)
            if request.isAsKept, let kept, kept.keeps(label) {
                let epoch = node.epoch
                await kept.writer.submit { $0.epoch = max($0.epoch, epoch) }()
            }
            node.change(.lookAway)
            do throws(TransportError) {
                try node.start()
            } catch {
                throw StartFailure(listeningOn: 0, error)
            }
        } catch {
            return .failed(ChatError(.roomFailed, .roomFailed, request.name, error.message))
        }
        rooms.add(label, node)
        guard await rooms.awaitReady(label) else {
            return .failed(ChatError(.roomFailed, .roomFailed, request.name, "its node has ended"))
        }
        rooms.forgetInvitation(to: room)
        return .ready
    }

    /// The room of a request. A pass phrase computes for about a second.
    private static func open(_ request: RoomRequest) async throws(ChatError) -> Room {
        guard let key = request.key else { return Room(openNamed: request.name) }
        let result: Result<RoomKey, RoomKeyError>
        do throws(SystemError) {
            result = try await EventLoop.compute(onThreadNamed: "key") {
                Result { () throws(RoomKeyError) in try RoomKey(reading: key, forRoomNamed: request.name) }
            }
        } catch {
            throw ChatError(.roomFailed, .roomFailed, request.name, StartFailure(error).message)
        }
        do throws(RoomKeyError) { return Room(request.name, key: try result.get()) } catch {
            throw ChatError(.invalidKey, error.sentence)
        }
    }

    private static func reserve(_ name: String, in rooms: isolated Program) throws(StartFailure) -> RoomLabel {
        do throws(ChatError) { return try rooms.reserve(name) } catch { throw StartFailure(error.message) }
    }

    private func node(
        in room: Room, _ label: RoomLabel, _ setup: RoomSetup, isAsKept: Bool, isNew: Bool = false,
        _ rooms: isolated Program
    ) throws(StartFailure) -> Node {
        var configuration = NodeConfiguration()
        configuration.isNewRoom = isNew
        configuration.nickname = setup.nickname
        configuration.room = room
        configuration.port = setup.port
        if let rate = arguments.rate { configuration.choose(rate: rate) }
        configuration.sharesHistory = arguments.sharesHistory
        configuration.readReceipts = arguments.readReceipts
        configuration.sendsCover = arguments.sendsCover
        configuration.consentsToBridges = setup.consentsToBridges
        configuration.bridge = try ChosenBridge.open(setup.bridge, in: room)
        configuration.contacts = kept?.contacts?.names ?? [:]
        let network = arguments.network(of: setup)
        let deliver = rooms.entrance(of: label, to: reports, and: tell)
        do throws(SystemError) {
            guard isAsKept, let kept, let identity = kept.identity(for: label) else {
                return try network.node(
                    configuration, Identity.passing(), on: loop, discovery: discovery, deliver: deliver)
            }
            let state = kept.files.state
            configuration.nickname = setup.nickname ?? state.nickname
            configuration.profile = Profile(about: state.about)
            return try network.node(
                configuration, identity,
                marks: PeerMarks(verified: MarkedPeers(state.verified), blocked: MarkedPeers(state.blocked)),
                accepted: state.accepted, minimumEpoch: state.nextEpoch, on: loop, discovery: discovery,
                deliver: deliver,
                epochChanged: { epoch in kept.writer.submit { $0.epoch = max($0.epoch, epoch) } },
                directsChanged: { kept.store(accepted: $0, of: label) })
        } catch {
            throw StartFailure(error)
        }
    }
}
