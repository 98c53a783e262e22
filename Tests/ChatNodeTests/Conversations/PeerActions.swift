import Chat
import ChatNode
import Simulator
import Wire

/// Further actions and views of the user of a simulated node.
extension SimulatedPeer {
    func type() { with { $0.change(.typing(true)) } }

    func discard() { with { $0.change(.typing(false)) } }

    func mute(_ other: SimulatedPeer, _ isMuted: Bool = true) {
        let key = other.key
        with { $0.change(.muted(key, isMuted)) }
    }

    func block(_ other: SimulatedPeer, _ isBlocked: Bool = true) {
        let key = other.key
        with { $0.change(.blocked(key, isBlocked)) }
    }

    func leaveConversation(with other: SimulatedPeer) throws(ChatError) {
        let key = other.key
        try with { node throws(ChatError) in try node.perform(.leave(key)) }
    }

    func rename(_ nickname: String) throws(ChatError) {
        try with { node throws(ChatError) in try node.perform(.rename(nickname)) }
    }

    func setAway(_ isAway: Bool, reason: String? = nil) { with { $0.change(.away(isAway, reason: reason)) } }

    /// The rows of `/who`.
    var who: [PeerView] { with { $0.peers() } }

    func row(of other: SimulatedPeer) -> PeerView? { who.first { $0.who.key == other.key } }

    /// The reports about another's presence: the name, `here`, `away` or `left`, and the reason.
    func presence(of other: SimulatedPeer) -> [String] {
        events.compactMap { event in
            guard case .peer(let state, let who, let reason, was: _, online: _) = event, who.key == other.key else {
                return nil
            }
            return "\(who.nickname) \(state)\(reason.map { ": \($0)" } ?? "")"
        }
    }

    /// How another is named in the last event about its presence.
    func lastName(of other: SimulatedPeer) -> PeerName? {
        events.last { if case .peer(_, let who, _, _, _) = $0 { who.key == other.key } else { false } }.flatMap {
            if case .peer(_, let who, _, _, _) = $0 { who } else { nil }
        }
    }

    /// The code of the error that naming a peer so ends with, and its message; nil if one is found.
    func failure(finding text: String) -> ChatError? {
        with { node in
            do throws(ChatError) {
                _ = try node.chat.find(text)
                return nil
            } catch {
                return error
            }
        }
    }

    func find(_ text: String) -> PeerID? { with { node in try? node.chat.find(text) } }
}
