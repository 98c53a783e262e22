import CFuzzer
import Glibc

/// The fuzzer: libFuzzer with one of the targets, which the environment names by `EARSHOT_FUZZ_TARGET`.
///
/// Without a target it prints their names, and with `EARSHOT_FUZZ_SEEDS` inputs to begin with, in hexadecimal.
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

/// One way into the program by which foreign bytes come, with what must hold whatever they are.
struct FuzzTarget: Sendable {
    let name: String
    /// Inputs that lead far: true messages, in the form of today.
    let seeds: @Sendable () -> [[UInt8]]
    /// Traps where something does not hold.
    let run: @Sendable ([UInt8]) -> Void

    static let all = [
        records, frames, payload, text, certificate, handshake, router, node, sealed, history, mdns, browser,
        instances, arguments, configuration, identity, commands, editor,
    ]
}

/// Ends the run, as a crash, unless `holds`.
func demand(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fatalError(what()) }
}

/// libFuzzer calls this with each input, and looks for it by this name.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe Fuzz.chosen.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
