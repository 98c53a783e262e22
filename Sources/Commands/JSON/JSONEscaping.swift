/// The scalars that JSON strings escape.
package enum JSONEscaping: Hashable, Sendable {
    /// Those of RFC 8259 section 7, and those that would act on a terminal, hide there, or settle on what is not their base: for
    /// standard output.
    case forTerminals
    /// Those of RFC 8259 section 7, and the other controls: for programs, so that a text takes no more bytes than it must.
    case forPrograms
}
