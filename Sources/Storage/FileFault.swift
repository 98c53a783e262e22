/// A fault in the text of a file.
package enum FileFault: Error, Hashable, Sendable {
    case empty
    /// Not a text of this kind at all.
    case foreign
    /// Of this kind, in a form that this program does not know.
    case unknownForm
    /// Cut off or changed, in the identity file.
    case damagedIdentity
    /// A damaged state, or the state of another identity.
    case damagedState

    /// The words behind the file's name.
    var description: String {
        switch self {
        case .empty: "is empty; remove it to begin anew, or put a copy in its place"
        case .foreign: "is none of earshot's files; see whether the name is right"
        case .unknownForm: "is of a later version, or damaged; use the version that wrote it, or a copy"
        case .damagedIdentity: "is damaged; put a copy in its place"
        case .damagedState:
            "is damaged, or of another identity; put a copy in its place, or remove it: then no peer is verified, "
                + "blocked or accepted any more, and if the clock went back meanwhile, others may take an earlier run for the later"
        }
    }
}
