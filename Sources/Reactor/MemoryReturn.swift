import CLinux
import Wire

/// Returns free memory of the heap to the system after a burst.
///
/// Free memory at the end of the heap goes back by itself; after a burst in a large room most of it lies elsewhere, and
/// would stay with the process for as long as it runs.
package final class MemoryReturn {
    /// How often it is looked.
    package static let interval = Duration.seconds(10)

    private weak let loop: EventLoop?
    private var slack = Slack()

    private init(_ loop: EventLoop) { self.loop = loop }

    /// Looks after the memory of the process as long as `loop` runs. From any thread.
    package static func keep(on loop: EventLoop) {
        loop.execute { [weak loop] in
            guard let loop else { return }
            MemoryReturn(loop).arm()
        }
    }

    private func arm() {
        guard let loop else { return }
        loop.schedule(at: loop.now + MemoryReturn.interval) { self.look() }
    }

    private func look() {
        defer { arm() }
        guard let before = Slack.ofProcess, slack.isWorthReturning(before) else { return }
        // malloc_trim(3): all free pages of all arenas.
        malloc_trim(0)
        slack.record(Slack.ofProcess ?? before)
    }
}

extension MemoryReturn {
    /// How much memory the process has beyond what is in use, in bytes: whether so much more than there has to be that it is
    /// worth to look for free pages.
    package struct Slack {
        package static let worthwhile = 1 << 20

        /// The least that was seen since the last return: stacks, tables of the program, and pages that are partly in use.
        private var least: Int?

        package init() {}

        package mutating func isWorthReturning(_ bytes: Int) -> Bool {
            defer { least = min(least ?? bytes, bytes) }
            return bytes - (least ?? 0) >= Slack.worthwhile
        }

        /// Notes the rest after a return.
        package mutating func record(_ bytes: Int) { least = bytes }

        /// Nil where the system does not tell.
        static var ofProcess: Int? {
            guard let memory = ResidentMemory() else { return nil }
            let use = mallinfo2()
            return memory.all - memory.ofFiles - Int(use.uordblks) - Int(use.hblkhd)
        }
    }
}
