import Earshot
import Glibc
import Testing

/// Rooms of the library on the sockets of this machine.
struct RoomTests {
    /// Options of a node without discovery, which dials the ports of this machine.
    private func options(_ ports: UInt16?...) -> Options {
        var options = Options()
        options.discovery = .disabled
        options.peers = ports.compactMap { $0.map { "127.0.0.1:\($0)" } }
        return options
    }

    @Test func `Two rooms of a process talk, and leave at the end of their scopes`() async throws {
        let text = try await Room.join("lobby", as: .ephemeral(), nickname: "ada", options: options()) { ada in
            let bob = try Identity.ephemeral()
            try await Room.join("lobby", as: bob, options: options(ada.port)) { room in
                #expect(await room.me?.id == bob.id)
                try await room.send("hello")
                var events = ada.events.makeAsyncIterator()
                while let event = await events.next() {
                    guard case .message(let message) = event else { continue }
                    #expect(message.author.id == bob.id)
                    try await message.reply("re: \(message.text)")
                    break
                }
                for await event in room.events {
                    if case .message(let message) = event, !message.isFromCurrentUser {
                        #expect(message.replyTo != nil)
                        break
                    }
                }
            }
            for await event in ada.events { if case .left(let person) = event, person.id == bob.id { break } }
            return await ada.messages.map(\.text)
        }
        #expect(text == ["hello", "re: hello"])
    }

    @Test func `A room whose task is cancelled is left politely`() async throws {
        try await Room.join("lobby", as: .ephemeral(), options: options()) { ada in
            let port = await ada.port
            let other = Task {
                try await Room.join("lobby", as: .ephemeral(), options: options(port)) { room in
                    for await _ in room.events {}
                    try Task.checkCancellation()
                }
            }
            for await event in ada.events {
                if case .arrived = event { other.cancel() }
                if case .left = event { break }
            }
            await #expect(throws: CancellationError.self) { try await other.value }
        }
    }

    @Test func `A room that can not be joined is refused with its reason`() async throws {
        func reason(_ address: RoomAddress, nickname: String? = nil, _ options: Options) async throws -> JoinError
            .Reason?
        {
            let error = await #expect(throws: JoinError.self) {
                try await Room.join(address, as: .ephemeral(), nickname: nickname, options: options) { _ in }
            }
            let message = try #require(error?.message)
            // It is for people, and for a program that has no options of Earshot's.
            #expect(!message.isEmpty && !message.contains("--") && !message.contains("errno:"))
            return error?.reason
        }
        #expect(try await reason("", options()) == .invalidRoom)
        #expect(try await reason(.private("kitchen", key: "short"), options()) == .invalidKey)
        #expect(try await reason("lobby", nickname: String(repeating: "x", count: 25), options()) == .invalidNickname)
        var wrong = options()
        wrong.peers = ["nowhere"]
        #expect(try await reason("lobby", wrong) == .invalidPeer)
        wrong = options()
        for name in ["no such one", "lo\0"] {
            wrong.interfaces = [name]
            #expect(try await reason("lobby", wrong) == .noInterface)
        }
        try await Room.join("lobby", as: .ephemeral(), options: options()) { room in
            var taken = options()
            taken.port = try #require(await room.port)
            #expect(try await reason("lobby", taken) == .portUnavailable)
        }
        #expect(throws: IdentityError.self) { try Identity.file("/proc/none/me") }
    }

    @Test func `An identity in a file is the same in each run, and is in one place at a time`() async throws {
        let path = ".build/identity-of-a-test-\(UInt64.random(in: 0...UInt64.max))"
        defer { for file in [path, path + ".state"] { _ = unsafe unlink(file) } }
        let id = try await {
            let me = try Identity.file(path)
            try await Room.join("lobby", as: me, nickname: "kept", options: options()) { room in
                #expect(await room.me?.id == me.id)
            }
            let error = #expect(throws: IdentityError.self) { try Identity.file(path) }
            #expect(error?.reason == .inUse)
            return me.id
        }()
        let again = try Identity.file(path)
        #expect(again.id == id)
        try await Room.join("lobby", as: again, options: options()) { room in
            #expect(await room.me?.nickname == "kept")
        }
    }

    @Test func `A pass phrase is no use for a file without one, and an empty one is none`() throws {
        let path = ".build/identity-of-a-test-\(UInt64.random(in: 0...UInt64.max))"
        defer { for file in [path, path + ".state"] { _ = unsafe unlink(file) } }
        func reason(_ path: String, _ phrase: String?) -> IdentityError.Reason? {
            #expect(throws: IdentityError.self) { try Identity.file(path, passphrase: phrase) }?.reason
        }
        #expect(reason(path, "") == .emptyPassphrase)
        let id = try Identity.file(path).id
        #expect(reason(path, "correct horse") == .notSealed)
        #expect(reason(path + "\0x", nil) == .unusableFile)
        #expect(try Identity.file(path).id == id)
    }

    @Test func `A private room has a key that is made and is never shown`() async throws {
        let key = RoomAddress.makeKey()
        let address = RoomAddress.private("kitchen", key: key)
        #expect(!"\(address)".contains(key))
        #expect(address.isPrivate)
        try await Room.join(address, as: .ephemeral(), options: options()) { ada in
            try await Room.join(address, as: .ephemeral(), options: options(ada.port)) { bob in
                try await bob.send("inside")
                for await event in ada.events { if case .message = event { break } }
            }
        }
    }
}
