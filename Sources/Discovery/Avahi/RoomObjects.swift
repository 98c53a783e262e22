/// The objects of either Avahi that belong to one room, with the context that their callbacks are given.
@safe
struct RoomObjects {
    let context: RoomContext
    /// The entry groups that hold the room's records, one for each interface.
    var groups: [OpaquePointer] = unsafe []
    var browser: OpaquePointer?
    var resolvers: [Listing: OpenResolver] = [:]

    init(_ context: RoomContext) { self.context = context }
}

/// A resolver of either Avahi, with the context that its callback is given.
@safe
struct OpenResolver {
    let pointer: OpaquePointer
    /// Held for the callback.
    let context: RoomContext
}
