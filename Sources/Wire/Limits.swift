/// Every bound of the protocol, each with its reason (Protocol.md section 11). Sizes are in bytes unless the name says otherwise.
package enum Limits {
    // Text (section 6).
    /// Characters are grapheme clusters, so that every script may say about as much.
    package static let messageCharacters = 240
    /// 240 Devanagari syllables with vowel signs need 2,880; checked before anything is counted.
    package static let messageBytes = 3_072
    /// Stacked accents hide neighbouring lines; no living script needs as many in one character.
    package static let scalarsPerCharacter = 12
    package static let nicknameCharacters = 24
    package static let nicknameBytes = 96
    package static let awayReasonCharacters = 80
    /// The payload counts them in one byte.
    package static let awayReasonBytes = 255
    package static let aboutCharacters = 80
    /// The payload counts them in one byte.
    package static let aboutBytes = 255
    /// Names of rooms in a presence: a list for a screen, and all of it within a record.
    package static let announcedRooms = 3
    /// With the longest profile besides, the record that a link opens with then has `openingPlaintext` bytes.
    package static let announcedRoomsBytes = 480
    package static let roomNameCharacters = 64
    /// 64 characters of any script.
    package static let roomNameBytes = 256
    /// The least of a pass phrase for a private room.
    package static let passPhraseCharacters = 8
    package static let roomKeyBytes = 1_024
    package static let messagesPerConversation = 100

    // Records (section 4).
    /// The only plaintext sizes: an observer learns no lengths, and 512 suits the cipher's strides.
    package static let recordPlaintexts = [512, 1_280, 4_096]
    /// The size of the first record of each direction of a link, which has the user's profile.
    package static let openingPlaintext = 1_280
    package static let sealOverhead = 16
    package static let lengthPrefix = 2
    /// Records after which both directions derive a new key.
    package static let recordsPerKey: UInt64 = 256

    // Connections (sections 3 and 11).
    package static let firstHandshakeMessageTime = Duration.seconds(2)
    package static let handshakeTime = Duration.seconds(5)
    package static let recordTime = Duration.seconds(5)
    package static let halfOpenHandshakes = 32
    package static let halfOpenHandshakesPerSource = 4
    /// Of an IPv6 /64, whose addresses one host may all have; the rest is for other networks.
    package static let halfOpenHandshakesPerNetwork = 24
    package static let handshakesPerSourceBurst = 5.0
    package static let handshakesPerSourcePerSecond = 10.0 / 60.0
    package static let handshakesBurst = 40.0
    package static let handshakesPerSecond = 20.0
    /// Of a process.
    package static let rooms = 16
    /// Of a process; the oldest of the peer with the most goes.
    package static let invitations = 32
    /// Peers that the user has named, in an identity's state file.
    package static let contacts = 256
    package static let links = 256
    /// Links that are kept for peers that this node dials: a peer that answers at its announced address.
    package static let linksForDialled = 32
    package static let linksPerSource = 8
    /// Of an IPv6 /64: a LAN without IPv4 is one, so nearly all links that peers may open.
    package static let linksPerNetwork = 192
    /// The address behind a peer's host name may change.
    package static let namedPeerRefresh = Duration.seconds(300)
    package static let dialsPerAddressBurst = 32.0
    package static let dialsPerAddressPerSecond = 8.0
    /// A starting node announces about ten records, and as many for each query then.
    package static let multicastRecordsBurst = 240.0
    package static let multicastRecordsPerSecond = 40.0
    // mDNS in a crowd (section 10): as many beacons as a room has nodes that is no crowd.
    package static let crowdInstances = 32
    package static let beacons = 32
    package static let beaconTerm = Duration.seconds(3_600)
    package static let askedBuckets = 2
    package static let bucketSources = 16
    package static let censusPerSecond = 2.0
    package static let censusInterval = Duration.seconds(60)
    package static let crowdMemory = Duration.seconds(1_200)
    /// A peer that reads slower than this many waiting records is let go, so that it never slows the others.
    package static let queuedRecords = 64
    /// In bytes, with what the kernel adds for itself.
    package static let kernelSendBuffer = 262_144
    /// With the last look 2 s later at most, it is noticed within 10 s that a peer reads nothing.
    package static let slowReaderTime = Duration.seconds(8)
    /// As late as leaves the answer 15 s before the link counts as dead: most of what idle links carry is pings.
    package static let pingAfterIdle = Duration.seconds(45)
    package static let pingJitter = Duration.seconds(15)
    /// Far more than an honest peer sends; far less than would cost the node anything.
    package static let answeredPingsPerSecond = 100.0
    package static let answeredPingsBurst = 1_000.0
    package static let linkDeadAfter = Duration.seconds(75)
    /// Five times what TCP sends again on a link that loses much.
    package static let probeTimeout = Duration.seconds(6)
    /// Longer than a connection and its handshake may take.
    package static let crossingTime = Duration.seconds(10)
    package static let sessionLifetime = Duration.seconds(6 * 3_600)

    // Tables (section 11): oldest out.
    package static let knownPeers = 16_384
    package static let certificates = 16_384
    package static let seenMessages = 16_384
    package static let bans = 4_096
    package static let banTime = Duration.seconds(600)
    package static let offlinePeersShown = 64
    package static let heardPeersShown = 64
    /// Of each mark; that of the peer marked first goes.
    package static let markedPeers = 4_096

    // Freshness (section 7), in milliseconds.
    package static let freshnessMilliseconds: UInt64 = 300_000
    /// How far ahead of the wall clock a sender's clock follows the messages that it shows: as far as a clock may be off unmentioned.
    package static let clockOffsetMilliseconds: UInt64 = 60_000

    // Relaying (section 7).
    /// The relays that a payload passes at most: enough for a chain of bridged networks, and an end to any loop.
    package static let relayHops: UInt8 = 7
    /// The sequence numbers behind an author's newest for which it is known whether they were heard.
    package static let sequenceWindow: UInt64 = 256

    // Typing (section 6).
    package static let typingRenewal = Duration.seconds(3)
    package static let typingPause = Duration.seconds(5)
    /// Two renewals, so that a late one does not end the typing.
    package static let typingLifetime = Duration.seconds(6)
    package static let typingPeers = 256

    // Rates (section 7), per second with a burst.
    package static let sendPerSecond = 2.0
    package static let sendBurst = 10.0
    package static let acceptPerSecond = 4.0
    package static let acceptBurst = 20.0
    /// Payloads that users do not read (typing, presence, receipts) come with the messages, several to each.
    package static let signalsPerMessage = 4.0
    package static let relayedFramesPerSecond = 20.0
    package static let relayedFramesBurst = 40.0
    package static let newAuthorsPerMinute = 5.0
    package static let newAuthorsBurst = 5.0

    // History (section 7).
    // Older messages are not offered.
    package static let historyAgeMilliseconds: UInt64 = 604_800_000
    /// Deletions kept of one giver, so that what was deleted does not come back, of all, and offered in a `have`.
    package static let deletionsOfGiver = 100
    package static let deletionsKept = 800
    package static let deletionsOffered = 100
    /// Ids in `have`: 100 messages, an edit of each, and 100 deletions. They fit one record.
    package static let offeredPayloads = 300
    /// Four times what an honest peer sends: news once in `shortestGossipInterval`, everything once in `historyAnswerInterval`.
    package static let havesPerSecond = 6.0
    package static let havesBurst = 40.0
    /// Ids in `want`, and payloads that a neighbour is given in `historyAnswerInterval`.
    package static let wantedPayloads = 100
    package static let historyAnswerInterval = Duration.seconds(2)
    /// Payloads that are asked of one giver (an address) over all its links, in the long run: what it may relay live; and at once:
    /// what a newcomer gets of an honest one.
    package static let historyPerSecond = 20.0
    package static let historyBurst = 100.0
    /// Givers for which that is counted; the oldest goes.
    package static let historyGivers = 1_024
    /// A request without an answer by then goes to another neighbour.
    package static let historyTimeout = Duration.seconds(5)
    /// Times that a neighbour is asked for the same.
    package static let historyTries = 3
    /// From something new to the offer of it, while offers are of use, at first, and at most.
    package static let shortestGossipInterval = Duration.seconds(1)
    package static let gossipInterval = Duration.seconds(2)
    package static let longestGossipInterval = Duration.seconds(32)
    /// Payloads after which news are offered, if the last offer was `gossipInterval` ago: half of those that are kept.
    package static let crowdedGossip: UInt64 = 50

    // Direct messages (section 8).
    package static let openRequests = 32
    /// Between two live reports of requests of one peer.
    package static let requestPause = Duration.seconds(120)
    /// Live reports of the requests of one giver (an address) at once, and the time for one more.
    package static let requestsBurst = 10.0
    package static let requestInterval = Duration.seconds(30)
    /// Peers, and givers, for which that is remembered; the oldest goes.
    package static let requestsRemembered = 1_024
    package static let directConversations = 256
    /// Beyond this the oldest message that a peer has not acknowledged is given up.
    package static let unacknowledgedPayloads = 100
    /// The links that a sealed message is sent on at most: one relay may fail.
    package static let sealedCopies = 4
    package static let sealedSeen = 4_096

    // Presence in a crowd (section 13); the table of section 11 says what each is for.
    package static let presenceInterval = Duration.seconds(600)
    package static let presenceJitter = Duration.seconds(60)
    package static let presenceLifetime = Duration.seconds(900)
    package static let presenceLinks = 2
    package static let presenceGathering = Duration.milliseconds(500)
    package static let firstRosterInterval = Duration.seconds(2)
    package static let rosterInterval = Duration.seconds(60)
    package static let rosterAnswersBurst = 8.0
    package static let rosterAnswersPerSecond = 1.0
    /// Of presences and certificates: a question of 67 bytes draws no more.
    package static let rosterAnswerBytes = 65_536
    package static let rosterContinuation = Duration.seconds(1)
    /// Twice a small room.
    package static let plausibleRoom = 64
    package static let plausibleSources = 4
    package static let rosterPortion = 20
    package static let rosterPortionInterval = Duration.milliseconds(20)
    package static let rosterAnswerTime = Duration.seconds(30)
    package static let sealedRetry = Duration.seconds(4)
    package static let sealedTries = 4
    package static let guestLinks = 8
    /// Of these, links with peers without an accepted conversation: most places are kept for the others.
    package static let strangerGuests = 2
    package static let guestIdleTime = Duration.seconds(120)
    package static let guestDialInterval = Duration.seconds(60)
    package static let crowdNewsDelay = Duration.seconds(2)
    package static let crowdNewsInterval = Duration.seconds(30)

    // Certificates (sections 1, 8 and 9).
    /// A recording of a relayed message can be opened with what a machine holds for no longer than this and the grace.
    package static let relayKeyLifetime = Duration.seconds(3_600)
    /// Taken off the lifetime at random, so that an observer can not distinguish nodes by their rhythm.
    package static let relayKeyJitter = Duration.seconds(600)
    /// A replaced key opens messages that were sealed before their authors had heard of the new one.
    package static let relayKeyGrace = Duration.seconds(300)
    package static let certificateMemory = Duration.seconds(24 * 3_600)
    /// A session as young as this outbids an older one of its identity, whatever the clocks say.
    package static let reissueTime = Duration.seconds(15)
    package static let reissues = 2
    /// Taken off the start time at random, so that the epoch tells it to ten minutes only.
    package static let epochJitterMilliseconds: UInt64 = 600_000
    /// Each is passed on to all peers, so they must be rare.
    package static let betterCertificatesPerMinute = 5.0
    package static let betterCertificatesBurst = 5.0
    package static let certificatesSentPerLink = 1_024

    // The overlay (section 13); the table of section 11 says what each is for.
    package static let graftedPayloads = 32
    package static let latestPayloads = 100
    package static let newsPayloads = 60
    package static let contactsTold = 9
    package static let overlayFramesPerSecond = 100.0
    package static let overlayFramesBurst = 400.0
    package static let graftedPayloadsPerSecond = 50.0
    package static let graftedPayloadsBurst = 200.0
    /// Below what the neighbour gives, so that no honest node asks in vain.
    package static let askedPayloadsPerSecond = 40.0
    package static let askedPayloadsBurst = 160.0
    /// Several minutes of talk at 2 messages a second; 30 s of it at 17.
    package static let recentPayloads = 512
    package static let announcersKept = 8
    package static let struckPeers = 4_096
    package static let strikes = 3
    package static let strikeMemory = Duration.seconds(600)
    package static let promiseTime = Duration.seconds(2)
    package static let suspicionTime = Duration.seconds(2)
    package static let graftPause = Duration.seconds(0.1)
    package static let refusedGraftPause = Duration.seconds(10)
    package static let announcementPatience = Duration.seconds(0.04)
    package static let newsPauseLeast = Duration.seconds(0.15)
    package static let newsPauseMost = Duration.seconds(0.25)
    package static let newsLinks = 16
    package static let newsOldest = 10
    package static let newsInTurn = 4
    package static let latestTime = Duration.seconds(30)
    /// A payload from history that was signed as lately goes on over the trees.
    package static let latestMilliseconds: UInt64 = 30_000
    package static let latestAge = Duration.seconds(0.05)
    package static let latestIntervalLeast = Duration.seconds(1.6)
    package static let latestIntervalMost = Duration.seconds(2.4)
    package static let latestIntervalInSilence = Duration.seconds(10)
    package static let wideAfter = 200
    package static let wideAccepted = 100
    package static let widePause = Duration.seconds(60)
    package static let idleNeighbourTime = Duration.seconds(60)
    package static let treesOfIdleNeighbour = 3
    package static let linksForIdleRule = 8
    /// Ten times what a link between two mesh nodes may relay: all messages of a room come over few links.
    package static let treeFramesPerSecond = 200.0
    package static let treeFramesBurst = 400.0
    /// Authors never heard of that an overlay link may introduce: a room of thousands, of which some come and go each second.
    package static let treeAuthorsPerSecond = 20.0
    package static let treeAuthorsBurst = 200.0
    /// A tenth less than one neighbour takes from this node's link.
    package static let crowdFramesPerSecond = 180.0
    package static let crowdFramesBurst = 360.0
    package static let crowdAuthorsPerSecond = 18.0
    package static let crowdAuthorsBurst = 180.0
    package static let youngAuthorTime = Duration.seconds(60)
    package static let youngMessagesPerSecond = 10.0
    package static let youngMessagesBurst = 40.0
    package static let meshNodes = 32
    package static let crowdTime = Duration.seconds(2)
    package static let crowdedNodes = 48
    package static let quietNodes = 24
    package static let quietTime = Duration.seconds(60)
    package static let samplerSlots = 32
    package static let chosenLinks = 6
    package static let overrunLinks = 8
    package static let chosenContacts = 2
    package static let acceptedLinks = 10
    package static let busyTries = 4
    /// As long as a newcomer keeps links that it opened before it knew that the room is a crowd, and did not choose.
    package static let newLinkTime = Duration.seconds(15)
    package static let insistenceTime = Duration.seconds(600)
    package static let busyRest = Duration.seconds(60)
    package static let deadRest = Duration.seconds(2)
    /// How long a source is avoided that was struck out; a rest of dead peers is at most that.
    package static let strikeTime = Duration.seconds(600)
    package static let exchangeInterval = Duration.seconds(30)
    package static let rotationInterval = Duration.seconds(600)
    package static let rotationJitter = Duration.seconds(120)
    package static let muteTime = Duration.seconds(60)
    package static let mutePayloads = 8
    /// Ten times what a neighbour takes to pass on a presence.
    package static let aloneTime = Duration.seconds(20)
    package static let unchosenTime = Duration.seconds(2)
    package static let unchosenJitter = Duration.seconds(3)
    package static let chosenDialTime = Duration.seconds(15)
    package static let contactsPerTeller = 8
    package static let contactInterval = Duration.seconds(60)
    package static let contactsPerSecond = 0.1
    package static let contactsBurst = 4.0
    package static let contactDelay = Duration.seconds(2)
    package static let contactMemory = Duration.seconds(60)
    // A room with gaps (section 13).
    package static let contactGathering = Duration.seconds(0.5)
    package static let contactRoundPause = Duration.seconds(10)
    package static let contactDialWait = Duration.seconds(1)
    package static let leastToldPort: UInt16 = 1_024
    /// As long as the slowest dial: from its beginning to a handshake that gets no answer.
    package static let toldDialTime = Duration.seconds(10)
    package static let toldDialJitter = Duration.seconds(2)
    package static let gapTime = Duration.seconds(2)
    package static let gapMemory = Duration.seconds(75)
    package static let gapPeers = 64
    package static let gapWitnesses = 2
    package static let gapHistoryMilliseconds: UInt64 = 10_000
    package static let gapPresenceInterval = Duration.seconds(30)
    package static let gapPresenceJitter = Duration.seconds(5)
    package static let gapPresenceLifetime = Duration.seconds(90)
    package static let gapAuthorsBurst = 32.0
    package static let witnesses = 3

    // Clocks (section 7).
    package static let clockError = Duration.seconds(60)
    package static let clockWitnesses = 3
    /// How many sources it takes against each neighbour whose clock agrees with the own one: an address costs nothing.
    package static let clockDominance = 8
    /// The most that fewer than twice `clockWitnesses` sources correct: a wrong zone or a slow clock, but no history gets lost.
    package static let clockCorrection = Duration.seconds(86_400)
    /// The most that a node and run sets all back that it signs, at random: it hides the milliseconds of the machine's clock.
    package static let clockShiftMilliseconds: Int64 = 1_000
    /// To which the times of presences, typing and clocks are rounded.
    package static let clockGrainMilliseconds: UInt64 = 2_000
    /// Clock frames that are read on a link.
    package static let clocksPerSecond = 0.1
    package static let clocksBurst = 4.0
}
