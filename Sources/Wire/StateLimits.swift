/// The bounds of an identity's state file, which conversations and storage share.
extension Limits {
    /// Bytes in a nickname: 24 characters of any script. A larger one may not fit the smallest record beside the rest
    /// of a presence; a smaller one shortens names in scripts with long characters.
    package static let nicknameBytes = 96
    /// Bytes in the line about a user. The payload counts them in one byte, which no larger number fits; a smaller one
    /// shortens lines in scripts with long characters.
    package static let aboutBytes = 255
    /// Peers that a user has named, in an identity's state file. More make the file, which is read and sealed whole,
    /// larger; with fewer the user must remove names sooner.
    package static let contacts = 256
    /// Peers that an identity has verified, and as many that it has blocked or muted; that of the peer marked first
    /// goes. More make the state file larger; with fewer, a patient attacker that a user keeps blocking pushes old
    /// marks out sooner.
    package static let markedPeers = 4_096
    /// Direct conversations that are kept; the one used longest ago goes. More cost the memory of 100 messages each;
    /// with fewer, conversations of a busy user disappear sooner.
    package static let directConversations = 256
}
