import ChatNode
import Wire

extension FuzzTarget {
    /// The frames that are read from a plaintext, written again, are that plaintext without gaps or trailing bytes.
    static let frames = FuzzTarget(name: "frames", seeds: FrameWalk.seeds) { input in
        guard let frames = FrameWalk.frames(in: input) else { return }
        var written: [UInt8] = []
        for frame in frames {
            written += [UInt8(frame.count >> 8), UInt8(frame.count & 255)] + frame
            FrameWalk.readIDs(frame)
        }
        demand(input.starts(with: written), "frames are read that were not there")
        demand(input.dropFirst(written.count).allSatisfy { $0 == 0 }, "something is behind the frames")
        FrameWalk.pack(frames, written)
    }
}

private enum FrameWalk {
    static func seeds() -> [[UInt8]] {
        let have = IDList.frame(.have, [1, 2, .max])
        let want = IDList.frame(.want, [])
        let ping = [FrameType.ping.rawValue] + [UInt8](repeating: 7, count: 8)
        return [[have], [want, ping], [ping, have, ping, [200]]].map { frames in
            frames.flatMap { [0, UInt8($0.count)] + $0 } + [0, 0, 0]
        }
    }

    /// Nil if the plaintext is malformed.
    static func frames(in plaintext: [UInt8]) -> [[UInt8]]? {
        var cursor = FrameCursor(plaintext.span)
        var frames: [[UInt8]] = []
        do throws(FramingError) {
            while let range = try cursor.next() {
                demand(!range.isEmpty, "a frame is empty")
                frames.append(Array(plaintext[range]))
            }
        } catch {
            return nil
        }
        return frames
    }

    static func readIDs(_ frame: [UInt8]) {
        for (type, limit) in [(FrameType.have, Limits.offeredPayloads), (.want, Limits.wantedPayloads)] {
            let body = Array(frame.dropFirst())
            guard frame[0] == type.rawValue, let ids = IDList.read(body.span, limit: limit) else { continue }
            demand(ids.count <= limit, "more ids than may be")
            demand(IDList.frame(type, ids) == frame, "ids are written otherwise than they were read")
        }
    }

    /// The plaintext in which a link sends these frames.
    static func pack(_ frames: [[UInt8]], _ written: [UInt8]) {
        var packer = FramePacker()
        var taken = 0
        for frame in frames {
            guard packer.append(frame) else { break }
            taken += 1
        }
        let isWhole = taken == frames.count
        demand(isWhole || written.count > Limits.recordPlaintexts[2], "frames that fit are not taken")
        packer.pad()
        let plaintext = packer.bytes
        packer.clear()
        demand(Limits.recordPlaintexts.contains(plaintext.count), "a record of \(plaintext.count) bytes")
        demand(FrameWalk.frames(in: plaintext) == Array(frames.prefix(taken)), "frames are packed wrongly")
    }
}
