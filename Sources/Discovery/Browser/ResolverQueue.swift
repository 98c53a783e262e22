/// The resolvers that one room has open, and its listings that wait for one.
struct ResolverQueue {
    let pool: ResolverPool
    /// Listings that were never resolved go first, so that a crowd of names that never resolve does not delay them.
    private var newcomers: [Listing] = [] { didSet { recordClaim() } }
    private var repeaters: [Listing] = [] { didSet { recordClaim() } }
    private var isTurnOfNewest = false
    private var isClaimant = false
    private var open = 0 {
        didSet {
            pool.open += open - oldValue
            recordClaim()
        }
    }

    init(_ pool: ResolverPool) { self.pool = pool }

    var isWaiting: Bool { !newcomers.isEmpty || !repeaters.isEmpty }

    func hasSpace(isNewcomer: Bool) -> Bool { pool.hasSpace(after: open, isNewcomer: isNewcomer) }

    mutating func opened() { open += 1 }

    mutating func closed() { open -= 1 }

    mutating func append(_ listing: Listing, isNewcomer: Bool) {
        if isNewcomer { newcomers.append(listing) } else { repeaters.append(listing) }
    }

    /// The next listing to resolve, removed; nil without a free resolver.
    mutating func next() -> Listing? {
        if !newcomers.isEmpty, hasSpace(isNewcomer: true) {
            // The listing that has waited longest and the newest take turns, so that a crowd delays neither.
            isTurnOfNewest.toggle()
            return isTurnOfNewest ? newcomers.removeLast() : newcomers.removeFirst()
        }
        return !repeaters.isEmpty && hasSpace(isNewcomer: false) ? repeaters.removeFirst() : nil
    }

    mutating func remove(_ listing: Listing) { removeAll { $0 == listing } }

    mutating func removeAll(where isRemoved: (Listing) -> Bool) {
        newcomers.removeAll(where: isRemoved)
        repeaters.removeAll(where: isRemoved)
    }

    /// Returns everything to the pool.
    mutating func close() {
        removeAll { _ in true }
        open = 0
    }

    private mutating func recordClaim() {
        let wantsResolvers = open > 0 || isWaiting
        guard wantsResolvers != isClaimant else { return }
        isClaimant = wantsResolvers
        pool.claimants += wantsResolvers ? 1 : -1
    }
}
