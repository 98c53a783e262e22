/// Notices of the chat.
extension Phrase {
    package static let peerHere = Phrase("%1 is here", "%1 님이 들어왔습니다")
    package static let peerAway = Phrase("%1 is away", "%1 님이 자리를 비웠습니다")
    package static let peerAwayFor = Phrase("%1 is away: %2", "%1 님이 자리를 비웠습니다: %2")
    package static let peerBack = Phrase("%1 is back", "%1 님이 돌아왔습니다")
    package static let peerGone = Phrase("%1 is gone", "%1 님이 나갔습니다")
    package static let peerRenamed = Phrase("%1 is now %2", "%1 님이 이름을 %2(으)로 바꿨습니다")
    package static let manyRenamed = Phrase("%1 people have other names now", "%1명이 이름을 바꿨습니다")
    package static let cameAndLeft = Phrase("%1 came, %2 left", "%1명 들어오고 %2명 나감")
    package static let came = Phrase("%1 came", "%1명 들어옴")
    package static let left = Phrase("%1 left", "%1명 나감")
    package static let crowdNews = Phrase("%1: %2 here", "%1: %2명 있음")
    package static let listening = Phrase("%1: %2", "%1: %2")
    package static let listeningWithToken = Phrase("%1: %2, the token is in %3", "%1: %2, 토큰은 %3에 있습니다")
    package static let pageLink = Phrase("open in a browser, once: %1", "브라우저에서 한 번 열 수 있습니다: %1")
    package static let pageIsOff = Phrase(
        "no page is served; start earshot with --web", "페이지가 꺼져 있습니다. earshot --web 으로 시작하세요")
    package static let request = Phrase(
        "%1 wants to talk to you, /accept %2 or /decline %2: %3",
        "%1 님이 대화를 요청합니다. /accept %2 수락, /decline %2 거절: %3")
    package static let requestWaits = Phrase(
        "the request of %1 waits: /accept %2 or /decline %2",
        "%1 님의 대화 요청이 기다리고 있습니다. /accept %2 수락, /decline %2 거절")
    package static let requestSent = Phrase(
        "request sent; text is delivered once they accept",
        "대화를 요청했습니다. 상대가 수락하면 메시지가 전달됩니다")
    package static let invites = Phrase(
        "%1 invites you to %2: /join %3", "%1 님이 %2 방에 초대했습니다: /join %3")
    package static let invitesThere = Phrase(
        "%1 invites you to %2, where you are: /open %3", "%1 님이 이미 들어와 있는 %2 방에 초대했습니다: /open %3")
    package static let directAccepted = Phrase("direct conversation with %1: accepted", "%1 님과의 대화가 수락되었습니다")
    package static let directAcceptedOpen = Phrase(
        "direct conversation with %1: accepted; Alt-%2 or /open %3 opens it",
        "%1 님과의 대화가 수락되었습니다. Alt-%2 또는 /open %3(으)로 엽니다")
    package static let directDeclined = Phrase("direct conversation with %1: declined", "%1 님의 대화 요청을 거절했습니다")
    package static let directLeft = Phrase("direct conversation with %1: left", "%1 님과의 대화가 끝났습니다")
    package static let edited = Phrase("edited%1 %2", "고침%1 %2")
    package static let deleted = Phrase("deleted%1", "지움%1")
    package static let wasText = Phrase(" (was: %1)", " (전에는: %1)")
    package static let inConversation = Phrase("in %1, %2", "%1, %2")
    package static let hasRead = Phrase("%1 has read what you wrote", "%1 님이 메시지를 읽었습니다")
    package static let hasReadText = Phrase("%1 has read: %2", "%1 님이 읽음: %2")
    package static let deliveredText = Phrase("delivered to %1: %2", "%1 님에게 전달됨: %2")
    package static let notDelivered = Phrase("not delivered to %1: \"%2\"", "%1 님에게 전달하지 못했습니다: \"%2\"")
    package static let youAreIn = Phrase("you are %1 in %2, port %3, %4", "%2에 %1(으)로 들어왔습니다. 포트 %3, %4")
    package static let welcome = Phrase(
        "you are %1 in %2. Type and press Enter; /help lists commands.",
        "%2에 %1(으)로 들어왔습니다. 메시지를 쓰고 Enter를 누르세요. 명령은 /help에서 볼 수 있습니다.")
    package static let roomsFollow = Phrase(
        "%1 other room{ follows|s follow} within 10 s, or when you open {it|them}",
        "다른 방 %1개에는 10초 안에, 또는 그 방을 열 때 들어갑니다")
    package static let lonely = Phrase(
        "nobody else is here yet; earshot doctor says whether they could be heard",
        "아직 아무도 없습니다. 다른 사람을 찾을 수 있는 상태인지는 earshot doctor로 확인하세요")
    package static let byDaemon = Phrase("finding peers through the Avahi daemon", "Avahi 데몬으로 찾는 중")
    package static let byItself = Phrase(
        "no Avahi daemon, so asking and answering mDNS itself",
        "Avahi 데몬이 없어 직접 mDNS로 찾는 중")
    package static let notLooking = Phrase("not looking for peers", "찾지 않음")
    package static let leaving = Phrase("leaving", "나가는 중입니다")
    package static let signedInElsewhere = Phrase(
        "signed in elsewhere; if that was not you, discard this identity",
        "다른 곳에서 같은 신원으로 접속했습니다. 본인이 아니라면 이 신원을 버리세요")
    package static let clockBehind = Phrase(
        "this computer's clock seems to be %1 behind those of the others here; set it: if it is more than 5 min off, history can be incomplete",
        "이 컴퓨터의 시계가 다른 사람들보다 %1 늦은 것 같습니다. 시계를 맞추세요. 5분 넘게 다르면 지난 메시지가 빠질 수 있습니다")
    package static let clockAhead = Phrase(
        "this computer's clock seems to be %1 ahead of those of the others here; set it: if it is more than 5 min off, history can be incomplete",
        "이 컴퓨터의 시계가 다른 사람들보다 %1 빠른 것 같습니다. 시계를 맞추세요. 5분 넘게 다르면 지난 메시지가 빠질 수 있습니다")
    package static let discoveryIs = Phrase("discovery is now %1: %2", "찾는 방식이 바뀌었습니다: %1 (%2)")
    package static let discoveryWaits = Phrase("no peer can be found yet: %1", "아직 다른 사람을 찾을 수 없습니다: %1")
    package static let unreachable = Phrase(
        "peer %1 can not be reached: %2; earshot keeps trying",
        "%1에 연결할 수 없습니다: %2. 계속 시도합니다")
    package static let unrouted = Phrase(
        "peer %1 can not be reached: there is no route to it; earshot keeps trying",
        "%1에 연결할 수 없습니다: 경로가 없습니다. 계속 시도합니다")
    package static let unanswered = Phrase(
        "peer %1 can not be reached: it does not answer; earshot keeps trying",
        "%1에 연결할 수 없습니다: 응답이 없습니다. 계속 시도합니다")
    package static let portRefused = Phrase(
        "peer %1 can not be reached: no program listens at that port; earshot keeps trying",
        "%1에 연결할 수 없습니다: 그 포트에서 기다리는 프로그램이 없습니다. 계속 시도합니다")
    package static let portForeign = Phrase(
        "peer %1 is no other node of this room: another program answers, or a node of another room or key; earshot keeps trying",
        "%1은(는) 이 방의 다른 노드가 아닙니다: 다른 프로그램이거나 방 또는 열쇠가 다릅니다. 계속 시도합니다")
    package static let roomUnanswered = Phrase(
        "no other node here has the name and the key of the room %1; if you expect one, compare both with it",
        "이 방(%1)의 이름과 열쇠를 가진 다른 노드가 여기에 없습니다. 있어야 한다면 이름과 열쇠를 서로 비교하세요")
    package static let noInterface = Phrase(
        "no network interface leads to other machines: only nodes on this machine are found; earshot doctor says why",
        "다른 컴퓨터로 가는 네트워크가 없어 이 컴퓨터의 노드만 찾을 수 있습니다. 이유는 earshot doctor로 확인하세요")
    package static let noMulticast = Phrase(
        "no network interface can be used, so no peer is found; earshot doctor says why",
        "쓸 수 있는 네트워크가 없어 아무도 찾을 수 없습니다. 이유는 earshot doctor로 확인하세요")
    package static let reacted = Phrase("%1 reacts with %2 to %3", "%1 님이 %3에 %2 반응을 남겼습니다")
    package static let ownReacted = Phrase("you react with %1 to %2", "%2에 %1 반응을 남겼습니다")
    package static let ownReactionsGone = Phrase("you take your reactions to %1 back", "%1에 남긴 내 반응을 지웠습니다")
    package static let reactionsGone = Phrase("%1 takes the reactions to %2 back", "%1 님이 %2에 남긴 반응을 지웠습니다")
    package static let answers = Phrase("(to %1: %2)", "(%1에게: %2)")
    package static let answersUnknown = Phrase("(to a message that is not here)", "(여기에 없는 메시지에)")
    package static let notHere = Phrase("a message that is not here", "여기에 없는 메시지")
    package static let deletedTarget = Phrase("a deleted message", "지운 메시지")
    package static let cardPosted = Phrase("card on the board by %1: %2", "%1 님이 게시판에 카드를 붙였습니다: %2")
    package static let cardOn = Phrase("%1 puts a card on the board", "%1 님이 게시판에 카드를 붙였습니다")
    package static let cardUntil = Phrase("until %1", "%1까지")
    package static let boardHas = Phrase("the notice board has %1 cards: /board", "게시판에 카드가 %1장 있습니다: /board")
    package static let boardHasOne = Phrase("the notice board has a card: /board", "게시판에 카드가 한 장 있습니다: /board")
    package static let moreReactions = Phrase("%1 more reaction{|s} to your messages", "내 메시지에 반응 %1개 더")
    package static let cardGone = Phrase("card of %1 is off the board: %2", "%1 님의 카드가 게시판에서 사라졌습니다: %2")
    package static let cardRow = Phrase("%1 %2 (%3, until %4)", "%1 %2 (%3, %4까지)")
    package static let emptyBoard = Phrase("the notice board is empty", "게시판이 비어 있습니다")
    package static let noReactions = Phrase("there is no reaction to it", "아직 반응이 없습니다")
}
