import Glibc

@testable import Noise

/// Looks for bytes in everything this process can read of itself, as a thief of its memory would.
///
/// The bytes are kept masked, so that the search does not find what it searches with; and of a key only those that
/// stay as they are in a forgotten copy: the allocator writes over the first 16 of what is freed, X25519 over the last.
struct Needle {
    private static let mask: UInt8 = 0xa5
    private let masked: [UInt8]

    /// - Parameter secret: at least 32 bytes.
    init(_ secret: borrowing Secret) {
        var masked: [UInt8] = []
        for index in 16..<31 { masked.append(secret.span[index] ^ Needle.mask) }
        self.masked = masked
    }

    /// How many times the bytes are somewhere in memory.
    func occurrences() throws -> Int {
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw SystemFailure(call: "open /proc/self/mem") }
        defer { close(memory) }
        let window = ScanWindow(masked, mask: Needle.mask)
        defer { window.wipe() }
        return try MemoryRegion.readable().reduce(0) { $0 + window.count(in: $1, of: memory) }
    }
}

/// One piece of the address space.
private struct MemoryRegion {
    let start: Int
    let end: Int

    /// The mapped and readable regions, without those as large as a sanitizer's shadow.
    static func readable() throws -> [MemoryRegion] {
        try readText("/proc/self/maps").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard bounds.count == 2, fields[1].hasPrefix("r"), fields.last != "[vvar]" else { return nil }
            return bounds[1] - bounds[0] <= 1 << 30 ? MemoryRegion(start: bounds[0], end: bounds[1]) : nil
        }
    }
}

/// Where memory is copied to and searched; what is found in here is the search itself.
@safe private struct ScanWindow {
    private static let size = 1 << 20
    private let needleCount: Int
    /// The byte that is looked for first: one that memory is not full of, as it is of zeros.
    private let anchor: Int
    private let buffer: UnsafeMutableRawBufferPointer

    /// The needle is unmasked in the window alone.
    init(_ masked: [UInt8], mask: UInt8) {
        needleCount = masked.count
        anchor = masked.firstIndex { (0x80..<0xf0).contains($0 ^ mask) } ?? 0
        unsafe buffer = .allocate(byteCount: masked.count + ScanWindow.size, alignment: 16)
        for index in masked.indices { unsafe buffer[index] = masked[index] ^ mask }
    }

    func wipe() {
        unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe buffer.deallocate()
    }

    func count(in region: MemoryRegion, of memory: CInt) -> Int {
        var hits = 0
        var position = region.start
        while position < region.end {
            let wanted = min(ScanWindow.size, region.end - position)
            guard let window = unsafe buffer.baseAddress?.advanced(by: needleCount) else { return hits }
            let count = unsafe pread(memory, window, wanted, position)
            if count >= needleCount { hits += unsafe hitsOutside(window, count, at: position) }
            // Windows overlap, so that nothing hides on their border.
            position += wanted == region.end - position ? wanted : wanted - needleCount + 1
        }
        return hits
    }

    private func hitsOutside(_ window: UnsafeMutableRawPointer, _ count: Int, at position: Int) -> Int {
        guard let needle = unsafe buffer.baseAddress else { return 0 }
        let own = unsafe Int(bitPattern: needle)..<Int(bitPattern: needle) + buffer.count
        var hits = 0
        var offset = 0
        let rare = unsafe CInt(needle.load(fromByteOffset: anchor, as: UInt8.self))
        while count - offset >= needleCount,
            let found = unsafe memchr(window + offset + anchor, rare, count - offset - needleCount + 1)
        {
            let hit = unsafe found - anchor
            offset = unsafe hit - window
            if unsafe memcmp(hit, needle, needleCount) == 0, !own.contains(position + offset) { hits += 1 }
            offset += 1
        }
        return hits
    }
}
