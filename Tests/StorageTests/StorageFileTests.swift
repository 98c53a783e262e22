import Glibc
import Noise
import TestSupport
import Testing
import Wire

@testable import Storage

/// Identity files in a directory of the test's own.
@Suite struct StorageFileTests {
    private let scratch: StorageScratch
    private static let cheap = SealedSecret.Cost(passes: 1, memory: 8) ?? .standard

    init() throws { scratch = try StorageScratch() }

    @discardableResult
    private func create(_ name: String = "me", phrase: [UInt8]? = nil) throws(StorageError) -> PeerID {
        let secret: Secret? = phrase.map(StorageTextTests.secret)
        return try StoredIdentity.create(scratch(name), phrase: secret, cost: Self.cheap).id
    }

    private func open(_ name: String = "me", phrase: [UInt8]? = nil) throws(StorageError) -> PeerID {
        let secret: Secret? = phrase.map(StorageTextTests.secret)
        return try StoredIdentity.open(scratch(name), locking: false).unlock(with: secret).id
    }

    /// As a run does: locked until the files are let go of.
    private func use(_ name: String = "me") throws(StorageError) -> IdentityFiles {
        try StoredIdentity.open(scratch(name), locking: true).unlock(with: nil).files
    }

    private func reason(_ name: String = "me", phrase: [UInt8]? = nil) -> StorageError.Reason? {
        do throws(StorageError) {
            _ = try open(name, phrase: phrase)
            return nil
        } catch {
            #expect(!error.description.contains("\n"))
            return error.reason
        }
    }

    @Test func `a new identity is its owner's alone, with the directories made for it, and is read again`() throws {
        let id = try create("deep/er/me")
        #expect(["deep", "deep/er"].map(scratch.mode) == [0o700, 0o700])
        #expect(["deep/er/me", "deep/er/me.state"].map(scratch.mode) == [0o600, 0o600])
        #expect(try open("deep/er/me") == id)
        #expect(try create("other") != id)
        #expect(scratch.names == ["deep", "other", "other.state"])
    }

    @Test func `a pass phrase opens what it sealed; without it, or with another, nothing is opened or changed`() throws
    {
        let id = try create(phrase: [1, 2])
        let bytes = scratch.bytes(of: "me")
        #expect(try open(phrase: [1, 2]) == id)
        #expect(reason(phrase: [1, 3]) == .wrongPhrase)
        #expect(reason() == .noPhrase)
        #expect(scratch.bytes(of: "me") == bytes)
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o4644] as [mode_t])
    func `a file that others can read or change is refused`(mode: mode_t) throws {
        try create()
        _ = unsafe chmod(scratch("me"), mode)
        #expect(reason() == .exposed(mode: UInt32(mode)))
    }

    @Test func `links, directories, pipes and devices are refused, and none of them is waited for`() throws {
        try create()
        _ = unsafe symlink("me", scratch("soft"))
        _ = unsafe symlink("nowhere", scratch("loose"))
        _ = unsafe mkdir(scratch("directory"), 0o700)
        _ = unsafe mkfifo(scratch("pipe"), 0o600)
        #expect(
            ["soft", "loose", "directory", "pipe"].map { reason($0) } == [
                .symbolicLink, .symbolicLink, .notRegular, .notRegular,
            ])
        _ = unsafe link(scratch("me"), scratch("twin"))
        #expect(["me", "twin"].map { reason($0) } == [.linked(2), .linked(2)])
        #expect(["nobody", "no/where/me", "directory/"].map { reason($0) } == [.missing, .missing, .noName])
        #expect(["..", "."].map { reason($0) } == [.noName, .noName])
    }

    @Test(.enabled(if: geteuid() == 0, "only the administrator can give files away"))
    func `a file or a directory of another user is refused`() throws {
        try create()
        _ = unsafe chown(scratch("me"), 12_345, 12_345)
        #expect(reason() == .foreign(12_345))
        try create("theirs/me")
        _ = unsafe chown(scratch("theirs"), 12_345, 12_345)
        #expect(reason("theirs/me") == .foreignDirectory(scratch("theirs"), 12_345))
    }

    @Test func `a directory in which others can replace the file is refused, one that keeps them apart is not`() throws
    {
        for (mode, isRefused) in [(0o777, true), (0o770, true), (0o702, true), (0o1777, false), (0o755, false)] {
            let name = "in\(mode)"
            try create("\(name)/me")
            _ = unsafe chmod(scratch(name), mode_t(mode))
            let refused = StorageError.Reason.exposedDirectory(scratch(name), mode: UInt32(mode))
            #expect(reason("\(name)/me") == (isRefused ? refused : nil))
            _ = unsafe chmod(scratch(name), 0o700)
        }
    }

    @Test func `an empty, cut, changed, foreign or huge file is refused and stays as it is`() throws {
        try create()
        let whole = try #require(scratch.bytes(of: "me"))
        let changed = whole.enumerated().map { $0.offset == 60 ? ($0.element == 0x61 ? 0x62 : 0x61) : $0.element }
        let faults: [(bytes: [UInt8], reason: StorageError.Reason)] = [
            ([], .unreadable(.empty)), (Array(whole.dropLast(9)), .unreadable(.damagedIdentity)),
            (changed, .unreadable(.damagedIdentity)), (Array("hello\n".utf8), .unreadable(.foreign)),
            ([UInt8](repeating: 0x61, count: 4_096), .tooLarge),
        ]
        for fault in faults {
            try scratch.write(fault.bytes, to: "me")
            #expect(reason() == fault.reason)
            #expect(scratch.bytes(of: "me") == fault.bytes)
        }
        try scratch.write(whole, to: "me")
        #expect(reason() == nil)
    }

    @Test func `nothing that is there is overwritten by a new identity, not even a loose link or a lone state`() throws
    {
        func refusal(_ name: String) -> StorageError.Reason? {
            do throws(StorageError) { try create(name) } catch { return error.reason }
            return nil
        }
        try scratch.write([1], to: "file")
        try scratch.write([2], to: "lone.state")
        _ = unsafe symlink("nowhere", scratch("loose"))
        _ = unsafe mkdir(scratch("directory"), 0o700)
        let before = scratch.names
        for name in ["file", "lone", "loose", "directory"] { #expect(refusal(name) == .exists) }
        #expect(scratch.names == before)
        #expect(scratch.bytes(of: "file") == [1])
        #expect(scratch.bytes(of: "lone.state") == [2])
    }

    @Test func `an identity in use is refused a second time, and can be shown meanwhile and used afterwards`() throws {
        try create()
        var first: IdentityFiles? = try use()
        #expect(first?.isInUse == true)
        do throws(StorageError) {
            _ = try use()
            Issue.record("used twice")
        } catch {
            guard case .inUse(let process) = error.reason else { throw error }
            #expect(process == nil || process == Int(getpid()))
        }
        #expect(reason() == nil)
        first = nil
        #expect(throws: Never.self) { try use() }
    }

    /// As a child has them all, that another thread is starting, until it is another program.
    @Test func `an identity is free at once, though a duplicate of its descriptor is open`() throws {
        try create()
        var files: IdentityFiles? = try use()
        let file = scratch("me")
        let duplicates = (3..<CInt(4_096)).filter { number in
            var target = [CChar](repeating: 0, count: 4_096)
            let count = unsafe readlink("/proc/self/fd/\(number)", &target, target.count)
            return String(decoding: target.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self) == file
        }.map { dup($0) }
        #expect(!duplicates.isEmpty && files?.isInUse == true)
        files = nil
        #expect(throws: Never.self) { try use() }
        for duplicate in duplicates { close(duplicate) }
    }

    @Test func `a new identity is in use from its first moment`() throws {
        let opened = try StoredIdentity.create(scratch("me"), phrase: nil)
        #expect(throws: StorageError.self) { try use() }
        #expect(opened.files.isInUse)
    }

    @Test func `stored state is there at the next start, whole, and no other file is left behind`() throws {
        try create()
        let state = IdentityState(
            epoch: 17, verified: StorageTextTests.peers(1..<3), blocked: StorageTextTests.peers(3..<4))
        try use().store { $0 = state }
        #expect(try use().state == state)
        #expect(scratch.names == ["me", "me.state"])
        #expect(scratch.mode(of: "me.state") == 0o600)
    }

    @Test func `conversations under a pass phrase are kept sealed, before and after a restart`() throws {
        let phrase: [UInt8] = [1, 2]
        let peers = StorageTextTests.peers(1..<3)
        let made = try StoredIdentity.create(
            scratch("me"), phrase: StorageTextTests.secret(phrase), cost: Self.cheap)
        try made.files.store { $0.accepted = peers }
        let opened = try StoredIdentity.open(scratch("me"), locking: false)
            .unlock(with: StorageTextTests.secret(phrase))
        #expect(opened.files.state.accepted == peers)
        try opened.files.store { $0.epoch = 17 }
        let text = String(decoding: try #require(scratch.bytes(of: "me.state")), as: UTF8.self)
        #expect(!text.contains(peers[0].hexadecimal))
        let again = try StoredIdentity.open(scratch("me"), locking: false)
            .unlock(with: StorageTextTests.secret(phrase))
        #expect(again.files.state == IdentityState(epoch: 17, accepted: peers))
    }

    @Test func `a damaged state is refused and never begun anew; a missing one is reported`() throws {
        try create()
        try use().store { $0.epoch = 17 }
        let whole = try #require(scratch.bytes(of: "me.state"))
        try scratch.write(Array(whole.dropLast(3)), to: "me.state")
        #expect(reason() == .unreadable(.damagedState))
        #expect(scratch.bytes(of: "me.state") == Array(whole.dropLast(3)))
        try scratch.write(whole, to: "me.state", mode: 0o644)
        #expect(reason() == .exposed(mode: 0o644))
        _ = unsafe unlink(scratch("me.state"))
        _ = unsafe symlink("/dev/null", scratch("me.state"))
        #expect(reason() == .symbolicLink)
        _ = unsafe unlink(scratch("me.state"))
        #expect(try use().isStateMissing)
        #expect(try use().state == IdentityState())
    }

    @Test func `another identity's state is refused`() throws {
        try create()
        try create("other")
        try scratch.write(try #require(scratch.bytes(of: "other.state")), to: "me.state")
        #expect(reason() == .unreadable(.damagedState))
    }

    @Test func `a state that can not be written is reported, and keeps its content`() throws {
        try create()
        let files = try use()
        _ = unsafe unlink(scratch("me.state"))
        _ = unsafe mkdir(scratch("me.state"), 0o700)
        #expect(throws: StorageError.self) { try files.store { $0.epoch = 17 } }
        #expect(files.state.epoch == 0)
        #expect(scratch.names == ["me", "me.state"])
    }

    @Test func `removed files are gone, told by name, and not written again`() throws {
        try create()
        let files = try use()
        let (removed, failures) = files.remove()
        #expect(removed == [scratch("me"), scratch("me.state")])
        #expect(failures == [])
        try files.store { $0.epoch = 17 }
        #expect(scratch.names == [])
        #expect(!files.isInUse)
        #expect(files.remove().removed == [])
    }
}
