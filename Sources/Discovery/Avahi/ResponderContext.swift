/// The user data of an Avahi callback: the receiver of its reports. The responder keeps it until the Avahi object is freed.
final class ResponderContext: Sendable {
    let source: Source
    /// The listing that a resolver is for.
    let listing: Listing?
    private let epoch: Int
    private let report: ResponderReport

    init(source: Source, epoch: Int, listing: Listing? = nil, report: @escaping ResponderReport) {
        self.source = source
        self.listing = listing
        self.epoch = epoch
        self.report = report
    }

    func tell(_ event: ResponderEvent) {
        report(event, source, epoch)
    }

    func with(_ listing: Listing) -> ResponderContext {
        ResponderContext(source: source, epoch: epoch, listing: listing, report: report)
    }

    /// The context as Avahi takes it.
    var userdata: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ userdata: UnsafeMutableRawPointer?) -> ResponderContext? {
        guard let userdata = unsafe userdata else { return nil }
        return unsafe Unmanaged<ResponderContext>.fromOpaque(userdata).takeUnretainedValue()
    }
}
