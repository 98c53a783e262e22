import Commands
import Reactor
import Rendering
import Settings
import Chat
import Noise
import Storage
import Wire

/// `earshot identity`: makes an identity file, or shows whose one is. The key that signs is never shown.
struct IdentityCommand {
    private let arguments: IdentityArguments
    private let id: PeerID
    private let isSealed: Bool
    private let state: IdentityState

    /// Does what is asked.
    ///
    /// - Returns: the text to print.
    static func run(_ arguments: IdentityArguments) throws(StartFailure) -> String {
        let result =
            switch arguments.action {
            case .new: try makeNew(arguments)
            case .show: try open(arguments)
            }
        return arguments.isJSON ? result.json : result.plain
    }

    private static func makeNew(_ arguments: IdentityArguments) throws(StartFailure) -> IdentityCommand {
        let isSealed = arguments.asksForPhrase || arguments.phraseDescriptor != nil
        try KeptIdentity.refuse(existing: arguments.file)
        let opened = try KeptIdentity.create(
            arguments.file, sealed: isSealed, phraseFrom: arguments.phraseDescriptor)
        return IdentityCommand(arguments: arguments, id: opened.id, isSealed: isSealed, state: opened.files.state)
    }

    /// Another process may be using it meanwhile.
    private static func open(_ arguments: IdentityArguments) throws(StartFailure) -> IdentityCommand {
        let stored: StoredIdentity
        do throws(StorageError) {
            stored = try StoredIdentity.open(arguments.file, locking: false)
        } catch {
            throw StartFailure(error)
        }
        let isSealed = stored.isSealed
        let opened = try KeptIdentity.unlock(stored, at: arguments.file, phraseFrom: arguments.phraseDescriptor)
        return IdentityCommand(arguments: arguments, id: opened.id, isSealed: isSealed, state: opened.files.state)
    }

    private var plain: String {
        let head = [
            "number       \(IdentityCommand.label(id))", "key          \(id.hexadecimal)",
            "pass phrase  \(isSealed ? "yes" : "no")",
        ]
        let verified = state.verified.map { "verified     \(IdentityCommand.label($0)) \($0.hexadecimal)" }
        let blocked = state.blocked.map { "blocked      \(IdentityCommand.label($0)) \($0.hexadecimal)" }
        let contacts = state.contacts.map { contact in
            "contact      \(DisplayGuard.safeName(contact.name))\(IdentityCommand.label(contact.key)) \(contact.key.hexadecimal)"
        }
        return (head + verified + blocked + contacts).joined(separator: "\n") + "\n"
    }

    private var json: String {
        var writer = JSONWriter()
        writer.object {
            $0.member("event", "result")
            $0.member("command", "identity \(arguments.action.rawValue)")
            $0.member("number", SenderNumber(of: id).number)
            $0.member("key", id.hexadecimal)
            $0.member("file", arguments.file)
            $0.member("passphrase", isSealed)
            $0.member("verified") { $0.array { for peer in state.verified { $0.string(peer.hexadecimal) } } }
            $0.member("blocked") { $0.array { for peer in state.blocked { $0.string(peer.hexadecimal) } } }
            $0.member("contacts") {
                $0.array {
                    for contact in state.contacts {
                        $0.object {
                            $0.member("name", contact.name)
                            $0.member("key", contact.key.hexadecimal)
                        }
                    }
                }
            }
        }
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func label(_ peer: PeerID) -> String { "#\(SenderNumber(of: peer).number)" }
}
