/// The bounds of bridges to other networks (Docs/Bridge.md; Protocol.md section 11).
extension Limits {
    /// Publications that wait for a broker; the oldest goes.
    package static let bridgeWaiting = 10_000
    /// A broker that is away for as long loses nothing.
    package static let bridgeWaitingTime = Duration.seconds(600)
    /// Publications that are sent before the first of them is confirmed.
    package static let bridgeWindow = 128
    /// Deliveries that the broker sends before the first of them is acknowledged.
    package static let bridgePrefetch = 256
    /// After which another bridge of a network publishes a payload.
    package static let bridgeSecondTime = Duration.milliseconds(300)
    /// Deliveries that a bridge passes on to its network, in the long run and at once.
    package static let bridgedPerSecond = 150.0
    /// People in other networks that are listed.
    package static let bridgedPeople = 1_024
    package static let bridgedPresenceRenewal = Duration.seconds(60)
    /// From a presence of a crowd, or for one, that a broker delivers to its use: one of the own crowd comes over links by then.
    package static let bridgedPresenceHold = Duration.seconds(10)
    /// Between two equal presences of one peer elsewhere that go into a crowd: each goes to all nodes.
    package static let bridgedPresenceInCrowd = Duration.seconds(300)
    /// Three renewals, so that no peer seems to leave for one that was lost.
    package static let bridgedPresenceTime = Duration.seconds(180)
}
