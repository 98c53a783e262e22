import Chat
import ChatNode
import Commands
import ControlFace
import Hub
import IRCFace
import Noise
import Reactor
import Rendering
import Settings
import Storage
import WebFace
import Wire

/// The faces that other programs reach: the control socket and the web server, if they are wanted.
struct ServedFaces: Sendable {
    private let control: ControlServer?
    private let web: WebServer?
    private let gateways: [GatewayServer]
    private let file: WebTokenFile?
    private let opensPage: Bool
    private let diagnostics: Diagnostics

    /// Listens; requests are performed from `begin` on.
    init(_ arguments: Arguments, _ diagnostics: Diagnostics) throws(StartFailure) {
        (opensPage, self.diagnostics) = (arguments.opensPage, diagnostics)
        control = try ServedFaces.makeControl(arguments, diagnostics)
        let token = try arguments.tokenFile.map(ServedFaces.keptToken) ?? WebToken()
        web = try arguments.webPort.map { port throws(StartFailure) in
            try WebServer.open(port: port, token: token, on: try App.runningLoop("web entrance"))
        }
        let stomp = try arguments.stompPort.map { port throws(StartFailure) in
            try GatewayServer.stomp(on: try App.runningLoop("stomp"), port: port, token: token)
        }
        let irc = try arguments.ircPort.map { port throws(StartFailure) in
            try GatewayServer.irc(on: try App.runningLoop("irc"), port: port, token: token)
        }
        gateways = [stomp, irc].compactMap(\.self)
        let text = web?.fileText ?? (gateways.isEmpty ? nil : token.text)
        let control = control
        file = text.flatMap { ServedFaces.makeTokenFile($0, control, diagnostics) }
    }

    /// The counters of the faces in `/stats`.
    var counters: [Counter] {
        (control?.counters ?? []) + (web?.counters ?? []) + gateways.flatMap(\.counters)
    }

    /// Lets the next page in; nil without a page.
    var pageLink: String? { web?.link }

    /// Tells all of them what happens. In the nodes' turn; returns at once.
    @Sendable func tell(_ events: [RoomReport]) {
        control?.tell(events)
        web?.tell(events)
        for gateway in gateways { gateway.tell(events) }
    }

    /// Performs requests from now on.
    ///
    /// - Returns: the places to tell the user.
    func begin(_ executor: CommandExecutor) async -> [Listening] {
        await control?.begin(executor)
        await web?.begin(executor, file)
        for gateway in gateways { await gateway.begin(executor) }
        if opensPage, let link = web?.link { openPage(link) }
        return ([web?.listening].compactMap(\.self) + gateways.map(\.listening)).map { place in
            var place = place
            place.tokenFile = file?.path
            return place
        }
    }

    private func openPage(_ link: String) {
        PageOpener.open(link, through: file) { [diagnostics] why in
            diagnostics.say(.warning, "no browser opens the page: \(why); /web shows its link")
        }
    }

    func end() async {
        await control?.end()
        await web?.end()
        for gateway in gateways { await gateway.end() }
    }

    /// Removes the files by which programs find them. More than once does no harm.
    func removeFiles() {
        control?.removeName()
        file?.remove()
    }

    /// Where other programs reach the node. A place that was asked for by name has to be usable; one that another node is
    /// reached at is left to it.
    private static func makeControl(_ arguments: Arguments, _ diagnostics: Diagnostics) throws(StartFailure)
        -> ControlServer?
    {
        guard let path = arguments.control.path(in: Surroundings.ofProcess) else { return nil }
        let isOwn = arguments.control == .own
        let socket: ControlSocket
        do throws(ControlSocket.Failure) {
            socket = try ControlSocket.open(path, makesFolder: isOwn)
        } catch {
            if case .unusable(let message) = error, !isOwn { throw StartFailure(message) }
            diagnostics.say(.warning, error.message)
            return nil
        }
        LocalTime.prepare()
        return ControlServer(
            on: try App.runningLoop("control"), socket,
            renderer: ControlRenderer(clock: LocalTime.text, day: LocalTime.date))
    }

    /// The token that clients with a stored password know, from a file that is made at the first start.
    private static func keptToken(in path: String) throws(StartFailure) -> WebToken {
        do throws(StorageError) {
            let line = try KeyFile.firstLine(of: path)
            if let token = WebToken(String(decoding: [UInt8](copying: line.span), as: UTF8.self)) { return token }
        } catch {
            guard error.reason == .missing else { throw StartFailure(error) }
            let token = WebToken()
            do throws(StorageError) {
                try KeyFile.create(path, line: Array(token.text.utf8))
            } catch {
                throw StartFailure(error)
            }
            return token
        }
        let name = DisplayGuard.safe(path)
        throw StartFailure("\(name) has no token, which is 32 hexadecimal digits; name a new file to make one")
    }

    /// The file beside the control socket that has the link of the page and the token, or the token alone; nil without such a place.
    private static func makeTokenFile(
        _ text: String, _ control: ControlServer?, _ diagnostics: Diagnostics
    ) -> WebTokenFile? {
        guard let control else { return nil }
        do throws(SystemError) { return try WebTokenFile(control.path + ".web", text) } catch {
            diagnostics.say(.warning, "\(control.path).web: \(error.reason); the token is in no file")
            return nil
        }
    }
}
