import Chat
import Commands
import Phrases
import Rendering
import Wire

/// The peers that are typing, in each conversation.
struct TypingPeers: Sendable {
    private struct Typist: Sendable {
        let key: PeerID
        let place: Place
        let name: String
    }

    private var typists: [Typist] = []

    mutating func record(_ who: PeerName, in place: Place, isOn: Bool) {
        typists.removeAll { $0.key == who.key && $0.place == place }
        guard isOn, typists.count < Limits.links else { return }
        typists.append(Typist(key: who.key, place: place, name: who.displayName))
    }

    /// A peer has another name.
    mutating func rename(_ who: PeerName, in room: RoomLabel) {
        for index in typists.indices where typists[index].key == who.key && typists[index].place.room == room.number {
            typists[index] = Typist(key: who.key, place: typists[index].place, name: who.displayName)
        }
    }

    mutating func remove(_ who: PeerName, from room: RoomLabel) {
        typists.removeAll { $0.key == who.key && $0.place.room == room.number }
    }

    mutating func remove(_ room: RoomLabel) { typists.removeAll { $0.place.room == room.number } }

    /// `quiet-otter#4821 is typing`; nil if no peer is typing in a conversation.
    func text(in place: Place?, _ language: Language) -> String? {
        let names = typists.filter { $0.place == place }.map(\.name)
        return switch names.count {
        case 0: nil
        case 1: language(.typingOne, names[0])
        case 2: language(.typingTwo, names[0], names[1])
        default: language(.typingMany, "\(names.count)")
        }
    }
}
