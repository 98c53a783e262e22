import Wire

/// A candidate of the overlay as the samplers know it.
struct SampledCandidate: Sendable {
    /// Where it can be dialled.
    var endpoint: Endpoint
    /// The digest of its source under the node's private salt.
    var source: UInt64
    /// The digest of its instance name under that salt.
    let name: UInt64
    /// It is not drawn before that time.
    var restsUntil: Instant?
    // As few bytes as they need: there is one for each node of a crowd.
    var proof: Samplers.Proof
    /// The number of nodes that it stands for, up to 255.
    private var storedWeight: UInt8
    /// How often it was dialled in vain since it last had a link, up to 10.
    var failures: UInt8 = 0

    init(endpoint: Endpoint, source: UInt64, name: UInt64, proof: Samplers.Proof, weight: Int) {
        (self.endpoint, self.source, self.name, self.proof) = (endpoint, source, name, proof)
        storedWeight = UInt8(clamping: weight)
    }

    var weight: Int {
        get { Int(storedWeight) }
        set { storedWeight = UInt8(clamping: newValue) }
    }

    var isDrawn: Bool { proof == .proven && restsUntil == nil }
}

/// One draw of a candidate: the one whose source has the least rank under a private salt, and within the source the least
/// instance. A source that stands for several nodes has the least of as many ranks: a fraction of one.
struct SamplerSlot: Sendable {
    private let salt: UInt64
    private var sourceRank = UInt64.max
    private var source: UInt64 = 0
    private var nameRank = UInt64.max
    private(set) var instance: String?

    init(salt: UInt64) {
        self.salt = salt
    }

    /// This draw without a candidate.
    var emptied: SamplerSlot { SamplerSlot(salt: salt) }

    /// Takes a candidate if its rank is less than that of the present one.
    mutating func offer(_ instance: String, _ candidate: SampledCandidate) {
        let rank = SamplerSlot.rank(candidate.source, salt) / UInt64(candidate.weight)
        guard rank <= sourceRank else { return }
        let second = SamplerSlot.rank(candidate.name, salt)
        guard rank < sourceRank || self.instance == nil || second < nameRank else { return }
        (sourceRank, source, nameRank, self.instance) = (rank, candidate.source, second, instance)
    }

    /// A permutation of all digests that depends on the salt: digests are as good as random, so the finaliser of
    /// SplitMix64 (Steele, Lea and Flood) is enough to make the draws of two salts independent.
    static func rank(_ digest: UInt64, _ salt: UInt64) -> UInt64 {
        var word = digest ^ salt
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}
