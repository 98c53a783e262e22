/// Answers of commands.
extension Phrase {
    package static let publicRoom = Phrase("public", "공개")
    package static let nobodyHere = Phrase("nobody else is here", "다른 사람이 없습니다")
    package static let latestHeard = Phrase("%1 here; those heard last:", "%1명 있음. 최근에 소식이 온 상대:")
    package static let noRequests = Phrase("no requests", "대화 요청이 없습니다")
    package static let asks = Phrase("%1 asks: %2", "%1 님의 요청: %2")
    package static let historyOf = Phrase("history of %1: %2", "%1 기록: %2")
    package static let messages = Phrase("%1 message{|s}", "메시지 %1개")
    package static let conversations = Phrase("%1 conversation{|s}", "대화 %1개")
    package static let people = Phrase("%1 peer{|s}", "상대 %1명")
    package static let lookingAt = Phrase("you are looking at %1", "지금 %1 대화를 보고 있습니다")
    package static let nowCalled = Phrase("you are now %1", "이제 %1입니다")
    package static let nameReplaced = Phrase(
        "� stands for a character that can not be seen, or that looks like a mark of earshot's own",
        "�는 보이지 않거나 earshot이 쓰는 기호처럼 보이는 글자를 대신합니다")
    package static let openRoom = Phrase("%1, an open room", "열린 방 %1")
    package static let privateRoom = Phrase("%1, a private room", "비공개 방 %1")
    package static let enteredRoom = Phrase("you are in %1", "%1에 들어왔습니다")
    package static let joinedWithKey = Phrase(
        "you are in %1, a private room, with the key that you gave", "비공개 방 %1에 받은 키로 들어왔습니다")
    package static let joinedWithSpaces = Phrase(
        "you are in %1, a private room, with the key that you gave; a room's name with spaces takes quotation marks",
        "비공개 방 %1에 받은 키로 들어왔습니다. 빈칸이 있는 방 이름은 따옴표로 묶습니다")
    package static let nowAway = Phrase("you are away", "자리를 비웠습니다")
    package static let nowAwayFor = Phrase("you are away: %1", "자리를 비웠습니다: %1")
    package static let nowBack = Phrase("you are back", "돌아왔습니다")
    package static let muted = Phrase("%1 is muted and not told", "%1 님의 메시지를 숨깁니다. 상대에게는 알리지 않습니다")
    package static let unmuted = Phrase("%1 is no longer muted", "%1 님의 메시지를 다시 봅니다")
    package static let blocked = Phrase("%1 is blocked and not told", "%1 님을 차단했습니다. 상대에게는 알리지 않습니다")
    package static let noneBlocked = Phrase("no peer is blocked", "차단한 사람이 없습니다")
    package static let blockedPeer = Phrase("%1, key %2", "%1, 키 %2")
    package static let unblocked = Phrase("%1 is no longer blocked", "%1 님의 차단을 풀었습니다")
    package static let stateOnline = Phrase("online", "접속 중")
    package static let stateAway = Phrase("away", "자리 비움")
    package static let stateOffline = Phrase("offline", "나감")
    package static let stateFor = Phrase("%1 %2 for %3", "%1 %2 %3")
    package static let awayAndHere = Phrase("%1 away, here for %2", "%1 자리 비움, 들어온 지 %2")
    package static let stateSince = Phrase("%1 %2 since I came", "%1 %2, 내가 오기 전부터")
    package static let awaySince = Phrase("%1 away, here since I came", "%1 자리 비움, 내가 오기 전부터")
    package static let nameOfYou = Phrase("%1 (you)", "%1 (나)")
    package static let sinceUser = Phrase("since I came", "내가 오기 전부터")
    package static let columnName = Phrase("name", "이름")
    package static let columnState = Phrase("state", "상태")
    package static let columnTime = Phrase("for", "시간")
    package static let columnRoundTrip = Phrase("round trip", "왕복")
    package static let columnNotes = Phrase("notes", "표시")
    package static let isMuted = Phrase("muted", "숨김")
    package static let isVerified = Phrase("verified", "확인됨")
    package static let isBlocked = Phrase("blocked", "차단됨")
    package static let seconds = Phrase("%1 s", "%1초")
    package static let minutes = Phrase("%1 min", "%1분")
    package static let hours = Phrase("%1 h", "%1시간")
    package static let unreadLine = Phrase("%1: %2 unread%3", "%1: 안 읽은 메시지 %2개%3")
    package static let lastMessage = Phrase(", last %1 %2", ", 마지막 %1 %2")
    package static let isOpen = Phrase("(shown)", "(보는 중)")
    package static let isOpenInside = Phrase("(shown: %1)", "(보는 중: %1)")
    package static let pendingRequest = Phrase("%1: a request for a direct conversation: %2", "%1: 대화 요청: %2")
    package static let verification = Phrase("%1, verified: %2", "%1, 확인됨: %2")
    package static let noVerification = Phrase("%1, not verified: %2", "%1, 확인 안 됨: %2")
    package static let keptMark = Phrase("kept with your identity", "신원과 함께 보관합니다")
    package static let passingMark = Phrase("remembered until you leave", "나갈 때까지만 기억합니다")
    package static let compareCode = Phrase(
        "read it to each other over another way; if it is the same, /verify %1 ok",
        "다른 방법으로 서로 읽어 주세요. 같으면 /verify %1 ok")
    package static let forgottenConversations = Phrase("forgotten: %1 with %2", "지움: %1, %2")
    package static let forgottenPeers = Phrase(
        "forgotten: %1, and who was muted, blocked or verified",
        "지움: %1, 그리고 숨김·차단·확인 표시")
    package static let forgottenKeys = Phrase("forgotten: your keys", "지움: 당신의 키")
    package static let removedFile = Phrase(
        "removed: %1, of which the disk may keep traces",
        "삭제: %1 (디스크에 흔적이 남을 수 있습니다)")
    package static let othersKeep = Phrase(
        "what others received stays with them: their copies can not be reached",
        "다른 사람이 받은 메시지는 그대로 남습니다. 그 사본은 지울 수 없습니다")
    package static let awayAfterWipe = Phrase(
        "you are away from the network for %1 s, so that an observer can not tell who comes back; /wipe now ends the pause",
        "누가 돌아오는지 알 수 없도록 %1초 동안 네트워크에서 떠나 있습니다. /wipe now로 바로 끝낼 수 있습니다")
    package static let newIdentity = Phrase(
        "you go on under a new identity, which no file keeps",
        "파일에 남지 않는 새 신원으로 계속합니다")
    package static let whoami = Phrase("you are %1 in %2", "%2 방의 %1입니다")
    package static let aboutLine = Phrase("about: %1", "소개: %1")
    package static let alsoIn = Phrase("also in: %1", "다른 방: %1")
    package static let callsItself = Phrase("nickname %1", "별명 %1")
    package static let aboutChanged = Phrase("others see the change with /whois", "바꾼 소개가 다른 사람의 /whois에 보입니다")
    package static let namedContact = Phrase("%1 is a contact", "%1 님을 연락처에 두었습니다")
    package static let forgottenContact = Phrase("%1 is no contact any more", "%1 님을 연락처에서 지웠습니다")
    package static let noContacts = Phrase("no contacts", "연락처가 없습니다")
    package static let contactHere = Phrase("%1 here, in %2", "%1 있음, %2")
    package static let contactLast = Phrase("%1 last here %2", "%1 마지막으로 본 때 %2")
    package static let contactUnseen = Phrase("%1 not here since it is a contact", "%1 연락처에 둔 뒤로 오지 않음")
    package static let invited = Phrase("%1 is invited to %2", "%1 님을 %2 방에 초대했습니다")
    package static let announces = Phrase("the people here see that you are also in %1", "여기 사람들에게 %1 방에도 있다고 알립니다")
    package static let announcesNothing = Phrase("no other room of yours is announced here", "여기에 알린 다른 방이 없습니다")
    package static let announcedRoom = Phrase(
        "%1 {person|people} announce{s|} %2: /join %3", "%1명이 %2 방에 있다고 알립니다: /join %3")
    package static let keyLine = Phrase("key %1", "키 %1")
    package static let codeLine = Phrase("code to compare: %1", "비교할 코드: %1")
    package static let aliasLine = Phrase("also %1", "같은 명령: %1")
    package static let found = Phrase("%1: %2 with \"%3\"", "%1: \"%3\"이(가) 있는 %2")
    package static let portLine = Phrase("room %1, port %2, %3", "방 %1, 포트 %2, %3")
    package static let whoNote = Phrase(
        "WHO is 4821, #4821, #4821-3377, a nickname or 8 digits of a key; // begins a message with a slash",
        "WHO는 4821, #4821, #4821-3377, 별명 또는 키의 앞 여덟 자리입니다. //로 시작하면 빗금으로 시작하는 메시지가 됩니다")
    package static let helpNote = Phrase(
        "Tab completes; /help COMMAND explains one; WHO is 4821, #4821 or a nickname",
        "/help 명령으로 자세히, Tab으로 완성, WHO는 4821, #4821 또는 별명")
    package static let keysNote = Phrase(
        "Alt-1..9 and Alt-a switch, PageUp reads back, Ctrl-R searches, Ctrl-C leaves",
        "Alt-1..9·Alt-a 전환, PageUp 지난 메시지, Ctrl-R 찾기, Ctrl-C 나가기")
    package static let isPrivate = Phrase("private", "비공개")
    package static let isOpenRoom = Phrase("open", "열린 방")
    package static let isEntering = Phrase("entered within 10 s", "10초 안에 들어감")
    package static let roomLine = Phrase("%1: %2, %3 here, %4 unread", "%1: %2, %3명, 안 읽은 메시지 %4개")
    package static let roomLeft = Phrase("you left %1; you are looking at %2", "%1 방에서 나왔습니다. 지금 %2 대화를 보고 있습니다")
    package static let inRoom = Phrase("%1 in %2", "%2 방의 %1")
}
