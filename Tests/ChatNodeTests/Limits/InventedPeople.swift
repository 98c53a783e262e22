import Chat
import Noise
import Wire

/// Identities that an attacker invents, and what it signs for them.
final class InventedPeople {
    private final class Person {
        var session: UserSession

        init(_ session: consuming UserSession) {
            self.session = session
        }
    }

    private let people: [Person]

    /// - Parameter seed: another one for other identities.
    init(_ count: Int, seed: UInt64) {
        var randomness = Randomness.seeded(seed)
        people = (0..<count).map { number in
            Person(
                UserSession(
                    identity: Identity.generate(using: &randomness), room: Room.lobby.id, epoch: 1,
                    nickname: "invented-\(number)"))
        }
    }

    var count: Int { people.count }

    func key(of number: Int) -> PeerID { people[number].session.id }

    func sign(_ body: PayloadBody, by number: Int, at time: Timestamp) -> VerifiedPayload {
        people[number].session.sign(body, at: time)
    }

    func say(_ text: String, by number: Int, at time: Timestamp) -> VerifiedPayload {
        sign(.publicMessage(stage: .newcomer, nickname: "invented", text: text), by: number, at: time)
    }

    func presence(of number: Int, at time: Timestamp) -> VerifiedPayload {
        people[number].session.signPresence(at: time)
    }
}
