import Testing
import Wire

struct RecordDecoderTests {
    /// Two records of each length, told apart by their content.
    static let ciphertexts: [[UInt8]] = [528, 1_296, 4_112, 528, 4_112, 1_296].enumerated().map { index, length in
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) }
    }

    static let stream: [UInt8] = ciphertexts.flatMap { ciphertext in
        [UInt8(ciphertext.count >> 8), UInt8(ciphertext.count & 255)] + ciphertext
    }

    /// Feeds `input` to the decoder and gives the records that it completes.
    static func feed(_ input: [UInt8], to decoder: inout RecordDecoder) throws -> [[UInt8]] {
        var records: [[UInt8]] = []
        var position = 0
        while let location = try decoder.next(in: input.span, from: &position) {
            switch location {
            case .input(let range): records.append(Array(input[range]))
            case .gathered(let slice): records.append(Array(slice))
            }
        }
        #expect(position == input.count)
        return records
    }

    @Test func `a stream in one piece gives its records without copying them`() throws {
        var decoder = RecordDecoder()
        var position = 0
        let stream = RecordDecoderTests.stream
        for expected in RecordDecoderTests.ciphertexts {
            let location = try #require(try decoder.next(in: stream.span, from: &position))
            guard case .input(let range) = location else {
                Issue.record("a whole record was gathered")
                return
            }
            #expect(Array(stream[range]) == expected)
        }
        #expect(try decoder.next(in: stream.span, from: &position) == nil)
        #expect(!decoder.isMidRecord)
    }

    @Test func `a record split anywhere is the same record`() throws {
        let stream = Array(RecordDecoderTests.stream.prefix(530 + 1_298))
        for split in 0...stream.count {
            var decoder = RecordDecoder()
            let first = try RecordDecoderTests.feed(Array(stream[..<split]), to: &decoder)
            #expect(decoder.isMidRecord == (split != 0 && split != 530 && split != stream.count))
            let second = try RecordDecoderTests.feed(Array(stream[split...]), to: &decoder)
            #expect(first + second == Array(RecordDecoderTests.ciphertexts.prefix(2)))
            #expect(!decoder.isMidRecord)
        }
    }

    @Test(arguments: [1, 2, 3, 7, 529, 530, 531, 1_000, 4_113, 4_114, 4_115, 9_000])
    func `a stream in pieces of any size gives the same records`(size: Int) throws {
        let stream = RecordDecoderTests.stream
        var decoder = RecordDecoder()
        var records: [[UInt8]] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            records += try RecordDecoderTests.feed(
                Array(stream[start..<min(start + size, stream.count)]), to: &decoder)
        }
        #expect(records == RecordDecoderTests.ciphertexts)
        #expect(!decoder.isMidRecord)
    }

    @Test func `three lengths are legal`() {
        let legal = (0...65_535).filter { RecordDecoder.isLegal($0) }
        #expect(legal == [528, 1_296, 4_112])
    }

    @Test(arguments: [0, 1, 16, 512, 527, 529, 1_280, 1_297, 4_096, 4_113, 65_535])
    func `any other length is refused with its second byte`(length: Int) {
        let prefix = [UInt8(length >> 8), UInt8(length & 255)]
        var whole = RecordDecoder()
        #expect(throws: IllegalRecordLength(length: length)) { try RecordDecoderTests.feed(prefix, to: &whole) }
        var dripped = RecordDecoder()
        #expect(throws: Never.self) { try RecordDecoderTests.feed([prefix[0]], to: &dripped) }
        #expect(throws: IllegalRecordLength(length: length)) {
            try RecordDecoderTests.feed([prefix[1]], to: &dripped)
        }
        #expect(throws: IllegalRecordLength(length: length)) { try RecordDecoderTests.feed([0], to: &dripped) }
    }

    @Test func `an illegal length behind a whole record does not spoil that record`() throws {
        let input = RecordDecoderTests.stream.prefix(530) + [0, 1]
        var decoder = RecordDecoder()
        var position = 0
        #expect(try decoder.next(in: Array(input).span, from: &position) == .input(2..<530))
        #expect(throws: IllegalRecordLength(length: 1)) {
            try decoder.next(in: Array(input).span, from: &position)
        }
    }

    @Test func `a handshake has one length, and the records behind it three`() throws {
        for length in [1_296, 4_112] {
            let prefix = [UInt8(length >> 8), UInt8(length & 255)]
            var decoder = RecordDecoder(isHandshaking: true)
            #expect(throws: IllegalRecordLength(length: length)) { try RecordDecoderTests.feed(prefix, to: &decoder) }
        }
        var decoder = RecordDecoder(isHandshaking: true)
        let stream = RecordDecoderTests.stream
        #expect(try RecordDecoderTests.feed(Array(stream.prefix(530)), to: &decoder).count == 1)
        decoder.endHandshake()
        #expect(try RecordDecoderTests.feed(Array(stream.dropFirst(530)), to: &decoder).count == 5)
    }
}
