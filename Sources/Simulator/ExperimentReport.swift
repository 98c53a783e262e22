/// The results of an experiment. All of them are of the simulated world, so one seed gives one report.
package struct ExperimentReport: Hashable, Sendable {
    package let settings: ExperimentSettings
    /// Messages that a node took for sending.
    package var messages = 0
    package var deliveries = Deliveries()
    /// Messages that were shown in a room in which they were not said.
    package var strays = 0
    /// Payloads that nodes sent to a link since all had met: messages, presence where links began anew, and history.
    package var payloadsSent = 0
    /// Links when all had met, and at the end.
    package var linksMet = 0
    package var linksLeft = 0
    /// Links that were made since all had met: to those who came, and anew where one had broken.
    package var linksMade = 0
    /// Nodes that left politely, were killed, and came in their place.
    package var left = 0
    package var killed = 0
    package var joined = 0
    /// Bytes that a node wrote to the network in all: handshakes, payloads and pings, sealed.
    package var bytesMean = 0
    package var bytesMost = 0
    /// Virtual time, and what happened in it: packets that came, deadlines that passed.
    package var simulated = Duration.zero
    package var events = 0

    /// Publications that the broker took since all had met: messages, and presence; nil for one network.
    package var publications: Int?

    /// Nil for a run without any.
    package var reactions: Reactions?

    /// Nil for a small room without attackers and mass kills.
    package var crowd: CrowdFigures?

    /// The sizes of the residents' tables at each sampling time.
    package var samples: [TableSample] = []

    package init(settings: ExperimentSettings) {
        self.settings = settings
    }

    /// The reactions of an experiment, counted as its messages are.
    package struct Reactions: Hashable, Sendable {
        package let count: Int
        package let deliveries: Deliveries
        /// That nodes sent to a link, as history too.
        package let sent: Int

        /// In thousandths; nil where none was shown.
        package var sendsPerDelivery: Int? {
            let shown = deliveries.delivered + deliveries.others
            return shown == 0 ? nil : (sent * 1_000 + shown / 2) / shown
        }
    }

    /// Payloads sent for each message shown, in thousandths; nil where none was shown. In a crowd only messages are counted.
    package var sendsPerDelivery: Int? {
        perDelivery(crowd?.messagesSent ?? payloadsSent)
    }

    /// Publications for each message sent, in thousandths; nil for one network, and where none was sent.
    package var publicationsPerMessage: Int? {
        messages == 0 ? nil : publications.map { ($0 * 1_000 + messages / 2) / messages }
    }

    /// A count for each message shown, in thousandths; nil where none was shown.
    package func perDelivery(_ count: Int) -> Int? {
        let shown = deliveries.delivered + deliveries.others
        return shown == 0 ? nil : (count * 1_000 + shown / 2) / shown
    }
}

/// The sizes of the residents' tables at one time: of each table the largest.
package struct TableSample: Hashable, Sendable {
    package let at: Duration
    package let sizes: [String: Int]
}

/// How far an experiment is.
package struct ExperimentProgress: Sendable {
    package let simulated: Duration
    package let nodes: Int
    package let messages: Int
    package let shown: Int
}
