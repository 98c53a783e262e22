import Hub

/// Lines of clients.
extension IRCRules {
    private static let id = String(repeating: "0a", count: 16)
    private static let own = "00000000000000010000000000000007"

    static var seeds: [String] { registrations + talk + looks + changes }

    private static var registrations: [String] {
        // NUL, a user, NUL and the token, in base64.
        let plain = "AGEAMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
        return [
            "CAP LS 302\r\nCAP REQ :sasl -sasl\r\nAUTHENTICATE PLAIN\r\nAUTHENTICATE \(plain)\r\nNICK x\r\nUSER x 0 * :x\r\nCAP END\r\n",
            "CAP LS\r\nCAP LIST\r\nCAP REQ :nothing\r\nCAP NO\r\nAUTHENTICATE OTHER\r\nAUTHENTICATE PLAIN\r\nAUTHENTICATE *\r\n",
            "AUTHENTICATE PLAIN\r\nAUTHENTICATE \(String(repeating: "A", count: 401))\r\nAUTHENTICATE PLAIN\r\nAUTHENTICATE AGEAYg==\r\n",
            "AUTHENTICATE PLAIN\r\nAUTHENTICATE \(String(repeating: "A", count: 400))\r\nAUTHENTICATE +\r\n",
            "PASS no\r\n", "NICK a\r\nUSER a 0 * :a\r\n",
            "NICK 1 2\r\nNICK\r\nUSER a\r\nUSER a 0 * :\r\nJOIN #a\r\nNOTHING\r\n",
            "PASS \(token.text)\r\nUSER a 0 * :a\r\nNICK ana\r\nPASS x\r\nUSER a 0 * :a\r\nAUTHENTICATE PLAIN\r\nCAP LIST\r\n",
        ]
    }

    private static var talk: [String] {
        [
            "@label=1;+draft/reply=\(id) PRIVMSG #lobby,ben :\u{3}4,5hi\u{f}\r\n@label=2 TAGMSG ben\r\n",
            "PRIVMSG #lobby :leave\r\n", "PRIVMSG #lobby :refuse\r\nPRIVMSG ben :refuse\r\nNOTICE #lobby :refuse\r\n",
            "@+draft/react=\u{1f44d};+draft/reply=\(own) TAGMSG #lobby\r\n@+typing=active TAGMSG #lobby\r\n",
            "@+draft/unreact=\u{1f44d};+draft/reply=\(own) TAGMSG #lobby\r\n@+typing=done TAGMSG ben\r\n",
            "REDACT #lobby \(own)\r\nEDIT #lobby \(own) :x\r\nREDACT #lobby 1\r\nEDIT #x \(id) :y\r\nDECLINE ben\r\nIGNORE ben\r\n",
            "PRIVMSG ben :\u{1}ACTION waves\u{1}\r\nPRIVMSG ben :\u{1}DCC SEND x\u{1}\r\nNOTICE ben :\u{1}VERSION x\u{1}\r\n",
            "@a=\\:\\s\\\\\\r\\n\\q\\;b;c= :x!y@z PRIVMSG #lobby hi\r\n@\r\n:\r\n\u{0}\r\n\r\n@a\r\nPRIVMSG\r\nPRIVMSG #lobby\r\n",
            "PRIVMSG #lobby :\(String(repeating: "x", count: 9_000))\r\nPING x\r\n", "PRIVMSG nobody,#none :x\r\n",
        ]
    }

    private static var looks: [String] {
        [
            "JOIN #a,#b k,l\r\nPART #lobby\r\nJOIN #lobby\r\nNAMES #lobby\r\nLIST\r\nWHO #lobby %tcnf,1\r\nWHOIS ben\r\nWHOWAS ben\r\n",
            "CHATHISTORY BETWEEN #lobby timestamp=2020-01-01T00:00:00.000Z msgid=0a 10\r\nCHATHISTORY LATEST ben * 5\r\n"
                + "CHATHISTORY TARGETS timestamp=2020-01-01T00:00:00.000Z timestamp=2030-01-01T00:00:00.000Z 9\r\n",
            "CHATHISTORY BEFORE #lobby msgid=\(own) 5\r\nCHATHISTORY AFTER #lobby timestamp=2020-01-01T00:00:00.000Z 5\r\n"
                + "CHATHISTORY AROUND #lobby msgid=\(own) 5\r\nCHATHISTORY X\r\nCHATHISTORY\r\n",
            "MARKREAD #lobby timestamp=2030-01-01T00:00:00.000Z\r\nMARKREAD #lobby\r\nMETADATA * SET about :x\r\nMETADATA ben GET about\r\n"
                + "METADATA * LIST\r\nMETADATA * SUB about avatar\r\nMETADATA * SUBS\r\nMETADATA * CLEAR\r\nMETADATA x\r\n",
            "MONITOR + ben,x\r\nMONITOR L\r\nMONITOR S\r\nMONITOR - x\r\nMONITOR C\r\nWHO\r\nWHO ben\r\nWHOIS\r\nISON a ben\r\nUSERHOST ben\r\n",
            "MOTD\r\nLUSERS\r\nVERSION\r\nTIME\r\nPING x\r\nPING\r\nPONG x\r\nQUIT :x\r\nPING y\r\n",
        ]
    }

    private static var changes: [String] {
        [
            "AWAY :x\r\nAWAY\r\nNICK y\r\nNICK refuse\r\nNICK ben\r\nMODE #lobby +o y\r\nMODE #lobby\r\nMODE #lobby b\r\nMODE ana\r\n"
                + "MODE ben\r\nMODE x\r\nMODE #x\r\nTOPIC #lobby :x\r\nTOPIC #lobby\r\nINVITE ben #lobby\r\nSETNAME :x\r\n",
            "CAP REQ :-echo-message -labeled-response -batch\r\nPRIVMSG #lobby :hi\r\nCAP REQ :-message-tags -standard-replies\r\nEDIT #x y :z\r\n"
                + "SETNAME :\(String(repeating: "x", count: 81))\r\nJOIN #x y\r\nJOIN 0\r\nPART #x\r\n\u{c3}\u{28}\r\n",
        ]
    }
}
