/// Errors of commands and texts.
extension Phrase {
    package static let onlyInTerminal = Phrase("/%1 works in a terminal only", "/%1은(는) 터미널에서만 쓸 수 있습니다")
    package static let unknownRoom = Phrase(
        "you are not in a room %1; /rooms lists them", "%1 방에 들어와 있지 않습니다. /rooms에서 볼 수 있습니다")
    package static let tooManyRooms = Phrase("%1 rooms are the most; /part one first", "방은 최대 %1개입니다. 먼저 /part로 나가세요")
    package static let onlyRoom = Phrase("%1 is the only room; /quit leaves it", "%1 방 하나뿐입니다. 끝내려면 /quit")
    package static let roomFailed = Phrase("%1 can not be joined: %2", "%1 방에 들어갈 수 없습니다: %2")
    package static let noRoomGiven = Phrase(
        "/%1 does not say which room is meant; write %2", "/%1 뒤에 방이 없습니다. 쓰는 법: %2")
    package static let wipeNeedsYes = Phrase(
        "/wipe erases all data; write /wipe yes",
        "/wipe는 모든 것을 지웁니다. /wipe yes라고 쓰세요")
    package static let isAway = Phrase(
        "everything is wiped, and the new identity comes in %1 s; /wipe now lets it come at once, /quit leaves",
        "모두 지웠고 새 신원은 %1초 뒤에 옵니다. 바로 오게 하려면 /wipe now, 끝내려면 /quit")
    package static let noOneToAnswer = Phrase("no direct message to answer", "답할 대화가 없습니다")
    package static let isCommand = Phrase(
        "the text begins with / and is not said: // begins a text with a slash; a command is a line of its own (programs: POST /api/v1/commands, or command at the control socket)",
        "/로 시작하는 글은 보내지 않습니다. 빗금으로 시작하려면 //로 쓰고, 명령은 따로 한 줄로 쓰세요 (프로그램: POST /api/v1/commands, 제어 소켓에서는 command)")
    package static let notUTF8 = Phrase("line is not valid UTF-8", "줄이 올바른 UTF-8이 아닙니다")
    package static let lineTooLong = Phrase(
        "line is over %1 bytes; %2 is the most in a message",
        "줄이 %1바이트를 넘습니다. 메시지는 최대 %2바이트입니다")
    package static let takesNothing = Phrase("/%1 takes nothing more; write %2 alone", "/%1 뒤에는 아무것도 쓰지 않습니다. %2만 쓰세요")
    package static let badOperand = Phrase("/%1 lacks the operand %2, or does not take it", "/%1에 %2 값이 없거나 쓸 수 없습니다")
    package static let takesOff = Phrase("/%1 takes nothing more than off; write %2", "/%1 뒤에는 off만 쓸 수 있습니다. 쓰는 법: %2")
    package static let noPeerGiven = Phrase("/%1 does not say who is meant; write %2", "/%1 뒤에 상대가 없습니다. 쓰는 법: %2")
    package static let noRequestOpen = Phrase("/%1 answers a request, and none is open", "/%1: 대화 요청이 없습니다")
    package static let severalRequests = Phrase(
        "several ask for a direct conversation; write /%1 with one of them: %2", "대화 요청이 여럿입니다. /%1 뒤에 상대를 쓰세요: %2")
    package static let unclearVerdict = Phrase(
        "/%1 takes ok or no behind the name; write %2",
        "/%1은(는) 이름 뒤에 ok 또는 no를 씁니다. 쓰는 법: %2")
    package static let emptyText = Phrase("message is empty; write %1", "메시지가 비었습니다. 쓰는 법: %1")
    package static let badMessageID = Phrase(
        "a message id is 6 to 32 hexadecimal digits; see /history",
        "메시지 번호는 16진수 6자에서 32자입니다. /history를 보세요")
    package static let shortMessageID = Phrase(
        "a message is named by at least 6 digits of its id",
        "메시지는 번호 앞자리 6자 이상으로 가리킵니다")
    package static let manyMessages = Phrase(
        "{a message of yours has|several messages of yours have|no message of yours has} an id that begins so",
        "그렇게 시작하는 번호를 가진 내 메시지가 {있습니다|여러 개 있습니다|없습니다}")
    package static let noOwnMessage = Phrase("there is no message of yours here", "여기에는 내 메시지가 없습니다")
    package static let lastSaidElsewhere = Phrase(
        "your last message is in another conversation, %1; open that one, or name a message by its id",
        "마지막으로 쓴 메시지는 다른 대화(%1)에 있습니다. 그 대화를 열거나 메시지를 번호로 가리키세요")
    package static let unknownCommandHint = Phrase("no command /%1; did you mean /%2?", "/%1 명령은 없습니다. /%2 말인가요?")
    package static let unknownCommand = Phrase(
        "no command /%1; /help lists them, // begins a message with a slash",
        "/%1 명령은 없습니다. /help에서 명령을 볼 수 있고, //로 시작하면 빗금으로 시작하는 메시지가 됩니다")
    package static let notConnected = Phrase("%1 is not connected", "%1 님과 연결되어 있지 않습니다")
    package static let blockedFirst = Phrase("%1 is blocked; /unblock %1 first", "%1 님은 차단되어 있습니다. 먼저 /unblock %1")
    package static let conversationOver = Phrase(
        "the direct conversation with that message has ended",
        "그 메시지가 있는 대화는 끝났습니다")
    package static let requestOpen = Phrase(
        "the request is not accepted yet; further messages have to wait for that",
        "아직 요청이 수락되지 않았습니다. 다음 메시지는 수락된 뒤에 보낼 수 있습니다")
    package static let noConversationToLeave = Phrase("there is no direct conversation to leave", "끝낼 대화가 없습니다")
    package static let noOpenRequest = Phrase("there is no open request for a direct conversation", "열린 대화 요청이 없습니다")
    package static let noSuchPeer = Phrase("no peer here is called %1", "%1(이)라는 사람은 여기 없습니다")
    package static let ambiguousPeer = Phrase("%1 may be any of: %2", "%1은(는) 다음 중 누구인지 알 수 없습니다: %2")
    package static let tooFast = Phrase("too fast: %1 messages a second is the most", "너무 빠릅니다. 1초에 최대 %1개입니다")
    package static let messageBytes = Phrase("message is %1 bytes; %2 is the most", "메시지가 %1바이트입니다. 최대 %2바이트입니다")
    package static let messageEmpty = Phrase("message is empty; 1 character is the least", "메시지가 비었습니다. 한 글자 이상이어야 합니다")
    package static let messageLong = Phrase("message is %1 characters; %2 is the most", "메시지가 %1자입니다. 최대 %2자입니다")
    package static let messageDense = Phrase(
        "message has a character of %1 scalars; %2 is the most",
        "메시지에 코드 %1개로 된 글자가 있습니다. 최대 %2개입니다")
    package static let nicknameBytes = Phrase("nickname is %1 bytes; %2 is the most", "별명이 %1바이트입니다. 최대 %2바이트입니다")
    package static let nicknameEmpty = Phrase(
        "nickname is empty; 1 character is the least",
        "별명이 비었습니다. 한 글자 이상이어야 합니다")
    package static let nicknameLong = Phrase("nickname is %1 characters; %2 is the most", "별명이 %1자입니다. 최대 %2자입니다")
    package static let nicknameDense = Phrase(
        "nickname has a character of %1 scalars; %2 is the most",
        "별명에 코드 %1개로 된 글자가 있습니다. 최대 %2개입니다")
    package static let nicknameLines = Phrase(
        "nickname has a control character or a line break; it takes one line of text",
        "별명에 제어 문자나 줄바꿈이 있습니다. 한 줄이어야 합니다")
    package static let reasonBytes = Phrase("reason is %1 bytes; %2 is the most", "사유가 %1바이트입니다. 최대 %2바이트입니다")
    package static let reasonEmpty = Phrase("reason is empty; 1 character is the least", "사유가 비었습니다. 한 글자 이상이어야 합니다")
    package static let reasonLong = Phrase("reason is %1 characters; %2 is the most", "사유가 %1자입니다. 최대 %2자입니다")
    package static let reasonDense = Phrase(
        "reason has a character of %1 scalars; %2 is the most",
        "사유에 코드 %1개로 된 글자가 있습니다. 최대 %2개입니다")
    package static let reasonLines = Phrase(
        "reason has a control character or a line break; it takes one line of text",
        "사유에 제어 문자나 줄바꿈이 있습니다. 한 줄이어야 합니다")
    package static let inviteAfterAcceptance = Phrase(
        "no direct conversation with this peer is accepted; write with /msg, and invite after the answer",
        "이 사람과 수락된 대화가 없습니다. /msg로 먼저 쓰고, 수락 후에 초대하세요")
    package static let contactsNeedIdentity = Phrase(
        "contacts are kept with an identity, and this run has none; start with --identity FILE",
        "연락처는 신원과 함께 보관됩니다. --identity FILE로 시작하세요")
    package static let contactNameTaken = Phrase(
        "another contact is called %1; choose another name", "%1(이)라는 연락처가 이미 있습니다. 다른 이름을 고르세요")
    package static let tooManyContacts = Phrase(
        "%1 contacts are the most; remove one with /uncontact", "연락처는 최대 %1명입니다. /uncontact로 하나를 지우세요")
    package static let noSuchContact = Phrase("%1 is no contact; see /contacts", "%1 님은 연락처에 없습니다. /contacts를 보세요")
    package static let aboutBytes = Phrase("line is %1 bytes; %2 is the most", "소개가 %1바이트입니다. 최대 %2바이트입니다")
    package static let aboutEmpty = Phrase("line is empty; 1 character is the least", "소개가 비었습니다. 한 글자 이상이어야 합니다")
    package static let aboutLong = Phrase("line is %1 characters; %2 is the most", "소개가 %1자입니다. 최대 %2자입니다")
    package static let aboutDense = Phrase(
        "line has a character of %1 scalars; %2 is the most",
        "소개에 코드 %1개로 된 글자가 있습니다. 최대 %2개입니다")
    package static let aboutLines = Phrase(
        "line has a control character or a line break; it takes one line of text",
        "소개에 제어 문자나 줄바꿈이 있습니다. 한 줄이어야 합니다")
    package static let titleBytes = Phrase("title is %1 bytes; %2 is the most", "제목이 %1바이트입니다. 최대 %2바이트입니다")
    package static let titleEmpty = Phrase("title is empty; 1 character is the least", "제목이 비었습니다. 한 글자 이상이어야 합니다")
    package static let titleLong = Phrase("title is %1 characters; %2 is the most", "제목이 %1자입니다. 최대 %2자입니다")
    package static let titleDense = Phrase(
        "title has a character of %1 scalars; %2 is the most",
        "제목에 코드 %1개로 된 글자가 있습니다. 최대 %2개입니다")
    package static let titleLines = Phrase(
        "title has a control character or a line break; it takes one line of text",
        "제목에 제어 문자나 줄바꿈이 있습니다. 한 줄이어야 합니다")
    package static let invalidEmoji = Phrase(
        "a reaction is one emoji, such as 👍", "반응은 👍 같은 이모지 하나여야 합니다")
    package static let tooManyReactions = Phrase(
        "%1 emojis on a message are the most; take one back with /unreact",
        "메시지 하나에 이모지는 최대 %1개입니다. /unreact로 하나를 지우세요")
    package static let noOwnCard = Phrase("there is no card of yours on the board", "게시판에 내 카드가 없습니다")
    package static let manyCards = Phrase(
        "{a card of yours has|several cards of yours have|no card of yours has} an id that begins so",
        "그렇게 시작하는 번호를 가진 내 카드가 {있습니다|여러 장 있습니다|없습니다}")
    package static let unknownReference = Phrase(
        "{a message here has|several messages here have|no message here has} an id that begins so",
        "여기에 그렇게 시작하는 번호를 가진 메시지가 {있습니다|여러 개 있습니다|없습니다}")
    package static let cardInDirect = Phrase(
        "a card is for the notice board of the room, and a direct conversation is open; /close first (programs: @%1 /card …)",
        "카드는 방의 게시판에 붙입니다. 일대일 대화가 열려 있으니 먼저 /close로 닫으세요 (프로그램: @%1 /card …)")
    package static let noMessageID = Phrase(
        "no message given; write %2, where ID is at least 6 digits of the message's id",
        "메시지를 가리켜야 합니다. 쓰는 법: %2. ID는 메시지 번호 앞자리 6자 이상입니다")
    package static let badCardColor = Phrase(
        "the colour of a card is one of: %2", "카드의 색은 다음 중 하나입니다: %2")
    package static let noCardTitle = Phrase(
        "a card has a title and a text; write %2", "카드에는 제목과 내용이 있습니다. 쓰는 법: %2")
}
