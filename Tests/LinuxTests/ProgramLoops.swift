import Reactor
import Synchronization

/// Threads for the programs under test, used again and never ended: the last one to let go of a program may be its own.
enum ProgramLoops {
    private static let idle = Mutex<[EventLoop]>([])

    static func take() throws(SystemError) -> EventLoop {
        if let loop = idle.withLock({ $0.popLast() }) { return loop }
        let loop = try EventLoop(name: "program")
        loop.start()
        return loop
    }

    static func giveBack(_ loop: EventLoop) { idle.withLock { $0.append(loop) } }
}
