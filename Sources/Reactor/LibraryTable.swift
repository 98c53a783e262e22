/// The functions of a C library that is loaded when they are first needed, and never unloaded.
///
/// - Parameter load: fills the table, and returns 0 if a function is missing.
/// - Returns: nil if the library, or a function of it, is not there.
package func loadedTable<Functions>(_ load: (UnsafeMutablePointer<Functions>) -> CInt) -> Functions? {
    // All of it is written by `load`, unless that fails.
    let table = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
    defer { unsafe table.deallocate() }
    guard unsafe load(table) != 0 else { return nil }
    return unsafe table.pointee
}
