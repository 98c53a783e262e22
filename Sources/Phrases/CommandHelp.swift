/// The effect of each command, and the groups of commands.
extension Phrase {
    package static let helpWho = Phrase(
        "the peers that are here, how long, round trip; all: also those that left",
        "여기 있는 사람들과 시간, 왕복 시간. all: 나간 사람도")
    package static let helpWhois = Phrase("WHO's state, key and code to compare", "WHO의 상태와 키, 비교할 코드")
    package static let helpMsg = Phrase("a direct message; the first one is a request", "일대일 대화. 첫 메시지는 요청입니다")
    package static let helpReply = Phrase("answer the latest direct message", "마지막 일대일 메시지에 답합니다")
    package static let helpRequests = Phrase("open requests for direct conversations", "기다리는 대화 요청")
    package static let helpAccept = Phrase("let WHO write to you", "WHO의 요청을 수락합니다")
    package static let helpDecline = Phrase("refuse WHO's request without notice", "WHO의 요청을 알리지 않고 거절합니다")
    package static let helpLeave = Phrase("end the direct conversation with WHO", "WHO와의 대화를 끝냅니다")
    package static let helpOpen = Phrase(
        "look at this conversation; the others count unread",
        "이 대화를 봅니다. 나머지는 안 읽은 메시지로 셉니다")
    package static let helpClose = Phrase("back to the room", "방의 대화로 돌아갑니다")
    package static let helpUnread = Phrase(
        "each conversation's unread count and last message",
        "대화마다 안 읽은 메시지 수와 마지막 메시지")
    package static let helpHistory = Phrase("the latest messages, at most 100", "지난 메시지, 최대 100개")
    package static let helpSearch = Phrase("messages of this conversation that have TEXT", "이 대화에서 TEXT가 있는 글")
    package static let helpEdit = Phrase(
        "change your last message here, or the one with ID",
        "여기에 쓴 내 마지막 메시지나 ID 메시지를 고칩니다")
    package static let helpDelete = Phrase(
        "take back your last message here, or the one with ID",
        "여기에 쓴 내 마지막 메시지나 ID 메시지를 지웁니다")
    package static let helpNick = Phrase("change your nickname; alone, show it", "별명을 바꿉니다. 이름이 없으면 보여 줍니다")
    package static let helpWhoami = Phrase("your name and room", "내 이름과 방")
    package static let helpMe = Phrase("say what you do", "무엇을 하는지 말합니다")
    package static let helpTyping = Phrase("tell the others that you type; for front ends", "쓰는 중임을 알립니다 (프런트엔드용)")
    package static let helpAway = Phrase("tell the others that you are away, and why", "자리를 비운다고 알립니다. 사유를 쓸 수 있습니다")
    package static let helpBack = Phrase("tell the others that you are here again", "돌아왔다고 알립니다")
    package static let helpMute = Phrase("hide what WHO says", "WHO의 메시지를 숨깁니다")
    package static let helpUnmute = Phrase("show WHO again", "WHO의 메시지를 다시 봅니다")
    package static let helpBlock = Phrase("have nothing to do with WHO", "WHO를 차단합니다")
    package static let helpUnblock = Phrase("take a block back", "차단을 풉니다")
    package static let helpBlocked = Phrase("the peers that you have blocked", "차단한 사람들")
    package static let helpVerify = Phrase(
        "a code to compare by voice; ok: it was the same; no: it was not",
        "말로 비교할 코드. ok: 같음, no: 다름")
    package static let helpStats = Phrase("counters", "집계")
    package static let helpClear = Phrase("clear the screen", "화면을 지웁니다")
    package static let helpSet = Phrase(
        "joins on|off: show who comes and leaves; stream one|all: one conversation or all",
        "joins on|off: 드나듦 표시, stream one|all: 한 대화 또는 모두 보기")
    package static let helpJoin = Phrase(
        "enter another room, with a fresh identity; a name with spaces in quotation marks",
        "새 신원으로 다른 방에 들어갑니다. 빈칸이 있는 이름은 따옴표로 묶습니다")
    package static let helpPart = Phrase(
        "leave this room, or ROOM; closes an open direct conversation", "이 방이나 ROOM에서 나갑니다. 열린 일대일 대화는 닫습니다")
    package static let helpRooms = Phrase(
        "your rooms, the rooms that others announce, and invitations", "들어와 있는 방, 알려진 방, 초대")
    package static let helpRoom = Phrase("make a private room with a new key", "새 키로 비공개 방을 만듭니다")
    package static let helpInvite = Phrase(
        "give WHO, in an accepted conversation, name and key of this room or ROOM",
        "수락된 대화의 WHO에게 이 방 또는 ROOM의 이름과 키를 보냅니다")
    package static let helpAnnounce = Phrase(
        "show the people here which other open rooms you are in, or those named; off: none",
        "다른 열린 방에 있음을 여기에 알립니다. off: 알리지 않음")
    package static let helpContact = Phrase(
        "keep WHO under a name of your own, with --identity", "WHO를 내가 정한 이름으로 기억합니다 (--identity 필요)")
    package static let helpUncontact = Phrase("forget the contact WHO", "연락처 WHO를 지웁니다")
    package static let helpContacts = Phrase("your contacts, and when they were last here", "연락처와 마지막으로 본 때")
    package static let helpAbout = Phrase(
        "show TEXT about yourself in /whois, or nothing", "/whois에 보일 소개를 정하거나 지웁니다")
    package static let helpHelp = Phrase("this list, or one command", "이 목록, 또는 명령 하나")
    package static let helpWipe = Phrase(
        "erase all data now, files too, and continue under a new identity",
        "파일까지 모든 것을 지우고 새 신원으로 계속합니다")
    package static let helpQuit = Phrase("leave", "나갑니다")
    package static let groupTalk = Phrase("talk", "말하기")
    package static let groupDirect = Phrase("direct", "일대일")
    package static let groupView = Phrase("look", "보기")
    package static let groupPeople = Phrase("people", "사람")
    package static let groupSelf = Phrase("yourself", "나")
    package static let groupProgram = Phrase("earshot", "earshot")
}
