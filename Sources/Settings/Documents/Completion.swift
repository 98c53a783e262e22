/// The completions of shells behind `earshot`.
enum Completion {
    static var bash: String {
        let cases = CommandManual.all.map { command in
            let words = command.options.map(\.name).joined(separator: " ")
            return "        \(command.name.rawValue)) words='\(words)' ;;\n"
        }
        let values = CommandManual.all.flatMap { command in
            command.options.filter { $0.placeholder != nil }.map { option in
                "        \(command.name.rawValue):\(option.name)) \(bashValues(option))return ;;\n"
            }
        }
        return """
            # bash completion for earshot
            _earshot() {
                local command=chat word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words
                case ${COMP_WORDS[1]} in
                    \(names(" | "))) [ "$COMP_CWORD" = 1 ] || command=${COMP_WORDS[1]} ;;
                esac
                COMPREPLY=()
                case $command:$before in
            \(values.joined())    esac
                case $command in
            \(cases.joined())    esac
                if [ "$COMP_CWORD" = 1 ]; then words="$words \(names(" "))"; fi
                if [ "$command" = help ]; then words="$words \(names(" "))"; fi
                mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
            }
            complete -F _earshot earshot

            """
    }

    static var zsh: String {
        let cases = CommandManual.all.map { command in
            let options = command.options.map { option in
                let value = option.placeholder.map { ":\($0):\(zshValues(option))" } ?? ""
                let brackets = option.help.replacing("'", by: "'\\''").replacing("[", by: "\\[").replacing(
                    "]", by: "\\]")
                return "            '*\(option.name)[\(brackets)]\(value)' \\\n"
            }
            let operand = command.name == .help ? "            '*:command:(\(names(" ")))' \\\n" : ""
            return "        \(command.name.rawValue))\n            _arguments \\\n\(options.joined())\(operand)"
                + "            && return 0 ;;\n"
        }
        return """
            #compdef earshot
            local command=chat
            if (( CURRENT > 2 )) && [[ ${words[2]} == (\(names("|"))) ]]; then
                command=${words[2]}
                shift words
                (( CURRENT-- ))
            elif (( CURRENT == 2 )); then
                compadd -- \(names(" "))
            fi
            case $command in
            \(cases.joined())esac

            """
    }

    static var fish: String {
        let none = "not __fish_seen_subcommand_from \(names(" "))"
        let commands = CommandManual.all.map { command in
            "complete -c earshot -f -n '__fish_is_first_arg' -a \(command.name.rawValue) -d \(quoted(command.summary))\n"
        }
        let options = CommandManual.all.flatMap { command in
            let seen = "__fish_seen_subcommand_from \(command.name.rawValue)"
            let condition = command.name == .chat ? "\(none); or \(seen)" : seen
            return command.options.map { option in
                "complete -c earshot -n '\(condition)' -l \(option.name.dropFirst(2))\(fishValues(option))"
                    + " -d \(quoted(option.help))\n"
            }
        }
        return "# fish completion for earshot\n" + commands.joined() + options.joined()
            + "complete -c earshot -f -n '__fish_seen_subcommand_from help' -a '\(names(" "))'\n"
    }

    private static func names(_ separator: String) -> String {
        CommandManual.all.map(\.name.rawValue).joined(separator: separator)
    }

    private static func bashValues(_ option: CommandManual.Entry) -> String {
        if !option.choices.isEmpty {
            return "mapfile -t COMPREPLY < <(compgen -W '\(option.choices.joined(separator: " "))' -- \"$word\"); "
        }
        return option.placeholder == "FILE" ? "mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); " : ""
    }

    private static func zshValues(_ option: CommandManual.Entry) -> String {
        if !option.choices.isEmpty { return "(\(option.choices.joined(separator: " ")))" }
        return option.placeholder == "FILE" ? "_files" : ""
    }

    private static func fishValues(_ option: CommandManual.Entry) -> String {
        guard option.placeholder != nil else { return " -f" }
        if !option.choices.isEmpty { return " -x -a \(quoted(option.choices.joined(separator: " ")))" }
        return option.placeholder == "FILE" ? " -r -F" : " -x"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", by: "\\\\").replacing("'", by: "\\'") + "'"
    }
}

extension String {
    fileprivate func replacing(_ character: Character, by text: String) -> String {
        reduce(into: "") { $0 += $1 == character ? text : String($1) }
    }
}
