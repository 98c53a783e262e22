import CFuzzer
import Glibc

/// Runs libFuzzer with the target that the environment variable `EARSHOT_FUZZ_TARGET` names.
///
/// Without a target it prints the names of all targets; with `EARSHOT_FUZZ_SEEDS`, the target's seeds in hexadecimal.
@main
struct Fuzz {
    static let chosen = choose()

    static func main() {
        _ = chosen
        var count = CommandLine.argc
        var arguments = unsafe Optional(CommandLine.unsafeArgv)
        exit(unsafe LLVMFuzzerRunDriver(&count, &arguments, testOneInput))
    }

    private static func choose() -> FuzzTarget {
        guard let name = variable("EARSHOT_FUZZ_TARGET") else { end(FuzzTarget.all.map(\.name)) }
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else { end(["no target \(name)"]) }
        if variable("EARSHOT_FUZZ_SEEDS") != nil { end(target.seeds().map(hexadecimal)) }
        return target
    }

    private static func end(_ lines: [String]) -> Never {
        for line in lines { print(line) }
        exit(0)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// One entry point of the program for foreign bytes, and the properties that must hold for all inputs.
struct FuzzTarget: Sendable {
    let name: String
    /// Valid inputs in the current format, which reach deep into the code.
    let seeds: @Sendable () -> [[UInt8]]
    /// Traps if a property does not hold.
    let run: @Sendable ([UInt8]) -> Void

    static let all = [
        records, frames, payload, text, keys, certificate, handshake, router, node, sealed, history, overlayFrames,
        overlay, mdns, browser, instances, arguments, configuration, identity, commands, json, routes, stomp, socketio,
        irc, editor,
    ]
}

/// Traps with `what` as its message unless `holds`; libFuzzer records a trap as a crash.
func demand(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fatalError(what()) }
}

/// The entry point of libFuzzer, called once for each input; libFuzzer requires this name.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe Fuzz.chosen.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
