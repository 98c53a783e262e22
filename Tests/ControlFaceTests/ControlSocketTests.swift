import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import ControlFace
@testable import Storage

/// The place of a control socket: whose it is, and what is left alone.
@Suite struct ControlSocketTests {
    private let scratch: StorageScratch

    init() throws { scratch = try StorageScratch() }

    private func failure(_ name: String, makesFolder: Bool = false) -> ControlSocket.Failure? {
        do throws(ControlSocket.Failure) {
            _ = try ControlSocket.open(scratch(name), makesFolder: makesFolder)
            return nil
        } catch {
            #expect(!error.message.contains("\n"))
            return error
        }
    }

    @Test func `a socket is its owner's alone, has a lock beside it, and is gone when it is let go of`() throws {
        do {
            let socket = try ControlSocket.open(scratch("earshot/control"), makesFolder: true)
            #expect(scratch.mode(of: "earshot") == 0o700)
            #expect(scratch.mode(of: "earshot/control") == 0o600)
            #expect(scratch.mode(of: "earshot/control.lock") == 0o600)
            socket.removeName()
            socket.removeName()
            #expect(scratch.mode(of: "earshot/control") == nil)
        }
        #expect(failure("earshot/control") == nil)
        #expect(scratch.mode(of: "earshot/control") == nil)
        #expect(scratch.mode(of: "earshot/control.lock") == 0o600)
    }

    @Test func `of many that want one place at the same time one has it`() async throws {
        let path = scratch("control")
        let winners = await withTaskGroup(of: Bool.self) { group in
            let gate = Gate(count: 8)
            for _ in 0..<8 {
                group.addTask {
                    do throws(ControlSocket.Failure) {
                        let socket = try ControlSocket.open(path, makesFolder: false)
                        await gate.pass()
                        socket.removeName()
                        return true
                    } catch {
                        await gate.pass()
                        guard case .inUse = error else { return true }
                        return false
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
    }

    @Test func `a dead socket file is replaced, another file is kept`() throws {
        try scratch.write([1], to: "file")
        guard case .unusable = failure("file") else { throw Unexpected() }
        #expect(scratch.bytes(of: "file") == [1])
        unsafe symlink(scratch("file"), scratch("link"))
        guard case .unusable = failure("link") else { throw Unexpected() }
        try leaveSocket("stale")
        #expect(failure("stale") == nil)
    }

    @Test func `a folder that is not there, or that others can change, is not used`() throws {
        guard case .unusable(let missing) = failure("nowhere/control") else { throw Unexpected() }
        #expect(missing.contains("the folder of --control") && missing.contains("does not exist"))
        try #require(unsafe mkdir(scratch("open"), 0o700) == 0)
        try #require(unsafe chmod(scratch("open"), 0o777) == 0)
        guard case .unusable(let open) = failure("open/control", makesFolder: true) else { throw Unexpected() }
        #expect(open.contains("chmod go-w"))
        guard case .unusable(let long) = failure(String(repeating: "x", count: 108)) else { throw Unexpected() }
        #expect(long.contains("1 to 107 bytes"))
    }

    @Test func `a place is in use as long as its lock is held`() async {
        // In a process of its own: a child that another test starts has a copy of the lock until it is another program.
        await #expect(processExitsWith: .success) {
            let scratch = try StorageScratch()
            do {
                let lock = try PlaceLock.acquire(scratch("place"))
                do throws(StorageError) {
                    _ = try PlaceLock.acquire(scratch("place"))
                    throw StorageError("place", .missing)
                } catch {
                    #expect(error.reason == .inUse(Int(getpid())))
                }
                _ = consume lock
            }
            _ = try PlaceLock.acquire(scratch("place"))
        }
    }

    private struct Unexpected: Error {}

    /// As a process that was killed leaves one.
    private func leaveSocket(_ name: String) throws {
        let address = try #require(UnixAddress(scratch(name)))
        let socket = try Descriptor("socket", socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0))
        try SystemError.check("bind", unsafe address.lend { unsafe bind(socket.number, $0, $1) })
    }

    /// Releases all waiters once every expected task has arrived.
    private actor Gate {
        private var missing: Int
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(count: Int) { missing = count }

        func pass() async {
            missing -= 1
            if missing == 0 {
                for one in waiting { one.resume() }
                return
            }
            await withCheckedContinuation { waiting.append($0) }
        }
    }
}
