import Chat
import Testing
import Wire

@testable import ChatNode

/// The buffers of events, and the order of what is reported.
final class OutletTests {
    private var reported: [String] = []
    private var onEvents: () -> Void = {}

    private lazy var outlet = Outlet(
        deliver: { [unowned self] events in
            reported.append("\(events.count) events")
            onEvents()
        },
        epochChanged: { _ in }, directsChanged: { [unowned self] peers in reported.append("\(peers.count) peers") })

    private func emit(_ reasons: [StopReason]) { outlet.events += reasons.map(NodeEvent.stopped) }

    @Test func `accepted peers go before the events, and nothing is reported where there is nothing`() {
        outlet.deliver(accepted: nil)
        emit([.asked, .asked])
        outlet.deliver(accepted: [ChoiceTown.peer(1)])
        outlet.deliver(accepted: [])
        #expect(reported == ["1 peers", "2 events", "0 peers"])
    }

    @Test func `events that the receiver causes are delivered next, and none twice`() {
        emit([.asked])
        onEvents = { [unowned self] in
            onEvents = {}
            emit([.asked, .asked])
        }
        outlet.deliver(accepted: nil)
        #expect(reported == ["1 events"] && outlet.events.count == 2)
        outlet.deliver(accepted: nil)
        outlet.deliver(accepted: nil)
        #expect(reported == ["1 events", "2 events"])
    }

    @Test func `of the last events those are removed that are hidden, and those before stay`() {
        emit([.asked, .signedOut, .asked, .signedOut, .signedOut])
        outlet.remove(from: 2) { $0 == .stopped(.signedOut) }
        #expect(outlet.events == [.stopped(.asked), .stopped(.signedOut), .stopped(.asked)])
    }

    @Test func `a portion is full with 64 events`() {
        emit([StopReason](repeating: .asked, count: 63))
        #expect(!outlet.isFull)
        emit([.asked])
        #expect(outlet.isFull)
        outlet.deliver(accepted: nil)
        #expect(!outlet.isFull)
    }
}
