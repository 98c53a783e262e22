/// The terminal's own rows: prompt, status, rules and questions.
extension Phrase {
    package static let hereCount = Phrase("%1 here", "%1명")
    package static let you = Phrase("you", "나")
    package static let toYou = Phrase("%1 → you", "%1 → 나")
    package static let fromYou = Phrase("you → %1", "나 → %1")
    package static let beforeYouCame = Phrase("before you came", "여기까지 지난 메시지")
    package static let whileOffline = Phrase(
        "%1 message{|s} while you were offline", "연결이 끊긴 동안 온 메시지 %1개")
    package static let missed = Phrase("%1 message{|s} that you missed", "놓친 메시지 %1개")
    package static let editedMark = Phrase("(edited)", "(고침)")
    package static let deletedMark = Phrase("(deleted)", "(지움)")
    package static let missedMark = Phrase("(missed)", "(놓침)")
    package static let typingOne = Phrase("%1 is typing", "%1 님이 쓰는 중")
    package static let typingTwo = Phrase("%1 and %2 are typing", "%1, %2 님이 쓰는 중")
    package static let typingMany = Phrase("%1 people are typing", "%1명이 쓰는 중")
    package static let askPaste = Phrase(
        "send %1 messages? y: yes, j: join them to one, Esc: no",
        "메시지 %1개를 보낼까요? y: 예, j: 한 줄로 합치기, Esc: 아니요")
    package static let linesWait = Phrase("%1 line{ waits|s wait}, Esc drops {it|them}", "%1줄 대기 중, Esc로 취소")
    package static let pastedDropped = Phrase("%1 pasted line{|s} not sent", "붙여 넣은 %1줄을 보내지 않았습니다")
    package static let pasteHasCommand = Phrase(
        "not sent: line %1 begins with /; // says a slash", "보내지 않았습니다. %1번째 줄이 /로 시작합니다. //는 빗금을 말합니다")
    package static let lineIsOfAnother = Phrase(
        "not said yet: it was begun in another conversation; Enter says it here",
        "다른 대화에서 쓰던 글이라 아직 보내지 않았습니다. 엔터를 누르면 여기에 보냅니다")
    package static let heldBack = Phrase(
        "%1 line{|s} not said, because the conversation did not open; Up has {it|them}",
        "대화가 열리지 않아 %1줄을 보내지 않았습니다. 위쪽 화살표로 불러옵니다")
    package static let lineIsHeld = Phrase(
        "not said yet: it was begun for a conversation that did not open; Enter says it here",
        "열리지 않은 대화에 쓰던 글이라 아직 보내지 않았습니다. 엔터를 누르면 여기에 보냅니다")
    package static let refusedIsKept = Phrase("Up has the refused line", "거부된 줄은 위쪽 화살표로 불러옵니다")
    package static let refusedIsBack = Phrase(
        "refused: Enter sends it again, an arrow mends it, typing begins another line",
        "거부됨: 엔터 다시 보내기, 화살표 고치기, 글자 새로 쓰기")
    package static let tooManyLines = Phrase("%1 line{|s} too many; enter them later", "%1줄이 너무 많습니다. 나중에 입력하세요")
    package static let charactersLeft = Phrase("%1 character{|s} left", "%1자 남음")
    package static let charactersOver = Phrase("%1 character{|s} too long", "%1자 넘음")
    package static let confirmWipe = Phrase(
        "type wipe to confirm, anything else to keep all",
        "모두 지우려면 wipe를 입력하세요. 다른 것을 입력하면 그대로 둡니다")
    package static let wipeKept = Phrase("nothing was erased", "아무것도 지우지 않았습니다")
    package static let searchPrompt = Phrase("search: %1", "찾기: %1")
    package static let searchNothing = Phrase("search: %1 (not found)", "찾기: %1 (없음)")
    package static let pagePosition = Phrase("%1 of %2 rows; Esc returns", "%2줄 가운데 %1줄, Esc로 돌아가기")
    package static let setShown = Phrase("%1 is %2", "%1: %2")
    package static let setUnknown = Phrase(
        "/set knows cover on|off, and in a terminal joins on|off and stream one|all",
        "/set으로 cover on|off 를, 터미널에서는 joins on|off 와 stream one|all 도 정할 수 있습니다")
    package static let nothingUnread = Phrase("nothing is unread", "안 읽은 메시지가 없습니다")
    package static let noConversation = Phrase("there is no conversation %1", "%1번 대화가 없습니다")
}
