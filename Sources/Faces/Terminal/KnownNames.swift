import Commands
import Chat
import ChatNode
import Model
package import LineEditor
import Wire

/// The completions of a word of a line, by the names in the open room.
package struct KnownNames: Sendable {
    /// The peers that are in the open room, or ask there for a conversation.
    private let people: [PeerName]
    /// The rooms that the user is in, if there are several.
    private let rooms: [String]
    /// The rooms that peers announce or invite to.
    private let joinable: Set<String>

    /// The last messages of the open conversation, the newest first.
    private let messages: [MessageView]

    /// The digits of an id that a completion has: two ids of a conversation that begin alike are too rare to see.
    static let idDigits = 8
    private static let offeredMessages = 20
    private static let offeredEmojis = ["👍", "❤️", "😂", "🎉", "😮", "😢"]

    /// - Parameter announced: the rooms that peers announced when the user asked last.
    init(_ model: ChatModel, open: ConversationID?, announced: [String]) {
        messages = (open.flatMap { model.conversation($0)?.log.messages } ?? []).suffix(KnownNames.offeredMessages)
            .reversed()
        let room = open.flatMap { model.room($0.room) }
        let asking = room?.requests.map(\.who) ?? []
        people =
            (room?.people.all.filter(\.isHere).map(\.who) ?? [])
            + asking.filter { !(room?.people[$0.key]?.isHere ?? false) }
        rooms = model.rooms.count > 1 ? model.rooms.map(\.label.name).sorted() : []
        // Only names that the line can show as they are.
        joinable = Set(
            (announced + model.invitations.map(\.room.name)).filter {
                DisplayGuard.safe($0) == $0 && !$0.hasPrefix("\"")
            })
    }

    /// The completions of the end of `left`, which is before the cursor: a command's name behind `/`, the peer of a
    /// command, or a name in a text.
    package func completion(of left: String) -> WordCompletion? {
        guard left.hasPrefix("/"), !left.hasPrefix("//") else { return inText(left) }
        guard let space = left.firstIndex(of: " ") else {
            return WordCompletion(word: left, candidates: KnownNames.commands(beginningLike: left))
        }
        let rest = left[left.index(after: space)...].drop { $0 == " " }
        guard let entry = CommandEntry.typed(in: left), let operand = entry.operands.first, !rest.contains(" ") else {
            return secondWord(of: left) ?? inText(left)
        }
        let candidates: [String]
        switch operand.kind {
        case .message where operand.isNeeded || entry.operands.count == 1:
            let named = operand.isNeeded ? messages : messages.filter(\.isFromCurrentUser)
            candidates = named.map { String($0.id.hexadecimal.prefix(KnownNames.idDigits)) }.filter {
                $0.hasPrefix(rest.lowercased())
            }
            return WordCompletion(word: String(rest), candidates: candidates, isRanked: true)
        case .removal: candidates = ["--color", "remove"].filter { $0.hasPrefix(rest) }
        case .who: candidates = operands(beginningLike: rest)
        case .place:
            candidates = (["public"] + rooms).filter { $0.hasPrefix(rest) } + operands(beginningLike: rest)
        case .room, .name:
            let names = if case .name = operand.kind { rooms } else { Array(joinable) }
            let words = names.map { $0.contains(where: \.isWhitespace) ? "\"\($0)\"" : $0 }
            candidates = words.filter { $0.hasPrefix(rest) }.sorted()
        case .text, .message, .reference, .color, .title, .key, .rooms, .flag, .confirmation, .word, .ending:
            return inText(left)
        }
        return WordCompletion(word: String(rest), candidates: candidates)
    }

    /// Completes the emoji of a reaction, of `/unreact` one that the user gave, and the colour of a card.
    private func secondWord(of left: String) -> WordCompletion? {
        let words = left.split(omittingEmptySubsequences: false, whereSeparator: \.isWhitespace)
        guard words.count == 3, let entry = CommandEntry.typed(in: left) else { return nil }
        let candidates: [String]
        switch entry.name {
        case "react": candidates = KnownNames.offeredEmojis
        case "unreact":
            let message = messages.first { $0.id.hexadecimal.hasPrefix(words[1].lowercased()) }
            candidates = (message?.reactions.filter(\.isOwn) ?? []).map { DisplayGuard.safe($0.emoji) }
        case "card" where words[1] == "--color": candidates = CardColor.allCases.map(\.name)
        default: return nil
        }
        return WordCompletion(word: String(words[2]), candidates: candidates.filter { $0.hasPrefix(words[2]) })
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
        let contacts = people.compactMap { who in who.contact.map { (who, $0) } }
        let named = completed(contacts, beginningLike: own).map { $0.hasPrefix("#") || !isStarred ? $0 : "★" + $0 }
        let others = people.filter { $0.contact == nil }.map { ($0, $0.nickname) }
        return Set(named + (isStarred ? [] : completed(others, beginningLike: typed) + numbers(typed))).sorted()
    }

    /// The names of peers in a text that others read: never the user's own for a contact, although that may be typed.
    private func publicNames(beginningLike typed: Substring) -> [String] {
        let isStarred = typed.hasPrefix(PeerName.contactMark)
        let own = isStarred ? typed.dropFirst() : typed
        let contacts = people.filter { who in
            who.contact.map { (isStarred || !own.isEmpty) && $0.lowercased().hasPrefix(own.lowercased()) } ?? false
        }
        let behindOwn = contacts.map { word(for: $0, $0.nickname) }
        guard !isStarred else { return Set(behindOwn).sorted() }
        let names = completed(people.map { ($0, $0.nickname) }, beginningLike: typed)
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
        let isShared = people.contains {
            $0.key != who.key && ($0.nickname.lowercased() == folded || $0.contact?.lowercased() == folded)
        }
        return isShared || who.isAlike || !KnownNames.isPlain(name) ? who.numberText : name
    }

    private func numbers(_ typed: Substring) -> [String] {
        if typed.hasPrefix("#") { return people.map(\.numberText).filter { $0.hasPrefix(typed) } }
        return people.filter { !typed.isEmpty && String($0.number).hasPrefix(typed) }.map(\.numberText)
    }

    private static func isPlain(_ nickname: String) -> Bool {
        !nickname.isEmpty && DisplayGuard.safeName(nickname) == nickname
            && !nickname.contains(where: \.isWhitespace)
            && !nickname.hasPrefix("\"")
    }
}
