/// One way into the program by which foreign bytes come, with what must hold whatever they are.
struct FuzzTarget: Sendable {
    let name: String
    /// Inputs that lead far: true messages, in the form of today.
    let seeds: @Sendable () -> [[UInt8]]
    /// Traps where something does not hold.
    let run: @Sendable ([UInt8]) -> Void

    static let all = [
        records, frames, payload, text, certificate, handshake, router, node, sealed, history, mdns, browser,
        instances, arguments,
        configuration, identity, commands, editor,
    ]
}

/// Ends the run, as a crash, unless `holds`.
func demand(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fatalError(what()) }
}
