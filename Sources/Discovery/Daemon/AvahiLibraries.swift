import CAvahi
import CAvahiCore

/// The functions of libavahi-client, loaded when they are first needed; never unloaded.
func loadAvahiClient() -> AvahiClientFunctions? {
    let table = UnsafeMutablePointer<AvahiClientFunctions>.allocate(capacity: 1)
    defer { unsafe table.deallocate() }
    guard unsafe avahi_client_functions_load(table) != 0 else { return nil }
    return unsafe table.pointee
}

/// The functions of libavahi-core, loaded when they are first needed; never unloaded.
func loadAvahiCore() -> AvahiCoreFunctions? {
    let table = UnsafeMutablePointer<AvahiCoreFunctions>.allocate(capacity: 1)
    defer { unsafe table.deallocate() }
    guard unsafe avahi_core_functions_load(table) != 0 else { return nil }
    return unsafe table.pointee
}
