/// The user data of an Avahi callback about the connection: the receiver of its reports. The responder keeps it until the
/// connection is closed.
final class ResponderContext: Sendable {
    let source: RecordSource
    private let epoch: Int
    private let report: ResponderReport

    init(source: RecordSource, epoch: Int, report: @escaping ResponderReport) {
        self.source = source
        self.epoch = epoch
        self.report = report
    }

    func tell(_ event: ResponderEvent) {
        report(event, source, epoch)
    }

    /// The context as Avahi takes it.
    var userdata: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ userdata: UnsafeMutableRawPointer?) -> ResponderContext? {
        guard let userdata = unsafe userdata else { return nil }
        return unsafe Unmanaged<ResponderContext>.fromOpaque(userdata).takeUnretainedValue()
    }
}

/// The user data of an Avahi callback about one room. `RoomObjects` keeps it until the Avahi objects are freed.
final class RoomContext: Sendable {
    let responder: ResponderContext
    /// The listing that a resolver is for.
    let listing: Listing?
    let room: RoomNumber

    init(_ room: RoomNumber, in responder: ResponderContext, listing: Listing? = nil) {
        self.room = room
        self.responder = responder
        self.listing = listing
    }

    var source: RecordSource { responder.source }

    func tell(_ event: RoomEvent) {
        responder.tell(.room(room, event))
    }

    func with(_ listing: Listing) -> RoomContext {
        RoomContext(room, in: responder, listing: listing)
    }

    /// The context as Avahi takes it.
    var userdata: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ userdata: UnsafeMutableRawPointer?) -> RoomContext? {
        guard let userdata = unsafe userdata else { return nil }
        return unsafe Unmanaged<RoomContext>.fromOpaque(userdata).takeUnretainedValue()
    }
}
