import Chat
import Reactor
import Glibc
import Noise
import Storage

/// Opens the identity that a file keeps, and makes one where there is none.
enum KeptIdentity {
    /// For a run: no other process can use it meanwhile.
    static func open(
        _ path: String, phraseFrom descriptor: CInt?, _ diagnostics: Diagnostics
    ) throws(StartFailure) -> OpenedIdentity {
        let stored: StoredIdentity
        do throws(StorageError) {
            stored = try StoredIdentity.open(path, locking: true)
        } catch {
            guard error.reason == .missing else { throw StartFailure(error) }
            let opened = try create(path, sealed: descriptor != nil, phraseFrom: descriptor)
            diagnostics.say(.warning, "made a new identity in \(path); keep the file to be the same again")
            return opened
        }
        if descriptor != nil, !stored.isSealed {
            diagnostics.say(.warning, "\(path) has no pass phrase; a reader of the file has the identity")
        }
        let opened = try unlock(stored, at: path, phraseFrom: descriptor)
        if opened.files.isStateMissing {
            let state = opened.files.statePath
            diagnostics.say(.warning, "there is no \(state); no peer is verified or blocked until you say so again")
        }
        return opened
    }

    static func create(
        _ path: String, sealed: Bool, phraseFrom descriptor: CInt?
    ) throws(StartFailure) -> OpenedIdentity {
        let phrase: Secret? = sealed ? try PassPhrase.takeNew(from: descriptor, for: path) : nil
        do throws(StorageError) {
            return try StoredIdentity.create(path, phrase: phrase)
        } catch {
            throw StartFailure(error)
        }
    }

    static func unlock(
        _ stored: consuming StoredIdentity, at path: String, phraseFrom descriptor: CInt?
    ) throws(StartFailure) -> OpenedIdentity {
        let phrase: Secret? = stored.isSealed ? try PassPhrase.take(from: descriptor, for: path) : nil
        let opened: OpenedIdentity
        do throws(StorageError) {
            opened = try stored.unlock(with: phrase)
        } catch {
            throw StartFailure(error)
        }
        let state = opened.files.state
        let names = [state.nickname].compactMap(\.self) + state.contacts.map(\.name)
        let isComposed = names.allSatisfy { (try? Nickname.compose($0)) == $0 }
        guard isComposed, state.about.map({ (try? AboutLine.compose($0)) == $0 }) ?? true else {
            throw StartFailure(StorageError(opened.files.statePath, .unreadable(.damagedState)))
        }
        return opened
    }

    /// The user is not asked for a phrase of a file that can not be made.
    static func refuse(existing path: String) throws(StartFailure) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        throw StartFailure(StorageError(path, .exists))
    }
}

extension StartFailure {
    init(_ error: StorageError) {
        self.init(error.description)
    }
}
