import Chat
import Model
import Wire

/// The nicks of the peers of all rooms, as one client sees them.
///
/// A nick is the peer's name made legal, with its number where another user has that nick, or where a contact or the server could be mistaken.
/// No two users have one nick, in any case of letters, and a user that the client talks to in private keeps its nick for good.
/// A key that is in several rooms under one name has one nick. Bounded: 32,768 users.
struct IRCDirectory: Sendable {
    /// A key is another user in each room.
    typealias User = ConversationID

    static let capacity = 32_768

    struct Rename: Hashable, Sendable {
        let user: User
        let was: String
        let nick: String
    }

    private struct Entry {
        let nick: String
        let who: PeerName
    }

    private var entries: [User: Entry] = [:]
    /// By folded nicks: those of one key.
    private var users: [String: [User]] = [:]
    /// The nick of the user of the node.
    private(set) var own = "me"
    /// Nicks that changed and that the client was not told of.
    private var renames: [Rename] = []

    /// The nick that a user has already.
    subscript(user: User) -> String? { entries[user]?.nick }

    func name(of user: User) -> PeerName? { entries[user]?.who }

    /// The rooms' users that have a nick; none for the user of the node, and for a nick without a user.
    func users(_ nick: String) -> [User] { users[IRCDirectory.folded(nick)] ?? [] }

    private mutating func add(_ user: User, _ entry: Entry) {
        entries[user] = entry
        users[IRCDirectory.folded(entry.nick), default: []].append(user)
    }

    mutating func takeRenames() -> [Rename] {
        defer { renames = [] }
        return renames
    }

    /// A user was gone when its nick changed: the client has no user of the old nick.
    mutating func dropRenames(of user: User) { renames.removeAll { $0.user == user } }

    /// The user of the node has this name: a peer with that nick gets another one.
    mutating func setOwn(_ nickname: String, _ chat: ChatModel) {
        let nick = IRCDirectory.legal(nickname)
        own = nick.isEmpty ? "me" : nick
        displace(IRCDirectory.folded(own), chat)
    }

    /// The nick of a peer, which it gets if it has none, or another name than before.
    mutating func nick(of who: PeerName, in room: Int, _ chat: ChatModel) -> String {
        let user = User(room: room, peer: who.key)
        let before = entries[user]
        if let before, IRCDirectory.base(before.who) == IRCDirectory.base(who) {
            if before.who != who { entries[user] = Entry(nick: before.nick, who: who) }
            return before.nick
        }
        if before != nil { remove(user) }
        if before == nil, entries.count >= IRCDirectory.capacity { makePlace(chat) }
        let nick = choose(who, user, chat)
        add(user, Entry(nick: nick, who: who))
        if let before, before.nick != nick { renames.append(Rename(user: user, was: before.nick, nick: nick)) }
        return nick
    }

    private mutating func choose(_ who: PeerName, _ user: User, _ chat: ChatModel) -> String {
        let (base, isBare) = IRCDirectory.base(who)
        if isBare {
            let folded = IRCDirectory.folded(base)
            let holders = users(base).filter { $0.peer != who.key }
            if holders.allSatisfy({ IRCDirectory.mayReplace($0, chat) }) {
                for holder in holders { remove(holder) }
            } else if who.contact != nil, holders.allSatisfy({ entries[$0].map { $0.who.contact == nil } ?? false }) {
                displace(folded, chat)
            }
            if isFree(base, for: who.key) { return base }
        }
        let digits = who.key.hexadecimal
        let numbered = [
            "\(base)-\(who.number)", "\(base)-\(who.number)-\(digits.prefix(8))", "\(base)-\(digits)",
        ]
        return numbered.first { isFree($0, for: who.key) } ?? "\(base)-\(digits)-r\(user.room)"
    }

    private func isFree(_ nick: String, for key: PeerID) -> Bool {
        users(nick).allSatisfy { $0.peer == key } && IRCDirectory.folded(nick) != IRCDirectory.folded(own)
    }

    /// The holders of a nick get one with their number, as another user needs it more.
    private mutating func displace(_ folded: String, _ chat: ChatModel) {
        guard let holders = users[folded] else { return }
        // Held by this call alone, so that the choice does not find it free.
        users[folded] = [ConversationID(room: 0)]
        for holder in holders {
            guard let entry = entries[holder] else { continue }
            let nick = choose(entry.who, holder, chat)
            add(holder, Entry(nick: nick, who: entry.who))
            renames.append(Rename(user: holder, was: entry.nick, nick: nick))
        }
        users[folded] = nil
    }

    private mutating func remove(_ user: User) {
        guard let entry = entries.removeValue(forKey: user) else { return }
        let folded = IRCDirectory.folded(entry.nick)
        users[folded]?.removeAll { $0 == user }
        if users[folded]?.isEmpty == true { users[folded] = nil }
    }

    private mutating func makePlace(_ chat: ChatModel) {
        for user in entries.keys where IRCDirectory.mayReplace(user, chat) { remove(user) }
        if entries.count >= IRCDirectory.capacity, let any = entries.keys.first { remove(any) }
    }

    /// Whether a user is gone, and no private conversation is open that a stranger could slip into.
    private static func mayReplace(_ user: User, _ chat: ChatModel) -> Bool {
        guard let key = user.peer else { return false }
        return chat.room(user.room)?.people[key]?.isHere != true && chat.conversation(user) == nil
    }

    /// The legal form of a name, and whether it may stand without the number: not for a name that looks like another one, or
    /// as if a number were behind it.
    private static func base(_ who: PeerName) -> (nick: String, isBare: Bool) {
        let nick = legal(who.contact ?? who.nickname)
        guard !nick.isEmpty else { return ("\(who.stage)", false) }
        let tail = nick.utf8.suffix(5)
        let hasNumber = tail.count == 5 && tail.first == UInt8(ascii: "-") && tail.dropFirst().allSatisfy(isDigit)
        return (nick, who.contact != nil || !who.isAlike && !hasNumber && !isReserved(nick))
    }

    /// Whether users take a nick for the server or one of its services.
    private static func isReserved(_ nick: String) -> Bool {
        let folded = folded(nick)
        return folded.hasSuffix("serv") || ["earshot", "gateway", "server", "global", "root"].contains(folded)
    }

    /// Letters, digits and marks of nicks (RFC 2812 section 2.3.1), and letters of all scripts; others become `_`.
    static func legal(_ name: String) -> String {
        var nick = String.UnicodeScalarView()
        for scalar in DisplayGuard.safeName(name).unicodeScalars {
            let isLegal =
                scalar.isASCII
                ? isDigit(UInt8(scalar.value)) || scalar.properties.isAlphabetic
                    || "[]\\`_^{|}-".unicodeScalars.contains(scalar)
                : scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            nick.append(isLegal ? scalar : "_")
        }
        if let first = nick.first, first == "-" || first.isASCII && isDigit(UInt8(first.value)) {
            nick.insert("_", at: nick.startIndex)
        }
        return String(nick)
    }

    /// By the case mapping `ascii`.
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }

    /// Whether a nick is one of a mask with `*` and `?`.
    static func matches(_ nick: String, _ mask: String) -> Bool {
        let (text, pattern) = (Array(folded(nick).unicodeScalars), Array(folded(mask).unicodeScalars.prefix(64)))
        // The places in the pattern up to which the text so far is matched.
        var places: Set<Int> = [0]
        for index in pattern.indices where pattern[index] == "*" && places.contains(index) { places.insert(index + 1) }
        for scalar in text {
            var next: Set<Int> = []
            for place in places where place < pattern.count {
                if pattern[place] == "*" { next.insert(place) }
                if pattern[place] == "?" || pattern[place] == scalar { next.insert(place + 1) }
            }
            for index in pattern.indices where pattern[index] == "*" && next.contains(index) { next.insert(index + 1) }
            places = next
        }
        return places.contains(pattern.count)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
