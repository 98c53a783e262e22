/// What noncopyable values are made of, for those who look at every table that a node keeps: reflection sees only what
/// can be copied.
extension MessageRouter {
    package var parts: [(name: String, value: Any)] {
        [
            ("publicChat", publicChat), ("directChats", directChats), ("paths", paths), ("typing", typing),
            ("waiting", waiting), ("replies", replies), ("owed", owed), ("backlogs", backlogs),
            ("refusals", refusals),
        ] + roster.parts.map { ("roster.\($0.name)", $0.value) }
    }
}

extension Roster {
    fileprivate var parts: [(name: String, value: Any)] {
        [
            ("muted", muted), ("marks", marks), ("known", known), ("numbers", numbers), ("renamed", renamed),
            ("deadlines", deadlines),
        ]
    }
}
