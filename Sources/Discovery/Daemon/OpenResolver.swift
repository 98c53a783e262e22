/// A resolver of either Avahi, with what its callback is given.
@safe
struct OpenResolver {
    let pointer: OpaquePointer
    /// Held for the callback.
    let context: ResponderContext
}
