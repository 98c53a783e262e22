// Every text of the page that people read, in English and Korean. `%1` stands for the first argument, and of `{one|many}` the first is for
// an argument of 1.
import { keepChoice, keptChoice } from "/kept.js";

export const strings = {
  // The page.
  about: ["About %1", "%1 정보"],
  away: [" (away)", " (자리 비움)"],
  awayFor: [" (away: %1)", " (자리 비움: %1)"],
  changeName: ["Change name", "이름 바꾸기"],
  conversations: ["Conversations", "대화"],
  conversationsAndPeople: ["Conversations and people", "대화와 사람"],
  copyText: ["Copy the text", "글 복사"],
  here: ["%1 here", "%1명 있음"],
  joinRoom: ["Join a room", "방에 들어가기"],
  language: ["한국어", "English"],
  makeRoom: ["Make a private room", "비공개 방 만들기"],
  message: ["Message", "메시지"],
  nobodyHere: ["nobody else is here", "다른 사람이 없습니다"],
  notCopied: ["Not copied", "복사하지 못했습니다"],
  notify: ["Notify me", "알림 받기"],
  people: ["People", "사람"],
  privately: ["Message privately", "개인 메시지 보내기"],
  requests: ["Requests", "요청"],
  room: ["Room", "방"],
  search: ["Search", "찾기"],
  sound: ["Sound", "소리"],
  typesOne: ["%1 is typing", "%1 입력 중"],
  typeSeveral: ["%1 are typing", "%1 입력 중"],
  typingMore: ["%1 and %2 more", "%1 외 %2명"],
  wipe: ["Wipe", "모두 지우기"],
  wipeNow: ["Wipe, come back at once", "지우고 바로 돌아오기"],
  wipeQuestion: ["Forget everything?", "모두 잊을까요?"],
  wipeText: [
    "All messages, people and rooms of this run are erased, and you get another identity.",
    "이번 실행의 메시지, 사람, 방이 모두 지워지고 새 신원을 받습니다."],
  yourName: ["Your name", "내 이름"],
  nameFault: ["a name has something that can be seen", "이름에는 보이는 글자가 있어야 합니다"],

  // The connection and the entrance.
  connected: ["connected", "연결됨"],
  connecting: ["connecting", "연결 중"],
  reconnecting: ["reconnecting", "다시 연결 중"],
  reconnectingIn: ["reconnecting in %1 s", "%1초 뒤 다시 연결"],
  stale: ["the node was started anew: open the link that it printed", "노드가 새로 시작되었습니다. 새로 출력한 링크를 여세요"],
  notConnected: ["not connected", "연결되지 않음"],
  notReached: ["the node is not reached", "노드에 닿지 않습니다"],
  enterTitle: ["Open the link", "링크를 여세요"],
  enterText: [
    "This address alone lets no page in. Open the link that earshot --web printed when it started, or that /web prints, or give it here.",
    "이 주소만으로는 들어갈 수 없습니다. earshot --web 이 시작할 때, 또는 /web 이 출력한 링크를 열거나 여기에 넣으세요."],
  usedTitle: ["The link was used", "이미 쓴 링크입니다"],
  usedText: [
    "A link lets one page in, once, and a page that was closed is not let in again.",
    "링크는 한 페이지를 한 번만 들여보내며, 닫은 페이지는 다시 들어올 수 없습니다."],
  lostTitle: ["Not connected", "연결되지 않음"],
  lostText: [
    "The node did not answer. Load the page again, or open the link that earshot --web printed when it started.",
    "노드가 답하지 않았습니다. 페이지를 다시 불러오거나 earshot --web 이 출력한 링크를 여세요."],
  otherLink: ["Another link is the first line of the node's file control.web:", "다른 링크는 노드의 파일 control.web 첫 줄에 있습니다:"],
  pass: ["The link, or the token, which is the last line of that file", "링크, 또는 그 파일의 마지막 줄인 토큰"],
  enter: ["Enter", "들어가기"],
  passFault: ["It is neither the token nor a link that was not used yet.", "토큰도, 아직 쓰지 않은 링크도 아닙니다."],

  // The composer.
  send: ["Send", "보내기"],
  delete: ["Delete", "지우기"],
  edit: ["Edit", "고치기"],
  editing: ["editing; Escape cancels", "고치는 중입니다. Esc로 취소"],
  oneLine: ["a message is one line", "메시지는 한 줄입니다"],
  empty: ["the message is empty", "메시지가 비어 있습니다"],
  tooManyBytes: ["the message is %1 bytes; %2 is the most", "메시지가 %1바이트입니다. 최대 %2바이트입니다"],
  tooLong: ["the message is %1 characters; %2 is the most", "메시지가 %1자입니다. 최대 %2자입니다"],
  left: ["%1 character{|s} left", "%1자 남음"],
  over: ["%1 character{|s} too long", "%1자 넘음"],
  underWay: ["the command is not answered yet: the text stays here", "명령의 답을 기다립니다. 글은 여기에 남습니다"],
  early: ["not connected yet: the text stays here", "아직 연결되지 않았습니다. 글은 여기에 남습니다"],
  severalLines: ["%1 lines:", "%1줄:"],
  sendSeveral: ["Send %1 messages", "메시지 %1개로 보내기"],
  joinLines: ["Join into one", "한 줄로 합치기"],
  mostAtOnce: ["%1 messages at once are the most", "한 번에 메시지 %1개까지 보냅니다"],
  slashLine: ["it begins with /; // says a slash", "/로 시작합니다. 빗금은 //로 씁니다"],
  lineFault: ["line %1: %2", "%1번째 줄: %2"],
  commandInEdit: [
    "a command changes no message; // says a slash, and Escape ends the edit",
    "명령으로는 메시지를 고칠 수 없습니다. 빗금은 //로 쓰고, Esc로 고치기를 마칩니다"],
  offers: ["Offers", "제안"],
  emojis: ["Emojis", "이모지"],
  findEmoji: ["Find an emoji", "이모지 찾기"],

  // The messages.
  logKeys: [
    "Up and Down go through the messages, Enter shows what can be done with one.",
    "위아래 화살표로 메시지를 옮겨 다니고, Enter로 할 수 있는 일을 봅니다."],
  actions: ["What can be done with this message", "이 메시지로 할 수 있는 일"],
  newMessages: ["new messages", "새 메시지"],
  newCount: ["%1 new", "새 메시지 %1개"],
  newest: ["newest", "최신으로"],
  edited: ["edited", "고침"],
  namesYou: ["names you", "나를 언급"],
  sending: ["on its way", "보내는 중"],
  delivered: ["delivered", "전달됨"],
  read: ["read", "읽음"],
  failed: ["not delivered", "전달되지 않음"],
  notSent: ["not sent: %1", "보내지 못함: %1"],
  notSentYet: ["not sent yet", "아직 보내지 않음"],
  sendAgain: ["Send again", "다시 보내기"],
  discard: ["Discard", "버리기"],
  missed: ["%1 message{|s} that you missed", "놓친 메시지 %1개"],
  came: ["%1 came", "%1명 들어옴"],
  gone: ["%1 left", "%1명 나감"],
  you: ["you", "나"],
  youAreNow: ["you are now %1", "이제 %1입니다"],
  isNow: ["%1 is now %2", "%1 → %2"],
  otherNames: ["%1 people have other names now", "%1명의 이름이 바뀌었습니다"],

  // The lists.
  nothingSaid: ["nothing said yet", "아직 메시지가 없습니다"],
  unread: ["%1 unread", "안 읽음 %1개"],
  unreadNamed: ["%1 unread, you are named", "안 읽음 %1개, 나를 언급함"],
  private: ["private", "비공개"],
  accept: ["Accept", "수락"],
  acceptWho: ["accept %1", "%1 수락"],
  decline: ["Decline", "거절"],
  declineWho: ["decline %1", "%1 거절"],
  join: ["Join", "들어가기"],
  joinWhich: ["join %1", "%1 들어가기"],
  hide: ["Hide", "숨기기"],
  hideWhich: ["hide the invitation to %1", "%1 초대 숨기기"],
  invitesPrivate: ["invites you to the private room %1", "비공개 방 %1에 초대합니다"],
  invitesOpen: ["invites you to the room %1", "방 %1에 초대합니다"],
  andMore: ["and %1 more", "외 %1명"],
  nobodyYet: ["Nobody else is here yet.", "아직 다른 사람이 없습니다."],
  showFewer: ["Show fewer", "줄여 보기"],
  showMore: ["Show %1 more", "%1개 더 보기"],
  online: ["online", "있음"],
  awayState: ["away", "자리 비움"],
  offline: ["offline", "없음"],
  elsewhere: ["elsewhere", "다른 네트워크"],
  verified: ["verified", "확인됨"],
  contact: ["contact", "연락처"],
  muted: ["muted", "숨김"],
  blocked: ["blocked", "차단됨"],

  // A person.
  inOtherNetwork: ["in another network", "다른 네트워크에 있음"],
  notHere: ["not here", "없음"],
  notHereSince: ["not here since %1", "%1부터 없음"],
  directMessage: ["Direct message", "개인 메시지"],
  verify: ["Verify", "확인"],
  mute: ["Mute", "숨기기"],
  unmute: ["Unmute", "숨김 풀기"],
  block: ["Block", "차단"],
  unblock: ["Unblock", "차단 풀기"],
  muteWho: ["Mute %1", "%1 숨기기"],
  unmuteWho: ["Unmute %1", "%1 숨김 풀기"],
  blockWho: ["Block %1", "%1 차단"],
  unblockWho: ["Unblock %1", "%1 차단 풀기"],
  inviteToRoom: ["Invite to a room", "방에 초대"],
  to: ["To %1", "받는 사람: %1"],
  compare: [
    "Compare these digits with the other user, by voice or side by side. They are equal at both.",
    "이 숫자를 상대와 목소리로, 또는 나란히 견주어 보세요. 양쪽이 같아야 합니다."],
  isThis: ["Is this %1?", "%1 맞나요?"],
  equal: ["They are equal", "같습니다"],
  differ: ["They differ", "다릅니다"],
  asCode: ["the digits as a QR code", "숫자를 담은 QR 코드"],

  // Rooms.
  name: ["Name", "이름"],
  keyLabel: ["Key (empty for an open room)", "키 (공개 방이면 비워 두기)"],
  roomFault: ["a room needs a name", "방에는 이름이 있어야 합니다"],
  announcedBy: [" · announced by %1 ", " · %1명이 알림 "],
  announcedRooms: ["Rooms that people here announce", "여기 사람들이 알린 방"],
  keyTitle: ["The key of the room", "방의 키"],
  keyText: [
    "All who have it can join. Give it only to them. It is shown this once.",
    "이 키가 있으면 누구나 들어옵니다. 들일 사람에게만 주세요. 지금 한 번만 보여 줍니다."],
  privateRoom: ["A private room: only those who have its key can join.", "비공개 방: 키가 있는 사람만 들어옵니다."],
  openRoom: ["An open room: all who know its name can join.", "공개 방: 이름을 아는 사람은 누구나 들어옵니다."],
  announce: ["Announce my other open rooms here", "내 다른 공개 방을 여기 알리기"],
  announceNone: ["Announce none", "알리지 않기"],
  leaveRoom: ["Leave the room", "방에서 나가기"],
  onlyRoom: ["It is your only room, so it can not be left.", "유일한 방이라 나갈 수 없습니다."],
  bridgeWith: ["⇄ A bridge carries it to other networks, with what you say.", "⇄ 다리가 이 방을 다른 네트워크로 옮깁니다. 내 글도 갑니다."],
  bridgeWithout: ["⇄ A bridge carries it to other networks, without what you say.", "⇄ 다리가 이 방을 다른 네트워크로 옮깁니다. 내 글은 가지 않습니다."],
  bridgeOff: ["Keep what I say here", "내 글은 여기에만"],
  bridgeOn: ["Let bridges carry what I say", "내 글도 옮기게 하기"],
  leaveQuestion: ["Leave %1?", "%1 방에서 나갈까요?"],
  leaveText: ["Its messages are gone from this node.", "이 노드에서 그 방의 메시지가 사라집니다."],
  leave: ["Leave", "나가기"],
  whichRoom: ["To which room? The invitation has the key of a private one.", "어느 방으로 초대할까요? 비공개 방이면 초대에 키가 들어 있습니다."],
  noOtherRoom: ["You are in no other room.", "들어가 있는 다른 방이 없습니다."],
  inviteWho: ["Invite %1", "%1 초대"],
  invited: ["Invited", "초대했습니다"],
  invitedText: ["%1 is invited to %2.", "%1 → %2"],

  // Dialogues and search.
  ok: ["OK", "확인"],
  cancel: ["Cancel", "취소"],
  close: ["Close", "닫기"],
  copy: ["Copy", "복사"],
  copied: ["Copied", "복사했습니다"],
  markAndCopy: ["the browser does not copy it: mark it and press Ctrl-C", "브라우저가 복사하지 못합니다. 골라서 Ctrl-C를 누르세요"],
  notDone: ["Not done", "하지 못했습니다"],
  searchIn: ["Search %1", "%1에서 찾기"],
  searchText: ["Text", "찾을 글"],
  searchFault: ["a search needs a text", "찾을 글을 넣으세요"],
  found: ["%1 message{|s}", "메시지 %1개"],
  messageGone: ["the message is gone", "메시지가 없어졌습니다"],

  // Notifications.
  saidSomething: ["said something to you", "나에게 말했습니다"],
  asksToTalk: ["asks to talk to you", "대화를 요청합니다"],
  invitesYou: ["invites you to a room", "방에 초대합니다"],

  // A conversation in which nothing was said.
  youAre: ["You are %1.", "나는 %1입니다."],
  nothingHere: ["Nothing is said here yet.", "아직 아무 말도 없습니다."],
  onlyYouTwo: ["Only you and %1 can read what is.", "나와 %1만 읽을 수 있습니다."],
  othersHear: ["{One other person hears|%1 other people hear} what you say.", "내 말을 듣는 다른 사람: %1명."],
  adviceOpen: [
    "Start Earshot on another computer in this network, in the room %1: the two find each other without any settings.",
    "이 네트워크의 다른 컴퓨터에서 Earshot을 방 %1에 시작하세요. 설정 없이 서로 찾습니다."],
  advicePrivate: [
    "Start Earshot on another computer in this network, with the same key of the room %1: the two find each other without any settings.",
    "이 네트워크의 다른 컴퓨터에서 방 %1의 같은 키로 Earshot을 시작하세요. 설정 없이 서로 찾습니다."],
  peerOpen: [
    "Start Earshot on another computer in the room %1, with `--peer` and the address and port of this one.",
    "다른 컴퓨터에서 이 컴퓨터의 주소와 포트를 `--peer`로 주어 Earshot을 방 %1에 시작하세요."],
  peerPrivate: [
    "Start Earshot on another computer with the same key of the room %1, with `--peer` and the address and port of this one.",
    "다른 컴퓨터에서 방 %1의 같은 키와, `--peer`로 이 컴퓨터의 주소와 포트를 주어 Earshot을 시작하세요."],
  byDaemon: [
    "This node listens on port %1 and looks for others with mDNS, by the Avahi daemon.",
    "이 노드는 포트 %1에서 듣고, Avahi 데몬의 mDNS로 다른 노드를 찾습니다."],
  byItself: [
    "This node listens on port %1 and looks for others with mDNS, by itself.",
    "이 노드는 포트 %1에서 듣고, 스스로 mDNS로 다른 노드를 찾습니다."],
  notLooking: ["This node listens on port %1 and looks for nobody.", "이 노드는 포트 %1에서 듣고, 다른 노드를 찾지 않습니다."],
  doctor: ["If nobody comes, `earshot doctor` says what is in the way.", "아무도 오지 않으면 `earshot doctor`가 무엇이 막는지 알려 줍니다."],
};

const languages = ["en", "ko"];
let language = chosen();

// The one that the user chose here, or the first of the browser's, which it sends as Accept-Language too.
function chosen() {
  const wishes = [keptChoice("language"), ...navigator.languages].filter(Boolean).map((tag) => tag.toLowerCase().split("-")[0]);
  return wishes.find((tag) => languages.includes(tag)) ?? "en";
}

export const languageOf = () => language;

export function changeLanguage() {
  language = language === "ko" ? "en" : "ko";
  keepChoice("language", language);
}

// A text with its arguments, in which nothing is replaced again.
export function phrase(name, ...values) {
  return strings[name][languages.indexOf(language)].replace(/\{([^|}]*)\|([^}]*)\}|%(\d)/gu, (_, one, many, place) => {
    if (place) return values[place - 1];
    return values[0] === 1 ? one : many.replace("%1", values[0]);
  });
}

// Fills in the words of the document.
export function fillWords(root) {
  root.documentElement.lang = language;
  const places = { words: (each, text) => (each.textContent = text) };
  for (const [name, attribute] of [["label", "aria-label"], ["placeholder", "placeholder"], ["title", "title"]]) {
    places[name] = (each, text) => each.setAttribute(attribute, text);
  }
  for (const [name, put] of Object.entries(places)) {
    for (const each of root.querySelectorAll(`[data-${name}]`)) put(each, phrase(each.dataset[name]));
  }
}
