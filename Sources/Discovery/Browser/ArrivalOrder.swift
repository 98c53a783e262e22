/// Instances in the order in which they came, so that the oldest of many is found without a look at all.
///
/// Those that have gone meanwhile stay in it until they are passed over, or until as many are in it again as may be listed.
struct ArrivalOrder {
    private let capacity: Int
    private var arrivals: [(serial: Int, instance: String)] = []
    /// Entries before this index have been removed.
    private var head = 0

    /// - Parameter capacity: how many are listed at most.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// An instance has come, under a number that is larger than all before.
    mutating func append(_ instance: String, serial: Int, isListed: (String, Int) -> Bool) {
        if arrivals.count == 2 * capacity {
            arrivals = arrivals[head...].filter { isListed($0.instance, $0.serial) }
            head = 0
        }
        arrivals.append((serial, instance))
    }

    /// Takes out the oldest that is still listed.
    mutating func removeOldest(isListed: (String, Int) -> Bool) -> String? {
        while head < arrivals.count {
            let (serial, instance) = arrivals[head]
            head += 1
            if isListed(instance, serial) { return instance }
        }
        return nil
    }
}
