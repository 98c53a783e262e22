import Chat
import ChatNode
import ControlFace
import Doctor
import Noise
import Reactor
import Settings
import TerminalFace

@main
struct Earshot {
    static func main() {
        do throws(SystemError) { try Descriptors.openClosedStandard() } catch { fail(StartFailure(error)) }
        let startUp = StartUp()
        // Before the first thread is made, so that all of them inherit it.
        Signals.block()
        CoreDumps.forbid()
        // The variable asks for the runtime's reports, or for a sanitizer's.
        if ProcessEnvironment.value("SWIFT_BACKTRACE") == nil { CoreDumps.forbidReports() }
        guard let words = ProcessArguments.words else {
            fail("the command line can not be read; use a program that was linked with the GNU C library", code: 2)
        }
        do throws(UsageError) {
            switch try Invocation(parsing: words, in: Surroundings.ofProcess) {
            case .help(let command): print(HelpText.text(for: command))
            case .document(let document): print(document.text)
            case .version: print(HelpText.version)
            case .chat(let arguments): chat(arguments, startUp: startUp)
            case .doctor(let settings): examine(settings)
            case .identity(let arguments): answer { () throws(StartFailure) in try IdentityCommand.run(arguments) }
            case .room: print(RoomCommand.makeKey(), code: 0)
            case .bridge(let arguments): answer { () throws(StartFailure) in try BridgeCommand.run(arguments) }
            case .simulate(let settings): simulate(settings)
            case .ask(let question): ask(question)
            }
        } catch {
            fail(error.message, code: 2)
        }
    }

    private static func print(_ text: String, code: CInt = 0) -> Never { print(Array(text.utf8), code: code) }

    /// A command that has one answer.
    private static func answer(_ command: () throws(StartFailure) -> String) -> Never {
        do throws(StartFailure) { print(try command()) } catch { fail(error) }
    }

    private static func print(_ bytes: [UInt8], code: CInt) -> Never {
        do throws(SystemError) {
            try Descriptors.write(bytes, to: Descriptors.output)
        } catch {
            if !Descriptors.isClosedByReader(error) {
                fail("standard output: \(error.reason); see where it goes", code: 1)
            }
        }
        Ending.now(code)
    }

    private static func examine(_ settings: DoctorSettings) -> Never {
        checkResources()
        do throws(StartFailure) {
            let room = try ChosenRoom.open(settings.roomChoice)
            let loop = try StartFailure.naming { () throws(SystemError) in try EventLoop(name: "doctor") }
            let bridge = try ChosenBridge.access(settings.bridge, in: room)
            let doctor = Doctor(settings, room: room, bridge: bridge, loop: loop)
            Task {
                do throws(StartFailure) {
                    let (output, code) = try await doctor.run()
                    print(output, code: code)
                } catch {
                    fail(error)
                }
            }
            loop.run()
        } catch {
            fail(error)
        }
        fail("the event loop has ended; report this", code: 1)
    }

    /// The node lives on the main thread, which has nothing else to do.
    private static func chat(_ arguments: Arguments, startUp: StartUp) -> Never {
        checkResources()
        do throws(StartFailure) {
            let loop = try StartFailure.naming { () throws(SystemError) in try EventLoop(name: "node") }
            var rooms: [Room] = []
            for setup in arguments.rooms { rooms.append(try ChosenRoom.open(setup.choice)) }
            let app = try App(arguments, in: rooms, startUp: startUp, loop: loop)
            app.launch { await chat(app) }
            loop.run()
        } catch {
            fail(error)
        }
        fail("the event loop of the node has ended; report this", code: 1)
    }

    /// The simulation runs on the main thread. A signal calls it off, so that it reports on what has happened; another ends
    /// the program in the middle of it.
    private static func simulate(_ settings: SimulateSettings) -> Never {
        checkResources()
        let interruption = Interruption()
        endBySignal(after: interruption)
        let report = Simulate(settings).run { interruption.signal != nil }
        print(report, code: interruption.signal.map { 128 + $0 } ?? 0)
    }

    /// A signal ends the program in the middle of it.
    private static func ask(_ question: ClientRequest) -> Never {
        checkResources()
        endBySignal()
        do throws(ControlClientCommand.Failure) {
            Ending.now(try ControlClientCommand.run(question))
        } catch {
            switch error {
            case .unread: Ending.now(0)
            case .unavailable(let message): fail(message, code: unavailable)
            case .failed(let message): fail(message, code: 1)
            }
        }
    }

    /// `EX_UNAVAILABLE` of sysexits.h.
    private static let unavailable: CInt = 69

    /// Lets a signal that asks the program to leave do so at once, while the main thread blocks.
    ///
    /// - Parameter interruption: takes a first signal instead.
    private static func endBySignal(after interruption: Interruption? = nil) {
        do throws(StartFailure) {
            let signals = Signals(on: try App.runningLoop("signals"))
            Task {
                if let interruption { interruption.come(await signals.next()) }
                Ending.now(128 + (await signals.next()))
            }
        } catch {
            fail(error)
        }
    }

    private static func chat(_ app: App) async {
        do throws(StartFailure) {
            Ending.now(try await app.run())
        } catch {
            fail(error)
        }
    }

    private static func fail(_ failure: StartFailure) -> Never { fail(failure.message, code: failure.code) }

    /// Ends the program where the system refuses what every node needs.
    private static func checkResources() {
        Descriptors.raiseLimit(to: App.descriptors)
        do throws(StartFailure) {
            try StartResources.check()
            guard Randomness.isAvailable else {
                throw StartFailure(
                    "libsodium can not start: the system offers no randomness; see whether /dev/urandom is there",
                    code: StartFailure.refusedBySystem)
            }
        } catch {
            fail(error)
        }
    }

    private static func fail(_ message: String, code: CInt) -> Never {
        // A terminal that is drawn on is restored first.
        Diagnostics.divert(to: nil)
        if TerminalSettings.restore() { try? Descriptors.write([0x0d, 0x0a], to: Descriptors.output) }
        Diagnostics(level: .error).say(.error, message)
        Ending.now(code)
    }
}
