import CLinux
import ChatNode
import Reactor
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

    func recordReady() {
        readyAfter.withLock { $0 = $0 ?? elapsed }
    }

    /// The counters of the process in `/stats`.
    var counters: [Counter] {
        let resident = ProcessFacts.residentBytes().map { Counter(.residentBytes, $0) }
        let ready = readyAfter.withLock { $0 }.map { Counter(.startToReady, $0) }
        return [resident, ready].compactMap(\.self)
    }
}

/// The words of the command line.
enum ProcessArguments {
    /// All words behind the program's name; nil where the C library does not pass them on.
    static var words: [String]? {
        let count = linux_argument_count()
        guard count > 0, let words = unsafe linux_argument_words() else { return nil }
        return (1..<Int(count)).compactMap { index in unsafe words[index].map { unsafe String(cString: $0) } }
    }
}
