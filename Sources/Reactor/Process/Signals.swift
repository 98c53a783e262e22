import ChatNode
package import CLinux
import Glibc

/// The signals that ask the program to leave: SIGINT, SIGTERM and SIGHUP.
///
/// It lives on a thread of its own, because waiting for a signal blocks.
package actor Signals: EventLoopActor {
    package let loop: EventLoop

    /// - Parameter loop: nothing else may live on it.
    package init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Keeps signals from ending the program, and lets a closed pipe be an error of `write` alone.
    ///
    /// Before any other thread exists: threads inherit what is blocked.
    package static func block() {
        var blocked = set(of: asking + [SIGPIPE])
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil)
    }

    /// The next signal that asks the program to leave, waited for.
    ///
    /// One that was ignored at the start, as `nohup` makes it, asks for nothing.
    package func next() -> CInt {
        var awaited = Signals.set(of: Signals.asking.filter { !Signals.isIgnored($0) })
        var signal: CInt = 0
        while unsafe sigwait(&awaited, &signal) != 0 {}
        return signal
    }

    private static let asking = [SIGINT, SIGTERM, SIGHUP]

    package static func set(of signals: [CInt]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        return set
    }

    package static func isIgnored(_ signal: CInt) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
