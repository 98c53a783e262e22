internal import CLinux
internal import Glibc

/// Descriptors, threads and memory that the program needs of the system, tried at the start and given back.
///
/// The libraries below the program end the process without a word, or wait without end, where the system refuses them a
/// thread, a descriptor or memory: so all of it is asked for at once, while a refusal can still be said.
package enum StartResources {
    /// Descriptors beside those that are open: event loops, discovery, listeners, files and the language's runtime; one with
    /// all faces opens 45.
    private static let descriptors = 48
    /// Threads beside the main one: 12 at most, and some of the language's runtime.
    private static let threads = 16
    /// Bytes of address space beside the stacks of the threads.
    private static let memory = 64 << 20

    /// - Throws: the refusal of the system, with the limit to raise; its code is that for the system's refusals.
    package static func check() throws(StartFailure) {
        try naming("\(descriptors) more file descriptors are needed; raise the limit (ulimit -n)") {
            () throws(SystemError) in try tryDescriptors()
        }
        let needed = memory + threads * stackSize
        try naming("\(needed >> 20) MB more address space is needed; raise the limit (ulimit -v)") {
            () throws(SystemError) in try tryMemory(needed)
        }
        try naming("\(threads) more threads are needed; raise the limit (ulimit -u)") {
            () throws(SystemError) in try tryThreads()
        }
    }

    private static func naming(_ remedy: String, _ body: () throws(SystemError) -> Void) throws(StartFailure) {
        do throws(SystemError) { try body() } catch {
            throw StartFailure("\(error); \(remedy)", code: StartFailure.refusedBySystem)
        }
    }

    private static func tryDescriptors() throws(SystemError) {
        var opened: [CInt] = []
        defer { for number in opened { close(number) } }
        for _ in 0..<descriptors {
            opened.append(try SystemError.check("eventfd", eventfd(0, CInt(EFD_CLOEXEC))))
        }
    }

    private static func tryMemory(_ count: Int) throws(SystemError) {
        let start = unsafe mmap(nil, count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else { throw SystemError.last("mmap") }
        unsafe munmap(start, count)
    }

    /// All of them are there at once: each waits for a lock that is let go of when the last one is made.
    private static func tryThreads() throws(SystemError) {
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        unsafe pthread_mutex_init(gate, nil)
        unsafe pthread_mutex_lock(gate)
        var made: [pthread_t] = []
        defer {
            unsafe pthread_mutex_unlock(gate)
            for thread in made { pthread_join(thread, nil) }
            unsafe pthread_mutex_destroy(gate)
            unsafe gate.deallocate()
        }
        for _ in 0..<threads {
            var thread = pthread_t()
            let status = unsafe pthread_create(
                &thread, nil,
                { gate in
                    guard let gate = unsafe gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
                    unsafe pthread_mutex_lock(gate)
                    unsafe pthread_mutex_unlock(gate)
                    return nil
                }, gate)
            guard status == 0 else { throw SystemError(call: "pthread_create", errno: status) }
            made.append(thread)
        }
    }

    /// In bytes.
    private static var stackSize: Int {
        var (attributes, size) = (pthread_attr_t(), 8 << 20)
        guard unsafe pthread_attr_init(&attributes) == 0 else { return size }
        unsafe pthread_attr_getstacksize(&attributes, &size)
        unsafe pthread_attr_destroy(&attributes)
        return size
    }
}
