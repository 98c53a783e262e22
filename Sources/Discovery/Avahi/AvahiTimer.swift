import CAvahi
import CAvahiCore
import CLinux
import Glibc
import Reactor
import Wire

/// An Avahi timeout: one instant and its callback.
@safe
final class AvahiTimer {
    unowned let owner: AvahiLoop
    /// Nanoseconds on the monotonic clock; nil while it is off.
    var deadline: Int64?
    private let callback: AvahiTimeoutCallback
    private let userdata: UnsafeMutableRawPointer?

    init(
        owner: AvahiLoop, deadline: Int64?, callback: @escaping AvahiTimeoutCallback,
        userdata: UnsafeMutableRawPointer?
    ) {
        self.owner = owner
        self.deadline = deadline
        unsafe self.callback = callback
        unsafe self.userdata = userdata
    }

    var handle: OpaquePointer { unsafe OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    static func from(_ handle: OpaquePointer) -> Unmanaged<AvahiTimer> {
        unsafe Unmanaged.fromOpaque(UnsafeRawPointer(handle))
    }

    func fire() {
        deadline = nil
        unsafe callback(handle, userdata)
    }

    /// Avahi gives a point on the wall clock, zero for "now" and nothing for "never". It is moved to the monotonic
    /// clock at once, so that setting the clock does not move it; none is further off than a day.
    static func deadline(_ time: UnsafePointer<timeval>?) -> Int64? {
        guard let time = unsafe time?.pointee else { return nil }
        var wall = timeval()
        unsafe gettimeofday(&wall, nil)
        let seconds = min(max(Int64(time.tv_sec) - Int64(wall.tv_sec), -1), 86_400)
        let microseconds = Int64(time.tv_usec) - Int64(wall.tv_usec)
        return Instant.monotonic.nanoseconds + max(seconds * 1_000_000_000 + microseconds * 1_000, 0)
    }
}
