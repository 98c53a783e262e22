/// Payloads by the first 8 bytes of their ids, as many as an archive keeps.
struct PayloadTable: Sendable {
    private let capacity: Int
    private var slots: [VerifiedPayload?] = []
    private var free: [Int] = []
    private var index: SlotIndex

    init(capacity: Int) {
        self.capacity = capacity
        index = SlotIndex(slots: capacity)
    }

    subscript(id: UInt64) -> VerifiedPayload? { index.slot(of: id).flatMap { slots[$0] } }

    func contains(_ id: UInt64) -> Bool { index.slot(of: id) != nil }

    /// Keeps a payload, in the place of another with the same id. A full table stays as it is.
    mutating func set(_ payload: VerifiedPayload, for id: UInt64) {
        if let slot = index.slot(of: id) {
            slots[slot] = payload
        } else if let slot = free.popLast() {
            slots[slot] = payload
            index.insert(slot, key: id)
        } else if slots.count < capacity {
            slots.append(payload)
            index.insert(slots.count - 1, key: id)
        }
    }

    mutating func remove(_ id: UInt64) {
        guard let slot = index.slot(of: id) else { return }
        index.remove(slot)
        slots[slot] = nil
        free.append(slot)
    }
}
