package import Commands
import Chat
import ChatNode
package import LineEditor
import Wire

/// The names that a line can mention, and the completions of a word of it.
package struct KnownNames: Sendable {
    /// By rooms.
    private var known: [RoomLabel: [PeerID: PeerName]] = [:]
    /// Rooms that are crowds: not each arrival has an event, so authors of messages are known too.
    private var crowds: Set<RoomLabel> = []
    /// Nil before the first room is ready.
    private var open: RoomLabel?
    /// Rooms that peers announce or invite to; those of the last answer, and later invitations.
    private var joinable: Set<String> = []

    /// Those of the open room.
    private var people: [PeerID: PeerName] { open.flatMap { known[$0] } ?? [:] }

    package mutating func record(_ report: RoomReport) {
        let room = report.room
        open = open ?? room
        switch report.report {
        case .event(.stopped):
            known[room] = nil
            crowds.remove(room)
        case .event(.crowd): crowds.insert(room)
        case .event(.message(let message)) where crowds.contains(room) && !message.isFromCurrentUser:
            set(message.from, in: room, isThere: true)
        case .event(.peer(let state, let who, reason: _, was: _, online: _)):
            set(who, in: room, isThere: state != .left)
        case .event(.elsewhere(let state, let who, reason: _, was: _)): set(who, in: room, isThere: state != .left)
        case .event(.request(let who, text: _)): set(who, in: room, isThere: true)
        case .answer(.done(command: "contact", let who)), .answer(.done(command: "uncontact", let who)):
            for (room, people) in known where people[who.key] != nil { set(who, in: room, isThere: true) }
        case .event(.invitation(from: _, to: let invited, isThere: _)): recordJoinable([invited.name])
        case .answer(.rooms(let list)):
            joinable = []
            recordJoinable(list.announced.map(\.name) + list.invitations.map(\.room.name))
        case .answer(.active), .answer(.made), .answer(.parted), .opened: open = room
        case .event, .answer, .error, .entered, .viewed, .leaving, .snapshot, .listening: break
        }
    }

    private mutating func recordJoinable(_ names: [String]) {
        // Only names that the line can show as they are.
        joinable.formUnion(names.filter { DisplayGuard.safe($0) == $0 && !$0.hasPrefix("\"") })
        while joinable.count > 2 * Limits.invitations { joinable.removeFirst() }
    }

    private mutating func set(_ who: PeerName, in room: RoomLabel, isThere: Bool) {
        guard isThere else {
            known[room]?[who.key] = nil
            return
        }
        let people = known[room] ?? [:]
        if people[who.key] != nil || people.count < Limits.knownPeers { known[room, default: [:]][who.key] = who }
    }

    /// The completions of the end of `left`, which is before the cursor: a command's name behind `/`, the peer of a
    /// command, or a name in a text.
    package func completion(of left: String) -> WordCompletion? {
        guard left.hasPrefix("/"), !left.hasPrefix("//") else { return inText(left) }
        guard let space = left.firstIndex(of: " ") else {
            return WordCompletion(word: left, candidates: KnownNames.commands(beginningLike: left))
        }
        let rest = left[left.index(after: space)...].drop { $0 == " " }
        guard let operand = CommandEntry.typed(in: left)?.operands.first, !rest.contains(" ") else {
            return inText(left)
        }
        let rooms = known.count > 1 ? known.keys.map(\.name).sorted() : []
        let candidates: [String]
        switch operand.kind {
        case .who: candidates = operands(beginningLike: rest)
        case .place:
            candidates = (["public"] + rooms).filter { $0.hasPrefix(rest) } + operands(beginningLike: rest)
        case .room, .name:
            let names = if case .name = operand.kind { rooms } else { Array(joinable) }
            let words = names.map { $0.contains(where: \.isWhitespace) ? "\"\($0)\"" : $0 }
            candidates = words.filter { $0.hasPrefix(rest) }.sorted()
        case .text, .message, .key, .rooms, .flag, .confirmation, .word, .ending: return inText(left)
        }
        return WordCompletion(word: String(rest), candidates: candidates)
    }

    /// Completes a name, or `@` and a name; the first word of a text addresses the peer, and gets a colon.
    private func inText(_ left: String) -> WordCompletion? {
        let count = left.reversed().prefix { !$0.isWhitespace }.count
        guard count > 0 else { return nil }
        let word = String(left.suffix(count))
        guard word.hasPrefix("@") else {
            let suffix = word.count == left.count ? ": " : " "
            return WordCompletion(word: word, candidates: publicNames(beginningLike: word[...]), suffix: suffix)
        }
        return WordCompletion(word: word, candidates: publicNames(beginningLike: word.dropFirst()).map { "@" + $0 })
    }

    /// `/wipe` is completed from four characters on: it must not be offered beside others.
    private static func commands(beginningLike typed: String) -> [String] {
        let offered = CommandEntry.listed.filter { !$0.isDangerous || typed.count > 3 }
        let names = offered.flatMap { [$0.name] + $0.aliases }
        return names.map { "/" + $0 }.filter { $0.hasPrefix(typed.lowercased()) }.sorted()
    }

    /// The names of a command's peer: the user's own for a contact, with its star if that was typed.
    private func operands(beginningLike typed: Substring) -> [String] {
        let isStarred = typed.hasPrefix(PeerName.contactMark)
        let own = isStarred ? typed.dropFirst() : typed
        let contacts = people.values.compactMap { who in who.contact.map { (who, $0) } }
        let named = completed(contacts, beginningLike: own).map { $0.hasPrefix("#") || !isStarred ? $0 : "★" + $0 }
        let others = people.values.filter { $0.contact == nil }.map { ($0, $0.nickname) }
        return Set(named + (isStarred ? [] : completed(others, beginningLike: typed) + numbers(typed))).sorted()
    }

    /// The names of peers in a text that others read: never the user's own for a contact, although that may be typed.
    private func publicNames(beginningLike typed: Substring) -> [String] {
        let isStarred = typed.hasPrefix(PeerName.contactMark)
        let own = isStarred ? typed.dropFirst() : typed
        let contacts = people.values.filter { who in
            who.contact.map { (isStarred || !own.isEmpty) && $0.lowercased().hasPrefix(own.lowercased()) } ?? false
        }
        let behindOwn = contacts.map { word(for: $0, $0.nickname) }
        guard !isStarred else { return Set(behindOwn).sorted() }
        let names = completed(people.values.map { ($0, $0.nickname) }, beginningLike: typed)
        return Set(behindOwn + names + numbers(typed)).sorted()
    }

    /// Those of the names that begin so.
    private func completed(_ names: [(who: PeerName, name: String)], beginningLike typed: Substring) -> [String] {
        let beginning = typed.lowercased()
        return names.filter { !$0.name.isEmpty && $0.name.lowercased().hasPrefix(beginning) }.map(word)
    }

    /// A name that is not plain to type, or that two peers have, or that looks like another's, becomes the number.
    private func word(for who: PeerName, _ name: String) -> String {
        let folded = name.lowercased()
        let isShared = people.values.contains {
            $0.key != who.key && ($0.nickname.lowercased() == folded || $0.contact?.lowercased() == folded)
        }
        return isShared || who.isAlike || !KnownNames.isPlain(name) ? who.numberText : name
    }

    private func numbers(_ typed: Substring) -> [String] {
        if typed.hasPrefix("#") { return people.values.map(\.numberText).filter { $0.hasPrefix(typed) } }
        return people.values.filter { !typed.isEmpty && String($0.number).hasPrefix(typed) }.map(\.numberText)
    }

    private static func isPlain(_ nickname: String) -> Bool {
        !nickname.isEmpty && DisplayGuard.safeName(nickname) == nickname
            && !nickname.contains(where: \.isWhitespace)
            && !nickname.hasPrefix("\"")
    }
}
