package import Commands
import Chat
import ChatNode
package import LineEditor
import Wire

/// The names that a line can mention, and the completions of a word of it.
package struct KnownNames: Sendable {
    private var people: [PeerID: PeerName] = [:]

    package mutating func note(_ report: Report) {
        switch report {
        case .event(.peer(let state, let who, reason: _, online: _)): set(who, isThere: state != .left)
        case .event(.request(let who, text: _)): set(who, isThere: true)
        case .event, .answer, .error, .entered: break
        }
    }

    private mutating func set(_ who: PeerName, isThere: Bool) {
        guard isThere else {
            people[who.key] = nil
            return
        }
        if people[who.key] != nil || people.count < Limits.knownPeers { people[who.key] = who }
    }

    /// The completions of the end of `left`, which is before the cursor: a command's name behind `/`, the peer of a
    /// command, or a name in a text.
    package func completion(of left: String) -> WordCompletion? {
        guard left.hasPrefix("/"), !left.hasPrefix("//") else { return inText(left) }
        guard let space = left.firstIndex(of: " ") else {
            return WordCompletion(word: left, candidates: KnownNames.commands(beginningLike: left))
        }
        let name = left[..<space].dropFirst()
        let rest = left[left.index(after: space)...].drop { $0 == " " }
        let entry = CommandEntry.all.first { $0.name == name || $0.aliases.contains { $0 == name } }
        guard let entry, entry.takesWho, !rest.contains(" ") else { return inText(left) }
        let places = entry.name == "open" ? ["public"].filter { $0.hasPrefix(rest) } : []
        return WordCompletion(word: String(rest), candidates: places + names(beginningLike: rest))
    }

    /// Completes a name, or `@` and a name; the first word of a text addresses the peer, and gets a colon.
    private func inText(_ left: String) -> WordCompletion? {
        let count = left.reversed().prefix { !$0.isWhitespace }.count
        guard count > 0 else { return nil }
        let word = String(left.suffix(count))
        guard word.hasPrefix("@") else {
            let suffix = word.count == left.count ? ": " : " "
            return WordCompletion(word: word, candidates: names(beginningLike: word[...]), suffix: suffix)
        }
        return WordCompletion(word: word, candidates: names(beginningLike: word.dropFirst()).map { "@" + $0 })
    }

    /// `/wipe` is completed from `/wip` on: it must not be offered beside others.
    private static func commands(beginningLike typed: String) -> [String] {
        let names = CommandEntry.listed.flatMap { [$0.name] + $0.aliases }.filter { $0 != "wipe" || typed.count > 3 }
        return names.map { "/" + $0 }.filter { $0.hasPrefix(typed.lowercased()) }.sorted()
    }

    /// A nickname that is not plain to type, or that two have, becomes the number.
    private func names(beginningLike typed: Substring) -> [String] {
        if typed.hasPrefix("#") { return people.values.map(\.numberText).filter { $0.hasPrefix(typed) }.sorted() }
        let typed = typed.lowercased()
        let digits = people.values.filter { !typed.isEmpty && String($0.number).hasPrefix(typed) }.map(\.numberText)
        let named = people.values.filter { !$0.nickname.isEmpty && $0.nickname.lowercased().hasPrefix(typed) }
        let names = named.map { who in
            let isShared = named.count { $0.nickname.lowercased() == who.nickname.lowercased() } > 1
            return isShared || !KnownNames.isPlain(who.nickname) ? who.numberText : who.nickname
        }
        return Set(names + digits).sorted()
    }

    private static func isPlain(_ nickname: String) -> Bool {
        DisplayGuard.safeName(nickname) == nickname && !nickname.contains(where: \.isWhitespace)
            && !nickname.hasPrefix("\"")
    }
}
