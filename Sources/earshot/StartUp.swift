import Process
import ChatNode
import Synchronization

/// Measures how long the program took until it was ready, for `/stats`.
final class StartUp: Sendable {
    private let mainBegan = ProcessFacts.monotonicMicroseconds
    /// Loading the program was all computing, and `main` did not see it.
    private let beforeMain = ProcessFacts.computingMicroseconds
    private let readyAfter = Mutex<Int?>(nil)

    /// To be made first thing in `main`.
    init() {}

    /// In microseconds since the process began.
    var elapsed: Int { ProcessFacts.monotonicMicroseconds - mainBegan + beforeMain }

    func noteReady() {
        readyAfter.withLock { $0 = $0 ?? elapsed }
    }

    /// What `/stats` tells about the process.
    var counters: [Counter] {
        let resident = ProcessFacts.residentBytes().map { Counter(name: "resident_bytes", value: $0) }
        let ready = readyAfter.withLock { $0 }.map { Counter(name: "start_to_ready_us", value: $0) }
        return [resident, ready].compactMap(\.self)
    }
}
