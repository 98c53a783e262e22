import Chat
import Noise
import Wire

/// Contacts: a node tells its neighbours of others that it dialled with success, in the overlay, and wherever the user named
/// peers, because the room may then be larger than any of its nodes sees (Protocol.md section 13).
extension Node {
    /// Tells a peer of nodes that it may dial: at random, and none that only this machine reaches unless it is the same.
    func tellContacts(on connection: Connection) {
        guard choice.isOverlay || hasNamedPeers, let peer = connection.peer else { return }
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

    /// Tells the peer of a new link once the other dials of a start are over, if the user named peers.
    func tellContactsSoon(on connection: Connection) {
        guard hasNamedPeers else { return }
        scheduler.schedule(at: scheduler.now + Limits.contactDelay) { [weak self, id = connection.id] in
            self?.assumeIsolated { node in
                guard case .running = node.phase, let connection = node.connections[id], !connection.hasToldContacts
                else { return }
                connection.hasToldContacts = true
                node.tellContacts(on: connection)
            }
        }
    }

    /// Tells one of the neighbours, again and again.
    func tellContacts() {
        guard choice.isOverlay, contacts.takeTurn(now: scheduler.now),
            let connection = connections.activeLinks.randomElement(using: &randomness)
        else { return }
        tellContacts(on: connection)
    }

    func receivedContacts(_ body: Span<UInt8>, on connection: Connection) {
        guard let teller = connection.peer, contacts.takes(from: teller, now: scheduler.now),
            let frame = ContactsFrame(body, scope: connection.endpoint.scope)
        else {
            counts.unexpectedFrames += 1
            return
        }
        let told = frame.contacts.filter { contact in
            contact.peer != context.me && connections.links(of: contact.peer).isEmpty && contact.endpoint.isUnicast
                && contact.endpoint.isLoopback == connection.endpoint.isLoopback
        }.suffix(Limits.contactsPerTeller)
        if choice.isOverlay { offer(told) }
        forgetContacts(contacts.note(Array(told), of: teller))
        noteCrowd()
    }

    /// In overlay mode contacts are candidates; a mesh node only counts them.
    func offer(_ told: some Sequence<ContactsFrame.Contact>) {
        for contact in told where connections.links(of: contact.peer).isEmpty {
            let instance = ContactBook.instance(at: contact.endpoint)
            dialler.found(instance, at: contact.endpoint, now: scheduler.now, using: &randomness)
            choice.found(instance, at: contact.endpoint, .told, now: scheduler.now)
        }
    }

    /// The peers that neighbours told of lately and that there is no link with.
    var strangers: Int {
        contacts.peers(at: scheduler.now).count { connections.links(of: $0).isEmpty }
    }

    /// Contacts that no peer tells of any more are not dialled; links that there are stay.
    func forgetContacts(_ instances: [String]) {
        for instance in instances {
            dialler.lost(instance, now: scheduler.now)
            choice.lost(instance)
        }
    }
}
