/// Named peers that no route leads to. Each is to be reported once, until a dial shows that there is a route.
struct UnroutedPeers {
    private struct Trouble {
        /// Whether an address of this round of dials failed for another reason.
        var hasOtherFailure = false
        var isTold = false
    }

    /// By instance; only peers that the user named are in it, so it is bounded.
    private var troubles: [String: Trouble] = [:]

    /// A dial of an address has failed. One address without a route means nothing while another may have one.
    ///
    /// - Parameters:
    ///   - error: nil if the connection ended without an error.
    ///   - isLast: whether the round is over: no other address is being dialled or waits for its turn.
    /// - Returns: whether the user needs a warning.
    mutating func failed(_ instance: String, _ error: TransportError?, isLast: Bool) -> Bool {
        var trouble = troubles[instance] ?? Trouble()
        defer { troubles[instance] = trouble }
        switch error {
        case .unreachable: break
        case .refused, .reset, nil: trouble = Trouble(hasOtherFailure: true)
        case .timedOut, .system: trouble.hasOtherFailure = true
        }
        guard isLast else { return false }
        let isDue = !trouble.hasOtherFailure && !trouble.isTold
        trouble.hasOtherFailure = false
        if isDue { trouble.isTold = true }
        return isDue
    }

    /// A dial has connected.
    mutating func reached(_ instance: String) { troubles[instance] = nil }
}
