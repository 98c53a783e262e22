/// The sizes that tables of several modules follow.
extension Limits {
    /// Links of one node, and places in tables with an entry for each of them. More cost descriptors and memory (an
    /// outbox can hold 263 kB); with fewer, attackers fill all of them sooner, and peers of a large room are refused.
    package static let links = 256
    /// Peers, or sources, that a table remembers; the oldest goes. More cost memory that anyone can make a node spend
    /// with new keys; with fewer, an attacker flushes sooner the numbers, names and rates of peers that are here.
    package static let knownPeers = 16_384
    /// Ids of payloads that a table remembers; the oldest goes. More cost 32 bytes each; with fewer, a payload that
    /// returns late by another way counts as new and is passed on again.
    package static let seenMessages = 16_384
}
