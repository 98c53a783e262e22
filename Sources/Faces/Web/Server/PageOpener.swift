package import Hub
import Reactor

/// Opens the page in the user's browser.
package enum PageOpener {
    /// Tries the browsers one after the other, on a thread that lasts as long as the one that is started.
    ///
    /// - Parameters:
    ///   - file: the one that has the link; nil if there is no place for it.
    ///   - fail: takes the reason why no browser was started.
    package static func open(
        _ link: String, through file: WebTokenFile?, fail: @escaping @Sendable (String) -> Void
    ) {
        guard let file else { return fail("without a control socket no file can have the link") }
        let choice: BrowserChoice
        do throws(BrowserRefusal) {
            choice = try BrowserChoice(
                opening: file.leaderPath, isOfOneUser: SystemProgram.isOfOneUser, in: ProcessEnvironment.value)
        } catch { return fail(error.rawValue) }
        do throws(SystemError) {
            try file.lead(to: link)
            try LoopThread().start(name: "browser", niceness: 0) { run(choice, file, fail) }
        } catch { fail(error.reason) }
    }

    private static func run(_ choice: BrowserChoice, _ file: WebTokenFile, _ fail: @Sendable (String) -> Void) {
        var reasons: [String] = []
        for command in choice.commands {
            do throws(SystemError) {
                let code = try SystemProgram.run(command)
                // A browser that the user ends later has shown the page, and there is no link for another one.
                guard code != 0, file.leads else { return }
                reasons.append("\(command[0]) ended with \(code.map { "code \($0)" } ?? "a signal")")
            } catch { reasons.append("\(command[0]): \(error.reason)") }
        }
        fail(reasons.joined(separator: ", "))
    }
}
