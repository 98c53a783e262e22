import Wire

/// When a part of the node is looked at next.
///
/// A job can not be taken back from a scheduler. One that was overtaken by an earlier one therefore does nothing when its
/// time comes: if it set the next one too, each that was ever overtaken would go on for as long as the node lives.
struct TimerToken {
    private var armed: Instant?

    /// Whether a job has to be scheduled for `deadline`: not where one comes as soon as that.
    mutating func arm(_ deadline: Instant) -> Bool {
        if let armed, armed <= deadline { return false }
        armed = deadline
        return true
    }

    /// The job for `deadline` has come; false if it was overtaken.
    mutating func isCurrent(_ deadline: Instant) -> Bool {
        guard armed == deadline else { return false }
        armed = nil
        return true
    }
}
