package import Noise
import Wire

/// The text of an identity file (Protocol.md section 1): the seed in the clear, or under a pass phrase.
///
/// In the clear the public key follows the seed, so that no changed byte makes another identity of it.
package enum IdentityText: ~Copyable {
    /// 32 bytes.
    case clear(Secret)
    case sealed(SealedSecret)

    /// Both forms have less than 300 bytes; 4 KiB are a bound for what is read at all.
    package static let most = 4_095
    static let purpose: Domain = "earshot/3 identity\0"

    /// Reads the text of a file, which has to be exactly as `write` makes it.
    package init(reading text: Span<UInt8>) throws(FileFault) {
        guard !text.isEmpty else { throw .empty }
        var cursor = StrictText(text)
        guard cursor.takeLiteral("earshot-identity-") else { throw .foreign }
        guard cursor.takeLiteral("3\nkdf: ") else { throw .unknownForm }
        if cursor.takeLiteral("none\n") {
            self = .clear(try IdentityText.readSeed(text, &cursor))
        } else if cursor.takeLiteral("argon2id13 ") {
            self = .sealed(try IdentityText.readBox(&cursor))
        } else {
            throw .unknownForm
        }
    }

    /// The text of the file.
    package func write() -> Secret {
        switch self {
        case .clear(let seed): IdentityText.clearText(seed)
        case .sealed(let sealed): IdentityText.secret(Array(IdentityText.sealedText(sealed).utf8))
        }
    }

    private static func readSeed(_ text: Span<UInt8>, _ cursor: inout StrictText) throws(FileFault) -> Secret {
        guard cursor.takeLiteral("seed: "), let digits = cursor.takeDigits(ofBytes: Identity.seedBytes),
            cursor.takeLiteral("\nkey: "), let key = cursor.takeBytes(PeerID.byteCount), cursor.takeLiteral("\n"),
            cursor.isAtEnd
        else { throw .damagedIdentity }
        let seed = Secret(count: Identity.seedBytes, protection: .transient) { seed in
            for index in seed.indices { seed[index] = StrictText.byte(index, of: digits, in: text) }
        }
        guard Identity.id(ofSeed: seed).bytes == key else { throw .damagedIdentity }
        return seed
    }

    private static func readBox(_ cursor: inout StrictText) throws(FileFault) -> SealedSecret {
        guard let passes = cursor.takeNumber(), cursor.takeLiteral(" "), let memory = cursor.takeNumber(),
            cursor.takeLiteral(" "),
            let salt = cursor.takeBytes(SealedSecret.saltBytes), cursor.takeLiteral("\nbox: "),
            let box = cursor.takeBytes(SealedSecret.overhead + Identity.seedBytes), cursor.takeLiteral("\n"),
            cursor.isAtEnd,
            let kibibytes = Int(exactly: memory), let cost = SealedSecret.Cost(passes: passes, memory: kibibytes),
            let sealed = SealedSecret(cost: cost, salt: salt, box: box)
        else { throw .damagedIdentity }
        return sealed
    }

    private static func clearText(_ seed: borrowing Secret) -> Secret {
        let head = Array("earshot-identity-3\nkdf: none\nseed: ".utf8)
        let tail = Array("\nkey: \(Identity.id(ofSeed: seed).hexadecimal)\n".utf8)
        let count = head.count + 2 * seed.count + tail.count
        return Secret(count: count, protection: .transient) { text in
            for index in head.indices { text[index] = head[index] }
            for index in 0..<seed.count {
                let byte = seed.span[index]
                text[head.count + 2 * index] = Hexadecimal.digit(of: byte >> 4)
                text[head.count + 2 * index + 1] = Hexadecimal.digit(of: byte & 15)
            }
            for index in tail.indices { text[count - tail.count + index] = tail[index] }
        }
    }

    private static func sealedText(_ sealed: SealedSecret) -> String {
        let cost = "\(sealed.cost.passes) \(sealed.cost.memory)"
        let salt = Hexadecimal.encode(sealed.salt)
        return "earshot-identity-3\nkdf: argon2id13 \(cost) \(salt)\nbox: \(Hexadecimal.encode(sealed.box))\n"
    }

    private static func secret(_ text: [UInt8]) -> Secret {
        Secret(count: text.count, protection: .transient) { secret in
            for index in text.indices { secret[index] = text[index] }
        }
    }
}
