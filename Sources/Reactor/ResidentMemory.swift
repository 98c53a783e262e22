import CLinux

/// The resident memory of this process, in bytes (proc_pid_statm(5)).
package struct ResidentMemory {
    package let all: Int
    /// Of it, what is a file's, or shared.
    package let ofFiles: Int

    /// Nil where the system does not tell.
    package init?() {
        let pages = SystemFile.text(at: "/proc/self/statm")?.split(separator: " ").prefix(3).compactMap { Int($0) }
        guard let pages, pages.count == 3 else { return nil }
        let size = sysconf(CInt(_SC_PAGESIZE))
        (all, ofFiles) = (pages[1] * size, pages[2] * size)
    }
}
