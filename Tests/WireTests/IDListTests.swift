import Testing
import Wire

struct IDListTests {
    @Test(arguments: [0, 1, 100, 300]) func `a list is read as it was written`(count: Int) {
        let ids = (0..<count).map { UInt64($0) << 40 | 7 }
        let frame = IDList.frame(.have, ids)
        #expect(frame.count == 3 + 8 * count)
        #expect(frame.first == 5)
        #expect(frame.count <= FramePacker.largestFrame)
        let read = IDList.read(frame.span.extracting(1...), limit: 300)
        #expect(read == ids)
    }

    @Test func `an id is its first eight bytes, big-endian, behind a count of two`() {
        #expect(IDList.frame(.want, [0x0102_0304_0506_0708]) == [6, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test func `a count that is not that of the bytes, or too high, is refused`() {
        let body = Array(IDList.frame(.have, [1, 2, 3]).dropFirst())
        for cut in 0..<body.count {
            let read = IDList.read(body.span.extracting(first: cut), limit: 300)
            #expect(read == nil)
        }
        let long = body + [0]
        let (tooLong, tooMany, just) = (
            IDList.read(long.span, limit: 300), IDList.read(body.span, limit: 2), IDList.read(body.span, limit: 3)
        )
        #expect(tooLong == nil && tooMany == nil && just == [1, 2, 3])
    }
}
