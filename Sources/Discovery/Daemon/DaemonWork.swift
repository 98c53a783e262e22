import Reactor

/// How much the Avahi daemon's process has computed, or wanted to: where it does not answer, one that computes is busy, so is
/// one that others leave no processor, and one that does neither hangs.
struct DaemonWork: Equatable {
    /// Where Avahi's daemon writes its number.
    private static let numberFile = "/run/avahi-daemon/pid"
    /// A hundredth of a second is charged to whatever runs when a tick comes, also to what has just woken.
    private static let leastTicks = 2

    let process: Int
    /// Its own time, the kernel's on its behalf, and that for which it waited for a processor, in hundredths of a second
    /// (proc_pid_stat(5), and the second figure of the kernel's sched-stats).
    let ticks: Int

    /// Nil where there is no daemon, or none that can be seen from here.
    static func read() -> DaemonWork? {
        guard let text = SystemFile.text(at: numberFile, limit: 32),
            let process = Int(text.prefix { $0.isWholeNumber }),
            let status = SystemFile.text(at: "/proc/\(process)/stat", limit: 1_024)
        else { return nil }
        return DaemonWork(
            process: process, status: status, schedule: SystemFile.text(at: "/proc/\(process)/schedstat", limit: 128))
    }

    /// Nil where it is of another program.
    ///
    /// - Parameters:
    ///   - status: what `/proc/PROCESS/stat` says.
    ///   - schedule: what `/proc/PROCESS/schedstat` says; not all kernels keep that.
    init?(process: Int, status: String, schedule: String?) {
        guard let nameEnd = status.lastIndex(of: ")"), status[..<nameEnd].hasSuffix("(avahi-daemon") else { return nil }
        // From the third on.
        let fields = status[nameEnd...].split(separator: " ").dropFirst().map { Int($0) }
        guard fields.count > 12, let user = fields[11], let kernel = fields[12] else { return nil }
        let waited = schedule.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
        self.process = process
        ticks = user + kernel + waited / 10_000_000
    }

    /// Whether the same process has computed since then, or waited to.
    func goesOn(since earlier: DaemonWork?) -> Bool {
        guard let earlier, earlier.process == process else { return false }
        return ticks - earlier.ticks >= Self.leastTicks
    }
}
