import Testing
import Wire

struct FrameTests {
    /// The frames of a record's plaintext.
    static func frames(_ plaintext: [UInt8]) throws(FramingError) -> [[UInt8]] {
        var cursor = FrameCursor(plaintext.span)
        var frames: [[UInt8]] = []
        while let range = try cursor.next() { frames.append(Array(plaintext[range])) }
        return frames
    }

    static func packed(_ frames: [[UInt8]]) -> [UInt8] {
        var packer = FramePacker()
        for frame in frames {
            let fits = packer.append(frame)
            #expect(fits)
        }
        return packer.takePlaintext()
    }

    @Test func `frames that wait together share a record and come apart again`() throws {
        let frames: [[UInt8]] = [[1], [2, 0, 0], [UInt8](repeating: 3, count: 300), [4, 5]]
        let plaintext = FrameTests.packed(frames)
        #expect(plaintext.count == 512)
        #expect(try FrameTests.frames(plaintext) == frames)
    }

    @Test(
        arguments: [(1, 512), (510, 512), (511, 1_280), (1_278, 1_280), (1_279, 4_096), (4_094, 4_096)])
    func `a frame takes the smallest record that holds it`(length: Int, size: Int) throws {
        let frame = [UInt8](repeating: 1, count: length)
        var packer = FramePacker()
        let fits = packer.append(frame)
        #expect(fits)
        #expect(packer.plaintextSize == size)
        let plaintext = packer.takePlaintext()
        #expect(plaintext.count == size)
        #expect(try FrameTests.frames(plaintext) == [frame])
        #expect(packer.isEmpty)
    }

    @Test func `a frame that does not fit is not added`() throws {
        var packer = FramePacker()
        let results = [
            packer.append([UInt8](repeating: 1, count: 4_000)), packer.append([UInt8](repeating: 2, count: 93)),
            packer.append([UInt8](repeating: 3, count: 92)), packer.append([4]), packer.append([]),
        ]
        #expect(results == [true, false, true, false, false])
        #expect(try FrameTests.frames(packer.takePlaintext()).map(\.count) == [4_000, 92])
        let tooLarge = packer.append([UInt8](repeating: 1, count: FramePacker.largestFrame + 1))
        #expect(!tooLarge)
    }

    @Test func `a packer that was emptied begins anew`() throws {
        var packer = FramePacker()
        for number in 1...3 as ClosedRange<UInt8> {
            let fits = packer.append([number, number])
            #expect(fits)
            #expect(try FrameTests.frames(packer.takePlaintext()) == [[number, number]])
        }
    }

    @Test func `zeros alone are a record without frames`() throws {
        #expect(try FrameTests.frames([UInt8](repeating: 0, count: 512)) == [])
        #expect(try FrameTests.frames([]) == [])
        #expect(try FrameTests.frames([0]) == [])
    }

    @Test func `a frame that ends beyond its record is refused`() {
        #expect(throws: FramingError.frameBeyondRecord) { try FrameTests.frames([0, 2, 1]) }
        #expect(throws: FramingError.frameBeyondRecord) {
            try FrameTests.frames([0xff, 0xff] + [UInt8](repeating: 1, count: 510))
        }
        #expect(throws: FramingError.frameBeyondRecord) { try FrameTests.frames([0, 1, 9, 0, 1]) }
    }

    @Test func `padding that is not zero is refused at any place`() {
        for position in 5..<64 {
            var plaintext = [UInt8](repeating: 0, count: 64)
            plaintext[1] = 1
            plaintext[2] = 9
            plaintext[position] = 1
            #expect(throws: FramingError.paddingNotZero) { try FrameTests.frames(plaintext) }
        }
        #expect(throws: FramingError.paddingNotZero) { try FrameTests.frames([0, 1, 9, 7]) }
    }

    @Test func `a frame may end with its record`() throws {
        #expect(try FrameTests.frames([0, 3, 1, 2, 3]) == [[1, 2, 3]])
        #expect(try FrameTests.frames([0, 3, 1, 2, 3, 0]) == [[1, 2, 3]])
    }

    @Test func `random plaintexts give ranges within them or errors`() {
        var generator = SystemlessGenerator(state: 1)
        for _ in 0..<2_000 {
            let plaintext = (0..<64).map { _ in UInt8.random(in: 0...3, using: &generator) }
            var cursor = FrameCursor(plaintext.span)
            while let range = try? cursor.next() { #expect(range.upperBound <= 64 && !range.isEmpty) }
        }
    }

    @Test func `eighteen types of frames exist`() {
        #expect(FrameType.allCases.map(\.rawValue) == Array(1...18))
        #expect(FrameType(rawValue: 0) == nil && FrameType(rawValue: 19) == nil)
    }
}

/// Equal numbers on every run.
struct SystemlessGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}

extension FramePacker {
    /// The plaintext of the record that is packed; the packer is empty afterwards, as behind `Link.seal`.
    fileprivate mutating func takePlaintext() -> [UInt8] {
        pad()
        defer { clear() }
        return bytes
    }
}
