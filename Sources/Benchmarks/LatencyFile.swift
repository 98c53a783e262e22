import Glibc
import Reactor

/// A file of 64-bit numbers in the machine's byte order, one behind the other.
enum LatencyFile {
    static func append(_ numbers: [UInt64], to path: String) throws(SystemError) {
        guard let file = unsafe fopen(path, "ab") else { throw SystemError.last("fopen") }
        let count = unsafe fwrite(numbers, MemoryLayout<UInt64>.stride, numbers.count, file)
        guard unsafe fclose(file) == 0, count == numbers.count else { throw SystemError.last("fwrite") }
    }
}
