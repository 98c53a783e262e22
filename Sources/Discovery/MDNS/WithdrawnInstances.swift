/// The instances whose service a packet of multicast DNS withdraws: their nodes have left, while a withdrawn PTR may only
/// tell that a node of a crowd is no beacon any more (Protocol.md section 10). The input is hostile.
enum WithdrawnInstances {
    private static let service = MDNSName(["_earshot", "_tcp"]).wire

    /// - Parameter bytes: from index 0.
    /// - Returns: names in the form of `RandomNames.canonical`, up to the first fault.
    static func all(in bytes: ArraySlice<UInt8>) -> [String] {
        guard var message = DNSReader(bytes), message.isResponse, message.passQuestions() else { return [] }
        var found: [String] = []
        for _ in 0..<message.recordCount {
            var name: [UInt8] = []
            let isWhole = message.name { label in
                name.append(UInt8(label.count))
                name += bytes[label].lazy.map(DNSReader.lowercased)
            }
            guard isWhole, let body = message.body() else { break }
            message.leave(body)
            guard body.isInternet, body.timeToLive == 0, body.type == Int(MDNSRecord.Kind.srv.rawValue),
                let length = name.first, (name.dropFirst(1 + Int(length)) + [0]).elementsEqual(service),
                let instance = RandomNames.canonical(name[1..<1 + Int(length)])
            else { continue }
            found.append(instance)
        }
        return found
    }
}
