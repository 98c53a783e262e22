import Chat
import Noise
import Wire

/// Applies the mode of the room and the choice of links to the node's connections (Protocol.md section 13).
extension Node {
    /// The count of nodes or the links may have changed: the end of the turn looks, once for all changes.
    func noteCrowd() {
        updateMode()
        guard choice.isOverlay else { return }
        isChoiceChanged = true
        askForTurnEnd()
    }

    /// Counts the known nodes, and changes the mode where that is due.
    func updateMode() {
        guard case .running = phase else { return }
        let isChanged = modeSwitch.update(known: countKnown(), now: scheduler.now)
        let isGapChanged = updateGaps()
        if isChanged {
            counts.modeChanges += 1
            if modeSwitch.isOverlay {
                choice.enterOverlay(now: scheduler.now)
                offer(contacts.contacts)
            } else {
                choice.leaveOverlay()
            }
            setMode(modeSwitch.isOverlay ? .overlay : gaps.isRelaying ? .relaying : .mesh)
            if !choice.isOverlay { dialler.restrict(to: nil, now: scheduler.now) }
            arm(.dialler)
        } else if isGapChanged {
            followGaps()
        }
        tellCrowd(isChanged: isChanged)
        arm(.choice)
    }

    /// The nodes of the room that are known. A mesh node also counts what neighbours say, because it may see few nodes of a
    /// crowd; not after an overlay of its own, which neighbours whose overlay is about to end would make begin again.
    private func countKnown() -> Int {
        // Presences that neighbours of a small room pass on may be invented: peers count by their links there.
        let here = isCrowd && !overlay.isRelaying ? router.roster.online : linkedHere
        let seen = max(choice.samplers.sourceCount, here)
        guard !modeSwitch.isOverlay else { return seen }
        return max(seen + strangers, modeSwitch.hasEnded ? 0 : overlay.neighbours.toldSize)
    }

    /// The links, of one source no more than it may open: identities cost nothing.
    private var linkedHere: Int {
        var counts: [LinkSource: Int] = [:]
        for connection in connections.activeLinks { counts[connection.source, default: 0] += 1 }
        return min(router.roster.online, counts.values.reduce(0) { $0 + min($1, Limits.linksPerSource) })
    }

    /// Neighbours give the roster within seconds: where it is far smaller than the room seems by mDNS, none does. One host with many
    /// addresses can make it seem large; those neighbours that give something know better.
    var isAlone: Bool {
        let size = choice.samplers.roomSize
        return router.roster.online * 4 < min(size, overlay.neighbours.givingSize(at: scheduler.now) ?? size)
    }

    /// In a crowd discovery looks for peers in another way; it hears nothing of a small room.
    private func tellCrowd(isChanged: Bool) {
        guard let news = modeSwitch.takeNews(isChanged: isChanged) else { return }
        for discovery in discoveries { discovery.crowdChanged(news) }
    }

    /// The links that may still be opened by a dial. While a mesh has too many nodes, those beyond the first wait for the
    /// overlay.
    var dialRoom: Int {
        modeSwitch.holdsNewcomers ? min(limiter.room, Limits.chosenLinks - connections.linkCount) : limiter.room
    }

    /// The end of a turn in which something has changed, and the time for which the choice has asked.
    func followChoice() {
        isChoiceChanged = false
        guard choice.isOverlay, case .running = phase else { return }
        perform(choice.tick(scheduler.now, isAlone: isAlone))
        tellContacts()
        settleWanted()
        dialler.restrict(to: choice.wanted, now: scheduler.now)
        arm(.choice)
        arm(.dialler)
    }

    func perform(_ effects: [LinkChoice.Effect]) {
        for effect in effects {
            switch effect {
            case .greet(let peer):
                if let connection = connections.sendingLink(of: peer) { greet(connection) }
            case .refuse(let peer):
                counts.linksRefused += 1
                end(peer, with: TreeFrame.busy(.full).bytes)
            case .end(let peer):
                counts.linksUnneeded += 1
                end(peer, with: [FrameType.goodbye.rawValue, GoodbyeReason.unneeded.rawValue])
            }
        }
    }

    private func end(_ peer: PeerID, with frame: [UInt8]) {
        for connection in connections.links(of: peer) {
            connection.link.enqueue(frame)
            finish(connection, .goodbye)
        }
    }

    /// Candidates that have a link already need no dial, and those that can not be dialled give way to others.
    private func settleWanted() {
        // Each round takes at least one candidate out of the draw.
        for _ in 0..<Limits.samplerSlots {
            let settled = choice.wanted.sorted().filter { instance in
                switch dialler.prospect(of: instance) {
                case .dialled: return false
                case .linked(let peer): perform(choice.joined(instance, peer, now: scheduler.now))
                case .never: choice.failed(instance, now: scheduler.now)
                }
                return true
            }
            guard !settled.isEmpty else { return }
            choice.fill(scheduler.now)
        }
    }

    /// Tells a peer what this side says about their link.
    func greet(_ connection: Connection) {
        guard let peer = connection.peer else { return }
        var hello = choice.hello(for: peer)
        hello.isOverlay = overlay.isOn
        if overlay.isRelaying {
            // All links of a small room are kept.
            (hello.isChosen, hello.isInsisting) = (!hello.isGuest, true)
            hello.isLacking = gaps.isLacking
        }
        hello.known = UInt16(clamping: modeSwitch.known)
        connection.link.enqueue(TreeFrame.hello(hello).bytes)
        markDirty(connection)
    }

    func receivedHello(_ hello: Hello, on connection: Connection) {
        guard let peer = connection.peer else { return }
        perform(choice.heard(hello, from: peer, now: scheduler.now))
        noteCrowd()
        guard hello.isOverlay, !connection.hasToldContacts, !connection.isForgotten else { return }
        connection.hasToldContacts = true
        tellContacts(on: connection)
    }

    func receivedBusy(on connection: Connection) {
        guard let peer = connection.peer else { return }
        counts.linksBusy += 1
        perform(choice.refused(by: peer, now: scheduler.now))
        noteCrowd()
    }

    /// A frame shows that its sender takes part in the overlay.
    ///
    /// - Parameter isNew: whether it brought a public payload that was new.
    func noteSign(on connection: Connection, isNew: Bool = false) {
        guard choice.isOverlay, let peer = connection.peer else { return }
        choice.noteSign(of: peer, isNew: isNew, now: scheduler.now)
    }

    /// A neighbour has failed to give what it announced once too often.
    func strikeOut(_ connection: Connection) {
        guard let peer = connection.peer else { return }
        perform(choice.struckOut(peer, now: scheduler.now))
        noteCrowd()
    }

    /// A dial is over without a link; another candidate is dialled once no other address of this one is.
    func noteFailed(_ instance: String) {
        guard choice.isOverlay, !dialler.isDialling(instance) else { return }
        choice.failed(instance, now: scheduler.now)
        noteCrowd()
    }
}
