/// Errors of names and keys of rooms.
extension Phrase {
    package static let roomBytes = Phrase("room name is %1 bytes; %2 is the most", "방 이름이 %1바이트입니다. 최대 %2바이트입니다")
    package static let roomEmpty = Phrase(
        "room name is empty; 1 character is the least",
        "방 이름이 비었습니다. 한 글자 이상이어야 합니다")
    package static let roomLong = Phrase("room name is %1 characters; %2 is the most", "방 이름이 %1자입니다. 최대 %2자입니다")
    package static let roomDense = Phrase(
        "room name has a character of %1 scalars; %2 is the most",
        "방 이름에 스칼라 %1개로 된 글자가 있습니다. 최대 %2개입니다")
    package static let roomLines = Phrase(
        "room name has a control character or a line break; it takes one line of text",
        "방 이름에 제어 문자나 줄바꿈이 있습니다. 한 줄이어야 합니다")
    package static let keyWordUnknown = Phrase(
        "word %1 of the key is in no key; compare it with the key that you were given",
        "키의 %1번째 단어는 키에 쓰이지 않는 단어입니다. 받은 키와 비교하세요")
    package static let keyWordNearest = Phrase(
        "word %1 of the key is in no key; did you mean %2?",
        "키의 %1번째 단어는 키에 쓰이지 않는 단어입니다. %2 말인가요?")
    package static let keyWordCount = Phrase(
        "the key has %1 words; a key has 8",
        "키가 단어 %1개입니다. 키는 단어 8개입니다")
    package static let keyChecksum = Phrase(
        "the key has a typing error; compare it with the key that you were given",
        "키에 오타가 있습니다. 받은 키와 비교하세요")
    package static let keyComment = Phrase(
        "the key begins with #, as a comment does; give the key itself",
        "키가 주석처럼 #으로 시작합니다. 키만 주세요")
    package static let keyNotUTF8 = Phrase("the key is not valid UTF-8", "키가 올바른 UTF-8이 아닙니다")
    package static let keyShort = Phrase(
        "the key has %1 characters; a pass phrase has %2 at least, a generated key 8 words",
        "키가 %1자입니다. 암호 문구는 %2자 이상, 만든 키는 단어 8개입니다")
    package static let keyLong = Phrase("the key is %1 bytes; %2 is the most", "키가 %1바이트입니다. 최대 %2바이트입니다")
    package static let takesNewRoom = Phrase("/%1 takes new and a name: %2", "/%1 뒤에는 new와 방 이름이 옵니다: %2")
    package static let roomMade = Phrase(
        "this room is private; its key, shown this once: %1. /invite WHO gives it to a peer",
        "비공개 방입니다. 키는 지금만 보입니다: %1. /invite WHO로 다른 사람에게 줍니다")
    package static let keyOfOpenRoom = Phrase(
        "an open room has no key; use /join ROOM KEY or /join ROOM --open",
        "열린 방에는 키가 없습니다. /join ROOM KEY 또는 /join ROOM --open을 쓰세요")
    package static let roomWasPrivate = Phrase(
        "%1 was a private room; join it by an invitation or with its key, or the open room of that name with --open",
        "%1 방은 비공개였습니다. 초대나 키로 들어가거나, 같은 이름의 열린 방에는 --open으로 들어가세요")
    package static let inviteElsewhere = Phrase(
        "you are only in %1; join the room first and name it, as in /invite WHO ROOM",
        "%1 방에만 있습니다. 먼저 다른 방에 들어가서 /invite WHO ROOM처럼 방을 지정하세요")
    package static let ambiguousInvitation = Phrase(
        "%1 may be a peer of several rooms; put one in front, as in %2 /invite WHO ROOM",
        "%1 님이 여러 방에 있습니다. %2 /invite WHO ROOM처럼 방을 앞에 쓰세요")
    package static let announcedPrivate = Phrase(
        "%1 is private; only open rooms can be announced", "%1 방은 비공개입니다. 열린 방만 알릴 수 있습니다")
    package static let nothingToAnnounce = Phrase(
        "there is no other open room to announce; join one with /join ROOM",
        "알릴 다른 열린 방이 없습니다. /join ROOM으로 들어가세요")
    package static let tooManyAnnounced = Phrase(
        "%1 rooms; %2 is the most, so name those to announce", "방이 %1개입니다. 최대 %2개이므로 알릴 방을 지정하세요")
    package static let announcedTooLong = Phrase(
        "names of %1 bytes; %2 is the most, so name fewer rooms to announce",
        "방 이름이 모두 %1바이트입니다. 최대 %2바이트이므로 알릴 방을 줄이세요")
    package static let keyMemory = Phrase(
        "the key needs 256 MiB of memory for a second, and there is not as much; close something",
        "키를 읽으려면 잠시 메모리 256 MiB가 필요한데 모자랍니다. 다른 프로그램을 닫으세요")
}
