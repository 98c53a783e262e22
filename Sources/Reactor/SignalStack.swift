internal import CLinux
internal import Glibc

/// A second stack for the calling thread, on which handlers of signals run: one that has overflowed its first has no
/// space left there.
enum SignalStack {
    /// In bytes: ten times what the largest register file needs on it.
    private static let size = 65_536

    /// Runs `body` with a second stack. Without memory for one it runs all the same.
    static func use(_ body: () -> Void) {
        let protection = PROT_READ | PROT_WRITE
        let memory = unsafe mmap(nil, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { return body() }
        var stack = unsafe stack_t(ss_sp: memory, ss_flags: 0, ss_size: size)
        var before = unsafe stack_t()
        let isInUse = unsafe sigaltstack(&stack, &before) == 0
        body()
        if isInUse { unsafe sigaltstack(&before, nil) }
        unsafe munmap(memory, size)
    }
}
