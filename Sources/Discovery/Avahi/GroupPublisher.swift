import CAvahi
import Glibc

/// A responder that publishes the records of a room in entry groups, as both Avahis do.
protocol GroupPublisher: ResponderConnection {
    var context: ResponderContext { get }
    var rooms: [RoomNumber: RoomObjects] { get set }

    /// Makes and commits a group, and keeps it in `objects`.
    ///
    /// - Returns: 0, or the error of Avahi.
    func add(_ records: [MDNSRecord], as key: GroupKey, to objects: inout RoomObjects) -> CInt

    func free(_ groups: [OpenGroup])
}

extension GroupPublisher {
    /// A fresh group for every publication: a daemon holds one back that is committed again and again.
    func publish(_ publication: Publication, of room: RoomNumber) {
        free(self[room].removeGroups())
        if put(publication, of: room) { self[room].context.tell(.published) }
    }

    func adjust(_ publication: Publication, of room: RoomNumber) {
        free(self[room].removeGroups(except: publication))
        _ = put(publication, of: room)
    }

    /// Publishes the groups that are not published; false after the report of a failure.
    private func put(_ publication: Publication, of room: RoomNumber) -> Bool {
        var objects = self[room]
        var failure: CInt = 0
        for (key, records) in objects.missing(of: publication) where failure == 0 {
            failure = add(records, as: key, to: &objects)
        }
        self[room] = objects
        switch failure {
        case 0: return true
        case CInt(AVAHI_ERR_COLLISION): objects.context.tell(.collision)
        default: context.tell(.failed(AvahiAnswers.message(failure)))
        }
        return false
    }

    subscript(room: RoomNumber) -> RoomObjects {
        get { rooms[room] ?? RoomObjects(RoomContext(room, in: context)) }
        set { rooms[room] = newValue }
    }
}
