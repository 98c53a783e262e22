package import Process
package import Settings
package import Chat
import ChatNode
import Discovery
package import Reactor

/// Examines this machine's network and says what was found.
package struct Doctor: Sendable {
    package let settings: DoctorSettings
    private let room: Room
    private let port: PortProbe

    /// - Parameters:
    ///   - room: the one of the settings.
    ///   - loop: where the port is tried; it is run by the caller.
    package init(_ settings: DoctorSettings, room: Room, loop: EventLoop) {
        self.settings = settings
        self.room = room
        port = PortProbe(on: loop, port: settings.port)
    }

    /// The output, within 4 s, and the exit code: 0 only if there is no problem.
    package func run() async throws(StartFailure) -> (output: [UInt8], code: CInt) {
        for name in settings.interfaces where !Environment.hasInterface(name) { throw StartFailure(noInterface: name) }
        let number = await port.listen()
        let observations: NetworkObservations
        do throws(SystemError) {
            let examination = try NetworkExamination(
                tag: room.tag, others: [Room.lobby.tag],
                interfaces: settings.interfaces, port: number)
            observations = await examination.run()
        } catch {
            throw StartFailure(error)
        }
        let endpoints = observations.interfaces.filter { !$0.families.isEmpty }.flatMap(\.endpoints)
        let diagnosis = Diagnosis(observations, port: await port.dial(endpoints), room: room.name)
        let output = settings.isJSON ? DoctorReport.json(diagnosis) : Array(DoctorReport.plain(diagnosis).utf8)
        return (output, diagnosis.problems == 0 ? 0 : 1)
    }
}
