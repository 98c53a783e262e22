import Noise
import Phrases
import Testing
import Wire

@testable import Chat

extension Secret {
    /// The text of a key in a test, which is no secret.
    static func text(_ text: String) -> Secret {
        let bytes = Array(text.utf8)
        return Secret(count: bytes.count, protection: .transient) { secret in
            for index in bytes.indices { secret[index] = bytes[index] }
        }
    }

    var string: String { String(decoding: [UInt8](copying: span), as: UTF8.self) }
}

/// The expected values were computed by another program from Protocol.md section 3.
struct RoomKeyTests {
    /// The words of the bits 00 01 ... 09.
    private static let words = "abide-amend-leader-amend-exempt-afford-bring-cymbal"

    private func room(_ key: String, _ name: String = "kitchen") throws -> Room {
        Room(name, key: try RoomKey(reading: .text(key), forRoomNamed: name))
    }

    private func fault(_ key: String) -> RoomKeyError? {
        do throws(RoomKeyError) {
            _ = try RoomKey(reading: .text(key), forRoomNamed: "kitchen")
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        words, "abide amend leader amend exempt afford bring cymbal",
        "ABIDE-Amend leader\tamend  exempt-afford bring-CYMBAL\r",
        "  abide amend leader amend - exempt afford bring cymbal ",
    ])
    func `eight words are a key, in any case, with spaces or hyphens`(text: String) throws {
        let room = try room(text)
        #expect(Hexadecimal.encode(room.id.bytes) == "a65c33659eb956aac97bae7dd871dc6b")
        #expect(room.tag == "0fabac13")
        #expect(room.isPrivate)
    }

    @Test func `a pass phrase is stretched with the room's name as salt`() throws {
        let room = try room(" correct horse battery ")
        #expect(Hexadecimal.encode(room.id.bytes) == "b27243b764b79e50eef1ce772ac61626")
        #expect(room.tag == "28b5d9d4")
    }

    @Test func `a pass phrase is the same in either form of Unicode`() throws {
        let composed = try room("caf\u{e9} 여덟 글자")
        let decomposed = try room(
            "cafe\u{301} \u{110b}\u{1167}\u{1103}\u{1165}\u{11b2} \u{1100}\u{1173}\u{11af}\u{110c}\u{1161}")
        #expect(composed.id == decomposed.id)
    }

    @Test func `generated keys have eight words of the list, and are read again`() throws {
        var randomness = Randomness.seeded(1)
        var tags: Set<String> = []
        for _ in 0..<200 {
            let text = RoomKey.generate(using: &randomness).string
            #expect(text.split(separator: "-").count == 8)
            #expect(fault(text) == nil, "\(text)")
            tags.insert(try room(text).tag)
        }
        #expect(tags.count == 200)
    }

    @Test func `of the keys with one wrong word of the list one in 256 passes`() {
        var randomness = Randomness.seeded(2)
        let list = RoomKeyWords.packed.map { String(decoding: RoomKeyWords.letters(of: $0), as: UTF8.self) }
        var passed = 0
        for _ in 0..<4_000 {
            var words = Self.words.split(separator: "-").map(String.init)
            let place = Int.random(in: 0..<8, using: &randomness)
            let before = words[place]
            words[place] = list.randomElement(using: &randomness) ?? ""
            guard words[place] != before else { continue }
            switch fault(words.joined(separator: " ")) {
            case nil: passed += 1
            case .checksum: break
            case .some(let other): Issue.record("\(other)")
            }
        }
        #expect((3...35).contains(passed))
    }

    @Test(arguments: [
        ("abide-amend-leeder-amend-exempt-afford-bring-cymbal", RoomKeyError.unknownWord(3, nearest: "leader")),
        ("abide-amend-leader-amend-exempt-afford-bring-cymba", .unknownWord(8, nearest: "cymbal")),
        ("abide-amend-leader-amend-exempt-afford-qqqqqq-xxxxxxxxxx", .unknownWord(7, nearest: nil)),
        ("abide-amend-leader-amend-exempt-afford-bring-cymbal\u{0}", .unknownWord(8, nearest: nil)),
        ("abide-amend-leader-amend-exempt-afford-cymbal-bring", .checksum),
        ("abide-amend-leader-amend-exempt-afford-bring", .wordCount(7)),
        ("abide-amend-leader-amend-exempt-afford-bring-cymbal-abide", .wordCount(9)),
        ("", .tooShort(0)), ("   ", .tooShort(0)), ("seven77", .tooShort(7)), (" 일곱 글자다 ", .tooShort(6)),
        (String(repeating: "x", count: 1_025), .tooLong(1_025)),
    ])
    func `a text that is nearly a generated key is refused with the reason`(text: String, error: RoomKeyError) {
        #expect(fault(text) == error)
    }

    @Test func `a key that is no UTF-8 is refused`() {
        let secret = Secret(count: 12, protection: .transient) { bytes in
            for index in bytes.indices { bytes[index] = 0xff }
        }
        #expect(throws: RoomKeyError.notUTF8) { _ = try RoomKey(reading: secret, forRoomNamed: "kitchen") }
    }

    @Test func `errors have no word of the key but the one that was probably meant`() {
        let text = "abide-amend-leeder-amend-exempt-afford-bring-cymbal"
        let error = fault(text)
        #expect(error?.sentence.text(in: .english) == "word 3 of the key is in no key; did you mean leader?")
        let told = String(describing: error) + (error?.sentence.text(in: .korean) ?? "")
        for word in text.split(separator: "-") { #expect(!told.contains(word)) }
    }

    @Test func `a key is bound to its name, and a private room has nothing of the open one of that name`() throws {
        let (kitchen, attic, open) = (try room(Self.words), try room(Self.words, "attic"), Room(openNamed: "kitchen"))
        #expect(Set([kitchen.tag, attic.tag, open.tag]).count == 3)
        #expect(Set([kitchen.id, attic.id, open.id]).count == 3)
        #expect(kitchen.name == open.name && kitchen.isPrivate && !open.isPrivate)
        #expect(try room(Self.words).id == kitchen.id)
    }
}

struct RoomKeyWordsTests {
    private let words = RoomKeyWords.packed.map { String(decoding: RoomKeyWords.letters(of: $0), as: UTF8.self) }

    @Test func `the list has 2,048 words of 3 to 6 letters, in order`() {
        #expect(words.count == 2_048 && Set(words).count == 2_048)
        #expect(words == words.sorted())
        #expect(words.allSatisfy { (3...RoomKeyWords.longest).contains($0.utf8.count) })
        #expect(words.allSatisfy { $0.utf8.allSatisfy { (0x61...0x7a).contains($0) } })
        #expect(words.indices.allSatisfy { RoomKeyWords.index(of: RoomKeyWords.packed[$0]) == $0 })
        #expect(RoomKeyWords.index(of: 0) == nil && RoomKeyWords.index(of: .max) == nil)
    }

    @Test func `no two words begin with the same four letters`() {
        #expect(Set(words.map { $0.prefix(4) }).count == 2_048)
    }

    /// Two such words have a common pattern: equal but for one letter, or for one letter that only one of them has.
    @Test func `no letter more, less or other makes one word of another`() {
        let list = Set(words)
        var patterns: Set<String> = []
        var common: [String] = []
        for word in words {
            for place in word.indices {
                let (before, after) = (word[..<place], word[word.index(after: place)...])
                let pattern = "\(before)*\(after)"
                if !patterns.insert(pattern).inserted { common.append(pattern) }
                if list.contains("\(before)\(after)") { common.append("\(before)\(after)") }
            }
        }
        #expect(patterns.count == words.reduce(0) { $0 + $1.count })
        #expect(common == [])
    }
}
