/// The open resolvers of all rooms of a process, which share one window. Confined to the executor of its rooms.
///
/// The bound is per process, because the daemon counts the objects of a client and has one list of deadlines. Each room
/// that wants resolvers gets an equal share, so that false instances in one room do not delay the others.
final class ResolverPool {
    var window = ResolverWindow()
    /// Open resolvers of all rooms.
    var open = 0
    /// Rooms that have a resolver open or a listing that waits for one.
    var claimants = 0

    /// True if a room that has `count` resolvers open may open one more.
    func hasSpace(after count: Int, isNewcomer: Bool) -> Bool {
        let room = window.room(isNewcomer: isNewcomer)
        return open < room && count < max(1, room / max(1, claimants))
    }
}
