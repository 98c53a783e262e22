import CAvahi
import Glibc
import Reactor

/// The seven functions by which Avahi uses an event loop. A handle owns its object until Avahi frees it.
enum AvahiPollTable {
    static func make() -> AvahiPoll {
        var table = unsafe AvahiPoll()
        unsafe table.watch_new = { api, descriptor, event, callback, userdata in
            guard let api = unsafe api, let callback = unsafe callback else { return nil }
            let owner = unsafe AvahiPollTable.loop(of: api)
            let watch = unsafe AvahiWatcher(
                owner: owner, descriptor: descriptor, interest: AvahiWatcher.interest(of: event), callback: callback,
                userdata: userdata)
            owner.add(watch)
            return unsafe OpaquePointer(Unmanaged.passRetained(watch).toOpaque())
        }
        unsafe table.watch_update = { handle, event in
            guard let handle = unsafe handle else { return }
            let watch = unsafe AvahiWatcher.from(handle).takeUnretainedValue()
            watch.owner.update(watch, AvahiWatcher.interest(of: event))
        }
        unsafe table.watch_get_events = { handle in
            guard let handle = unsafe handle else { return AvahiWatchEvent(0) }
            return unsafe AvahiWatchEvent(AvahiWatcher.from(handle).takeUnretainedValue().happened)
        }
        unsafe table.watch_free = { handle in
            guard let handle = unsafe handle else { return }
            let watch = unsafe AvahiWatcher.from(handle).takeRetainedValue()
            watch.owner.remove(watch)
        }
        unsafe addTimeouts(to: &table)
        return unsafe table
    }

    private static func addTimeouts(to table: inout AvahiPoll) {
        unsafe table.timeout_new = { api, time, callback, userdata in
            guard let api = unsafe api, let callback = unsafe callback else { return nil }
            let owner = unsafe AvahiPollTable.loop(of: api)
            let timeout = unsafe AvahiTimer(
                owner: owner, deadline: AvahiTimer.deadline(time), callback: callback, userdata: userdata)
            owner.add(timeout)
            return unsafe OpaquePointer(Unmanaged.passRetained(timeout).toOpaque())
        }
        unsafe table.timeout_update = { handle, time in
            guard let handle = unsafe handle else { return }
            let timeout = unsafe AvahiTimer.from(handle).takeUnretainedValue()
            timeout.deadline = unsafe AvahiTimer.deadline(time)
            timeout.owner.rearm()
        }
        unsafe table.timeout_free = { handle in
            guard let handle = unsafe handle else { return }
            let timeout = unsafe AvahiTimer.from(handle).takeRetainedValue()
            timeout.owner.remove(timeout)
        }
    }

    private static func loop(of api: UnsafePointer<AvahiPoll>) -> AvahiLoop {
        guard let userdata = unsafe api.pointee.userdata else {
            preconditionFailure("Avahi's poll table has no event loop")
        }
        return unsafe Unmanaged<AvahiLoop>.fromOpaque(userdata).takeUnretainedValue()
    }
}
