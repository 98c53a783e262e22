import CAvahi
import Glibc
import Reactor

/// An Avahi watch: a descriptor, the awaited events and their callback.
@safe
final class AvahiWatcher {
    unowned let owner: AvahiLoop
    let descriptor: CInt
    var interest: Interest
    var isDead = false
    private(set) var happened: UInt32 = 0
    private let callback: AvahiWatchCallback
    private let userdata: UnsafeMutableRawPointer?

    init(
        owner: AvahiLoop, descriptor: CInt, interest: Interest, callback: @escaping AvahiWatchCallback,
        userdata: UnsafeMutableRawPointer?
    ) {
        self.owner = owner
        self.descriptor = descriptor
        self.interest = interest
        unsafe self.callback = callback
        unsafe self.userdata = userdata
    }

    /// The handle that Avahi knows it by.
    var handle: OpaquePointer { unsafe OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    static func from(_ handle: OpaquePointer) -> Unmanaged<AvahiWatcher> {
        unsafe Unmanaged.fromOpaque(UnsafeRawPointer(handle))
    }

    /// Avahi 0.8 passes some of libdbus' flags on untranslated: there, 2 is "writable".
    static func interest(of event: AvahiWatchEvent) -> Interest {
        var interest: Interest = []
        if event.rawValue & UInt32(POLLIN) != 0 { interest.insert(.readable) }
        if event.rawValue & (UInt32(POLLOUT) | 2) != 0 { interest.insert(.writable) }
        return interest
    }

    func tell(_ events: Readiness) {
        var flags: UInt32 = 0
        if events.contains(.readable), interest.contains(.readable) { flags |= UInt32(POLLIN) }
        if events.contains(.writable), interest.contains(.writable) { flags |= UInt32(POLLOUT) }
        if events.contains(.hangUp) { flags |= UInt32(POLLHUP) }
        if events.contains(.error) { flags |= UInt32(POLLERR) }
        guard flags != 0 else { return }
        happened = flags
        unsafe callback(handle, descriptor, AvahiWatchEvent(flags), userdata)
        happened = 0
    }
}
