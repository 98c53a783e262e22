import Commands
import Phrases

/// The manual page, in mdoc(7).
enum ManualPage {
    package static var text: String {
        let lines = [head, synopsis] + CommandManual.all.map(options) + [commands, settings, files, tail]
        return lines.joined()
    }

    private static let head = """
        .Dd \(Version.date)
        .Dt EARSHOT 1
        .Os
        .Sh NAME
        .Nm earshot
        .Nd anonymous, encrypted chat on the local network

        """

    private static var synopsis: String {
        let usages = CommandManual.all.map { command in
            let isChat = command.name == .chat
            let name = isChat ? ".Op Cm chat" : ".Cm \(command.name.rawValue)"
            return ".Nm\n\(name)\n\(operands(of: command)).Op Ar options\n"
        }
        return """
            .Sh SYNOPSIS
            \(usages.joined()).Sh DESCRIPTION
            .Nm
            finds the people who have started it on the same local network, and chats with them: without an account, without a
            server, and encrypted from machine to machine.
            A line of input is a message to the room; one that begins with
            .Ql /
            is a command.
            At the end of the input what was said is delivered, and the program leaves.

            """
    }

    private static func operands(of command: CommandManual) -> String {
        guard !command.operands.isEmpty else { return "" }
        let names = command.operands.filter { $0 != "[" && $0 != "]" }
        return names == command.operands ? ".Ar \(escaped(names))\n" : ".Op Ar \(names)\n"
    }

    private static func options(of command: CommandManual) -> String {
        let items = command.options.map { option in
            let value = option.placeholder.map { " Ar \(escaped($0))" } ?? ""
            return ".It Fl Fl \(escaped(String(option.name.dropFirst(2))))\(value)\n\(line(option.help)).\n"
        }
        let title = command.name == .chat ? "OPTIONS" : "EARSHOT \(command.name.rawValue.uppercased())"
        let intro = command.name == .chat ? "" : "\(line(command.summary)).\n"
        return ".Sh \(title)\n\(intro).Bl -tag -width Ds\n\(items.joined()).El\n"
    }

    private static var commands: String {
        let items = CommandEntry.all.map { entry in
            let operands = entry.operands.isEmpty ? "" : " Ar \(escaped(entry.operandsText))"
            return ".It Ic \(escaped("/" + entry.name))\(operands)\n\(line(entry.help.english)).\n"
        }
        return """
            .Sh COMMANDS
            .Ar WHO
            is a number such as 4821, or a nickname that only one person has.
            .Bl -tag -width Ds
            \(items.joined()).El

            """
    }

    private static var settings: String {
        let variables = Arguments.options.filter { OptionNames.configurable.contains($0.key) }.map {
            ".It Ev \($0.variable)\n"
        }
        return """
            .Sh ENVIRONMENT
            Each sets the option of its name.
            Those that may be given again take several values, with spaces between them.
            .Bl -tag -width Ds -compact
            \(variables.joined()).El

            """
    }

    private static let files = """
        .Sh FILES
        .Bl -tag -width Ds
        .It Pa $XDG_CONFIG_HOME/earshot/config
        Settings, by default in
        .Pa ~/.config .
        Each line is
        .Ar name Ns Li " = " Ns Ar value ,
        where the name is that of an option without its dashes and the value of an option that takes none is
        .Li true
        or
        .Li false ;
        lines that begin with
        .Ql #
        are comments.
        Options win over environment variables, and those over the file.
        .It Ar FILE No of Fl Fl identity
        The key of an identity that is kept; beside it, with
        .Pa .state
        behind its name, its nickname and the peers that it has verified, blocked and accepted.
        Only their owner may be able to read them.
        .It Ar FILE No of Fl Fl key\\-file
        Its first line is the key of a private room: eight words made by
        .Cm room new ,
        or a pass phrase of 8 characters or more.
        Only its owner may be able to read it.
        .It Pa $XDG_RUNTIME_DIR/earshot/control
        The socket at which a node that runs is asked by
        .Cm send ,
        .Cm tail ,
        .Cm who
        and
        .Cm stats ,
        and by other programs of the same user.
        .El

        """

    private static let tail = """
        .Sh EXIT STATUS
        0 if all went well, 1 if it failed or
        .Cm doctor
        found a problem or a line of a pipe was refused, 2 if it was called wrongly, 3 if its identity was started
        elsewhere, 69 if there is no node to ask, and 128 + n if signal n ended it.
        .Sh EXAMPLES
        Chat in a room of one's own:
        .Pp
        .Dl earshot \\-\\-nick quiet\\-otter \\-\\-room kitchen
        .Pp
        Say each line of a file as it grows:
        .Pp
        .Dl tail \\-f news | earshot send -
        .Pp
        Say something through the node that runs already:
        .Pp
        .Dl earshot send the build is done

        """

    /// Text as the content of a line of its own, as a sentence but for its full stop.
    private static func line(_ text: String) -> String {
        let escaped = escaped(text.prefix(1).uppercased() + text.dropFirst())
        return escaped.hasSuffix(".") ? String(escaped.dropLast()) : escaped
    }

    /// Nothing in it is taken for a request, and every dash is one.
    private static func escaped(_ text: String) -> String {
        var result = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            default: result.append(character)
            }
        }
        return result
    }
}
