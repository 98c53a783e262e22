import Wire

@testable import Noise

// The calls of the module with whole arrays, as tests have them.

extension Handshake {
    mutating func write(_ payload: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        try writeMessage(payload: payload.span)
    }

    @discardableResult
    mutating func read(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        try readMessage(message.span)
    }
}

extension Session {
    /// The ciphertext of the next record, without its length.
    mutating func seal(_ plaintext: [UInt8]) throws(NoiseError) -> [UInt8] {
        var record: [UInt8] = []
        try seal(plaintext.span, appendingTo: &record)
        return Array(record.dropFirst(Limits.lengthPrefix))
    }

    @discardableResult
    mutating func open(_ ciphertext: [UInt8]) throws(NoiseError) -> [UInt8] {
        var plaintext: [UInt8] = []
        try open(ciphertext.span, into: &plaintext)
        return plaintext
    }
}

/// The error that `body` ends with; nil if it succeeds.
func refusal(_ body: () throws(NoiseError) -> Void) -> NoiseError? {
    do throws(NoiseError) {
        try body()
        return nil
    } catch {
        return error
    }
}
