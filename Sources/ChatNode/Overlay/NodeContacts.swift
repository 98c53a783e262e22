import Chat
import Noise
import Wire

/// Contacts: a node tells its neighbours in the overlay of others that it dialled with success (Protocol.md section 13).
extension Node {
    /// Tells a peer of nodes that it may dial: at random, and none that only this machine reaches unless it is the same.
    func tellContacts(on connection: Connection) {
        guard choice.isOverlay, let peer = connection.peer else { return }
        var contacts: [ContactsFrame.Contact] = []
        for other in connections.activeLinks.shuffled(using: &randomness) where contacts.count < Limits.contactsTold {
            guard case .link(.initiator) = other.standing, let known = other.peer, known != peer,
                other.endpoint.isLoopback == connection.endpoint.isLoopback
            else { continue }
            contacts.append(ContactsFrame.Contact(peer: known, endpoint: other.endpoint))
        }
        guard !contacts.isEmpty else { return }
        connection.link.enqueue(ContactsFrame(contacts: contacts).bytes)
        markDirty(connection)
    }

    /// Tells one of the neighbours, again and again.
    func tellContacts() {
        guard choice.isOverlay, scheduler.now >= contactsDue else { return }
        contactsDue = scheduler.now + Limits.contactInterval
        guard let connection = connections.activeLinks.randomElement(using: &randomness) else { return }
        tellContacts(on: connection)
    }

    func receivedContacts(_ body: Span<UInt8>, on connection: Connection) {
        guard choice.isOverlay, let teller = connection.peer, contacts.takes(from: teller, now: scheduler.now),
            let frame = ContactsFrame(body, scope: connection.endpoint.scope)
        else {
            counts.unexpectedFrames += 1
            return
        }
        let told = frame.contacts.filter { contact in
            contact.peer != context.me && connections.links(of: contact.peer).isEmpty && contact.endpoint.isUnicast
                && contact.endpoint.isLoopback == connection.endpoint.isLoopback
        }.suffix(Limits.contactsPerTeller)
        for contact in told {
            let instance = ContactBook.instance(at: contact.endpoint)
            dialler.found(instance, at: contact.endpoint, now: scheduler.now, using: &randomness)
            choice.found(instance, at: contact.endpoint, .told, now: scheduler.now)
        }
        forgetContacts(contacts.note(told.map { ContactBook.instance(at: $0.endpoint) }, of: teller))
        noteCrowd()
    }

    /// Contacts that no peer tells of any more are not dialled; links that there are stay.
    func forgetContacts(_ instances: [String]) {
        for instance in instances {
            dialler.lost(instance, now: scheduler.now)
            choice.lost(instance)
        }
    }
}
