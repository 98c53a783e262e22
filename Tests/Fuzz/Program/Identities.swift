import Noise
import Storage
import Wire

extension FuzzTarget {
    /// Each identity and each state has one text: a text that is read is written again byte for byte.
    static let identity = FuzzTarget(name: "identity", seeds: IdentityRules.seeds) { input in
        var choices = Choices(input)
        switch choices.below(4) {
        case 0: IdentityRules.checkIdentity(choices.rest())
        case 1: IdentityRules.checkChanged(&choices)
        case 3: IdentityRules.checkSealed(&choices)
        default: IdentityRules.checkState(&choices)
        }
    }
}

private enum IdentityRules {
    static func seeds() -> [[UInt8]] {
        let salt = Hexadecimal.encode([UInt8](repeating: 7, count: 16))
        let box = Hexadecimal.encode([UInt8](repeating: 9, count: 72))
        let sealed = "earshot-identity-3\nkdf: argon2id13 3 65536 \(salt)\nbox: \(box)\n"
        let key = Hexadecimal.encode([UInt8](repeating: 3, count: 32))
        return [
            [0] + clear(1), [0] + Array(sealed.utf8), [1, 1], [1, 1, 3, 40, 0, 1],
            [3, 0, 0, 0] + Array("epoch: 7\nnickname: a\nabout: b c\naccepted: \(key)\ncontact: \(key) 12 d e\n".utf8),
            [3, 1, 9, 9] + Array("epoch: 18446744073709551615\n".utf8),
            [2, 0] + Array("epoch: 7\nverified: \(key)\nblocked: \(key)\n".utf8), [2, 1] + Array("epoch: 0\n".utf8),
            [2, 0] + Array("epoch: 7\nnickname: a\nabout: b c\naccepted: \(key)\ncontact: \(key) 12 d e\n".utf8),
        ]
    }

    static func checkIdentity(_ bytes: [UInt8]) {
        guard let written = rewritten(bytes) else { return }
        demand(written == bytes, "an identity is written otherwise than it was read")
    }

    static func checkChanged(_ choices: inout Choices) {
        let genuine = clear(UInt64(choices.byte()))
        var changed = genuine
        choices.mutate(&changed, times: 4)
        let isRead = rewritten(changed) != nil
        demand(isRead == (changed == genuine), "a changed identity is another one, or a true one is refused")
    }

    static func checkState(_ choices: inout Choices) {
        guard let me = PeerID([UInt8](repeating: 5, count: PeerID.byteCount)) else { return }
        let isSummed = choices.byte() != 1
        var bytes = Array("earshot-state-3\n".utf8) + choices.rest()
        if isSummed {
            let sum = SHA256.hash("earshot/3 state\0", (me.bytes + bytes).span).prefix(16)
            bytes += Array("sum: \(Hexadecimal.encode(sum))\n".utf8)
        }
        guard let state = try? IdentityState(reading: bytes.span, of: me) else { return }
        demand(isSummed, "a state without its sum is believed")
        demand(state.write(of: me) == bytes, "a state is written otherwise than it was read")
    }

    /// The private part of a state under a pass phrase: it is read as it was sealed, and never once it was changed.
    static func checkSealed(_ choices: inout Choices) {
        guard let me = PeerID([UInt8](repeating: 5, count: PeerID.byteCount)) else { return }
        var randomness = Randomness.seeded(1)
        let seed = Secret(random: Identity.seedBytes, protection: .transient, using: &randomness)
        let seal: SeedSeal? = SeedSeal.derived(from: seed, purpose: IdentityState.purpose)
        let (change, place) = (choices.byte(), choices.below(65_536))
        let bytes = Array("earshot-state-3\n".utf8) + choices.rest()
        let sum = SHA256.hash("earshot/3 state\0", (me.bytes + bytes).span).prefix(16)
        let open = bytes + Array("sum: \(Hexadecimal.encode(sum))\n".utf8)
        guard let state = try? IdentityState(reading: open.span, of: me) else { return }
        demand(state.nextEpoch > state.epoch || state.epoch == .max, "a run is no later than the one before")
        var sealed = state.write(of: me, under: seal)
        demand((try? IdentityState(reading: sealed.span, of: me, under: seal)) == state, "another state is sealed")
        sealed[place % sealed.count] ^= change
        let isRead = (try? IdentityState(reading: sealed.span, of: me, under: seal)) != nil
        demand(isRead == (change == 0), "a changed state is read, or a true one is not")
    }

    private static func rewritten(_ bytes: [UInt8]) -> [UInt8]? {
        do throws(FileFault) {
            let text = try IdentityText(reading: bytes.span)
            return [UInt8](copying: text.write().span)
        } catch {
            return nil
        }
    }

    private static func clear(_ number: UInt64) -> [UInt8] {
        var randomness = Randomness.seeded(number)
        let seed = Secret(random: Identity.seedBytes, protection: .transient, using: &randomness)
        return [UInt8](copying: IdentityText.clear(seed).write().span)
    }
}
