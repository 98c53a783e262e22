// Puts the page together: events in, requests out.
import { API, Refusal, admit, enter } from "/api.js";
import { avatar, marksOf } from "/avatar.js";
import { takeCode } from "/code.js";
import { Composer } from "/composer.js";
import { Connection } from "/connection.js";
import { behindDialog, element, part, peerName } from "/elements.js";
import { later } from "/later.js";
import { Log } from "/log.js";
import { Model, take } from "/model.js";
import { Notices } from "/notices.js";
import { Outbox } from "/outbox.js";
import { drawConversations, drawPeople, roomSign, titleOf } from "/side.js";
import { fillWords, phrase } from "/strings.js";
import { clock, day, presenceOf, shortName, shownText } from "/text.js";
import { welcomeLines } from "/welcome.js";

const mostPause = 250;
const api = new API("");
const model = new Model();
// What comes when it is first needed is made once.
const made = new Map();
const makers = {
  closed: (module) => module,
  commands: ({ Commands }) => new Commands(api, model, { follow, changed: () => draw(["log"]) }),
  board: ({ Board }) => new Board(api, model),
  dialogs: (module) => module,
  emoji: ({ Picker }) => new Picker(part("picker")),
  entrance: (module) => module,
  language: (module) => module,
  menu: ({ Menu }) => new Menu(part("actions"), {
    gone: () => composer.tell(phrase("messageGone"), true),
    author: (conversation, message) => model.author(conversation, message),
    answer: (conversation, message) => answer(conversation, message),
    react: (conversation, message) => use("smalltalk", (small) => small.pick(conversation, message)),
    showReactions: (conversation, message) => use("smalltalk", (small) => small.showWho(conversation, message)),
    edit: (message) => composer.edit(message),
    remove,
    mark,
    showPerson,
    writeTo: (person) => use("people", (people) => people.message(person)),
    showText: (title, text) => use("dialogs", (dialogs) => dialogs.show(title, [element("p", "", text)])),
  }),
  people: ({ People }) => new People(api, model, { open, invite: (person) => use("rooms", (rooms) => rooms.invite(person)) }),
  requests: ({ Requests }) => new Requests(part("requests"), api, model, {
    attempt, follow, use, lead: (led) => composer.lead(led),
    changed: () => {
      draw(["list"]);
      composer.focus();
    },
  }),
  rooms: ({ RoomDialogs }) => new RoomDialogs(api, model, follow),
  screen: ({ Screen }) => new Screen(document.body),
  smalltalk: ({ SmallTalk }) => new SmallTalk(part("reply"), api, model, {
    attempt, use,
    row: ({ id }) => log.rows.get(id)?.element,
    reveal: (id) => log.reveal(id),
    field: () => (composer.edited || composer.held ? null : composer.shown),
    end: () => answer(composer.shown, null),
    gone: () => composer.tell(phrase("messageGone")),
  }),
  // A message that was found may be of another conversation than the one that is shown by now.
  search: ({ Search }) => new Search(api, model, (id, message) => {
    if (id !== model.active) open(id);
    drawParts();
    return log.reveal(message);
  }),
};

// Does something with a part that comes later. If it does not come, the node is gone: nothing is done, and the page says so.
async function use(name, action) {
  if (!made.has(name)) {
    let module;
    try {
      module = await later(name);
    } catch {
      showState(phrase("notReached"), true);
      return undefined;
    }
    if (!made.has(name)) made.set(name, makers[name](module));
    // The connection may have been told to be lost by an earlier try.
    connection?.tell();
  }
  return action(made.get(name));
}

// The result of a request; undefined for a refusal, which is told.
async function attempt(request) {
  try {
    return await request();
  } catch (error) {
    return use("dialogs", (dialogs) => dialogs.refuse(error));
  }
}

function showState(text, isLost) {
  part("state").textContent = text;
  part("state").classList.toggle("lost", isLost);
}

const outbox = new Outbox(api, {
  said: (id, message) => {
    model.conversations.get(id)?.messages.add(message);
    draw(["log"]);
  },
  changed: () => draw(["log"]),
});

const notices = new Notices({ icon: part("icon"), wish: part("notify"), sound: part("sound") }, {
  open,
  // What is there now is seen: the line stands in front of what comes while the page is hidden.
  hidden: () => {
    if (model.current) model.current.unreadFrom = null;
  },
});

const remove = (conversation, message) => attempt(() => api.delete(conversation.info.id, message.id));

// The conversation that is on the screen is that of the composer, whatever the node has open since the last frame.
const composer = new Composer({
  form: part("composer"), input: part("text"), rule: part("rule"), deleteButton: part("delete"), several: part("several"),
  offers: part("offers"), emoji: part("emoji"),
}, {
  send: (conversation, text) => {
    outbox.add(conversation.info.id, text, conversation.replyTo);
    conversation.replyTo = null;
    reviewReply();
    log.toEnd();
  },
  field: reviewReply,
  endAnswer: (conversation) => answer(conversation, null),
  command: async (conversation, line) => {
    const id = await use("commands", (commands) => commands.perform(conversation, line));
    // Without what performs it, the user has the line again.
    if (id === undefined) composer.insert(line);
    return id ?? null;
  },
  isKnown: ({ info }) => model.conversations.has(info.id),
  isThere: (conversation, message) => model.has(conversation, message),
  pickEmoji: (...picked) => use("emoji", (picker) => picker.toggle(...picked)),
  change: ({ info }, message, line) => attempt(() => api.edit(info.id, message.id, line)),
  remove,
  lastOwn: ({ messages }) => messages.all.findLast(({ kind, isFromCurrentUser }) => !kind && isFromCurrentUser),
  names: ({ info }) => model.here(info.roomId),
  commands: () => use("commands", (commands) => commands.all()),
  typing: ({ info }, on) => api.ask("PUT", `conversations/${info.id}/typing`, { on }).catch(() => {}),
});

// Makes the draft of a conversation an answer to one of its messages, or to none: at once, as the draft may be sent before the strip is
// drawn.
function answer(conversation, message) {
  if (composer.edited) composer.stopEditing();
  conversation.replyTo = message?.id ?? null;
  composer.input.focus();
  return use("smalltalk", (small) => small.review());
}

function reviewReply() {
  made.get("smalltalk")?.review();
}

let wanted = null;

// What draws quotes and reactions comes with the first of them.
function smallTalk(isNeeded) {
  if (isNeeded && !made.has("smalltalk")) {
    wanted ??= use("smalltalk", () => draw(["log"])).finally(() => {
      wanted = null;
    });
  }
  return made.get("smalltalk");
}

const log = new Log(part("log"), part("newer"), {
  unsent: ({ info }) => outbox.of(info.id),
  isHidden: ({ info }, message) => outbox.isCandidate(info.id, message),
  color: (who) => model.colorOf(who),
  author: ({ info }, message) => model.authorOf(info, message),
  person: ({ info }, { from }) => model.person(info, from),
  card: (id) => model.cards.get(id),
  welcome: ({ info }) => welcomeLines(info, model.me(info).self, model.nodes.get(info.roomId)),
  menu: (conversation, message, box) => use("menu", (menu) => menu.open(
    `${day(message.sentAt)}, ${clock(message.sentAt)}`, menu.itemsOf(conversation, message), box, () => model.has(conversation, message))),
  about: (conversation, message) => showPerson(model.author(conversation, message)),
  retry: ({ info }, text) => {
    outbox.retry(info.id, text);
    composer.focus();
  },
  use: (text) => {
    outbox.remove(text);
    composer.insert(text.line);
  },
  discard: (text) => {
    outbox.remove(text);
    composer.focus();
  },
  smallTalk,
});

const showPerson = (person) => use("people", (people) => people.show(person));
const mark = (person, name, isOn) => attempt(() => api.mark(person, name, isOn));

let connection = null;

function connect({ token, reload, shown }) {
  api.token = token;
  model.active = shown;
  composer.focus();
  connection = new Connection({ token, reload, view: api.view }, {
    state: showState,
    event: received,
    isStale: () => api.isStale(),
  });
}

function received(event) {
  const parts = take(model, event);
  if (parts.includes("again")) return connection.restart();
  if (event.event === "message") arrived(event);
  if (event.event === "request" && !event.snapshot) notices.tell(event.from, phrase("asksToTalk"));
  if (event.event === "invitation" && !event.there) notices.tell(event.from, phrase("invitesYou"));
  if (event.event === "direct" && event.state === "left") use("commands", (commands) => commands.left(event));
  draw(parts);
  if (["snapshot", "wiped"].includes(event.event) && model.isAnew) {
    outbox.forget();
    composer.forget();
    if (part("dialog-body").firstChild) use("dialogs", ({ forget }) => forget());
  }
  if (event.event === "snapshot" || event.event === "resumed") {
    tellView();
    outbox.sendAll();
  }
}

function arrived(message) {
  if (message.snapshot) return;
  const conversation = model.conversations.get(message.conversationId);
  const isOpen = conversation === model.current;
  if (isOpen) log.came();
  if (message.isFromCurrentUser) return outbox.record(conversation.info.id, message);
  if ((message.history && !message.missed) || !document.hidden) return;
  if (isOpen) conversation.unreadFrom ??= message.id;
  notices.arrived(message, isOpen);
}

// Rows under a press stay until it ends: a press on a row that is made anew would be lost.
let isPressed = false;
part("side").addEventListener("pointerdown", () => (isPressed = true));
for (const end of ["pointerup", "pointercancel", "blur"]) {
  addEventListener(end, () => {
    if (!isPressed) return;
    isPressed = false;
    draw(["list", "people"]);
  });
}

let due = new Set();
let lastDraw = { end: 0, time: 0 };

// Draws once for all events of a frame. A page that is hidden has no frames: its title and icon do not wait for one.
function draw(parts) {
  if (due.size === 0 && parts.length > 0) requestAnimationFrame(drawNow);
  for (const name of parts) due.add(name);
  if (document.hidden) notices.show(model.unread);
}

// While events come faster than they are drawn, most of the time is left for keys: behind a draw that took long comes a long pause.
function drawNow(now) {
  const pause = lastDraw.end + Math.min(mostPause, 4 * lastDraw.time) - now;
  if (pause > 0) return setTimeout(() => requestAnimationFrame(drawNow), pause);
  const begun = performance.now();
  drawParts();
  const end = performance.now();
  lastDraw = { end, time: end - begun };
}

function drawParts() {
  const parts = due;
  due = new Set();
  const has = (...names) => parts.has("all") || names.some((name) => parts.has(name));
  const { current } = model;
  if (has("list") && !isPressed) {
    drawConversations(part("conversations"), model, open);
    drawQuestions();
  }
  if (has("list")) {
    notices.show(model.unread);
    onScreen((screen) => screen.count(part("elsewhere"), model));
  }
  if (has("people") && !isPressed) drawPeople(part("people"), model, showPerson);
  if (has("title")) drawTitle(current?.info);
  if (has()) composer.show(current);
  if (current && model.ended.length > 0) use("closed", ({ keepTexts }) => keepTexts(model, outbox));
  if (has("log") && current) log.show(current);
  else if (has()) log.clear();
  for (const name of ["board", "menu", "smalltalk"]) made.get(name)?.review();
  composer.review();
}

// Requests and invitations.
function drawQuestions() {
  const hasSome = model.requests.size + model.invitations.size > 0;
  part("requests-part").hidden = !hasSome;
  // Their texts go at once.
  if (!hasSome) part("requests").replaceChildren();
  else use("requests", (requests) => !isPressed && requests.draw());
}

function drawTitle(info) {
  const me = info && model.me(info);
  const away = me?.state !== "away" ? "" : me.reason ? phrase("awayFor", shownText(me.reason)) : phrase("away");
  part("face").replaceChildren(...(me ? [avatar(me.self, "me")] : []));
  part("me").replaceChildren(...(me ? [peerName(me.self), element("bdi", "", away)] : []));
  const title = !info ? [] : info.with ? [faceOf(info), peerName(info.with)] : [roomSign(info), element("bdi", "", titleOf(info))];
  part("title").replaceChildren(...title);
  part("presence").textContent = info ? presence(info) : "";
  part("board").hidden = part("room").hidden = info?.kind !== "room";
  const cards = info ? model.cardsIn(info.roomId).length : 0;
  part("board").lastChild.textContent = cards;
  part("board").lastChild.hidden = cards === 0;
  part("with").hidden = info?.kind !== "direct";
  const names = (info?.typing ?? []).map(shortName);
  part("typing").textContent = typingWords(names);
}

// The picture of the peer of a direct conversation.
const faceOf = (info) => avatar(info.with, model.colorOf(info.with), marksOf(info.with, model.person(info, info.with)));

function typingWords(names) {
  if (names.length === 0) return "";
  const few = names.slice(0, 3).join(", ");
  if (names.length === 1) return phrase("typesOne", few);
  return phrase("typeSeveral", names.length > 3 ? phrase("typingMore", few, names.length - 3) : few);
}

// Who is here, in a line below the title.
function presence(info) {
  if (info.kind === "direct") return presenceOf(model.person(info, info.with) ?? { state: "offline" });
  return info.online === 0 ? phrase("nobodyHere") : phrase("here", info.online + 1);
}

// Shows a conversation in this page alone.
function open(id) {
  onScreen((screen) => screen.showConversation());
  if (model.conversations.has(id)) follow({ shown: id });
}

// Shows the conversation that a command of this page opened, by its answer.
function follow({ shown }) {
  if (!shown) return;
  made.get("menu")?.close();
  model.open(shown);
  draw(["all"]);
  tellView();
  behindDialog(() => composer.focus());
}

let told = Promise.resolve();

// Tells the node what this page shows, so that it is read: one after the other, and again with each WebSocket.
function tellView() {
  told = told.then(() => api.show(model.active)).catch(() => {});
}

const actions = {
  menu: () => onScreen((screen) => screen.showLists()),
  board: () => use("board", (board) => board.open(composer.shown)),
  room: () => use("rooms", (rooms) => rooms.about(composer.shown.info)),
  with: () => showPerson(model.author(composer.shown, { from: composer.shown.info.with })),
  search: () => composer.shown && use("search", (search) => search.ask(composer.shown.info)),
  rename: () => use("rooms", (rooms) => rooms.rename(composer.shown?.info.room)),
  join: () => use("rooms", (rooms) => rooms.join()),
  make: () => use("rooms", (rooms) => rooms.make()),
  wipe: () => use("rooms", (rooms) => rooms.wipe()),
  language: () => use("language", ({ change }) => change({ menu: made.get("menu"), model, log }, () => {
    made.get("commands")?.forget();
    composer.translate();
    connection?.tell();
    draw(["all"]);
  })).catch(() => showState(phrase("notReached"), true)),
};
fillWords(document);
for (const [id, action] of Object.entries(actions)) part(id).addEventListener("click", action);
addEventListener("online", () => outbox.sendAll());

// Another screen shows the whole page.
const screens = matchMedia("(max-width: 44rem), (any-pointer: coarse)");
const onScreen = (action) => screens.matches && use("screen", action);
const fitScreen = () => onScreen(() => {});
fitScreen();
screens.addEventListener("change", () => {
  fitScreen();
  if (model.current) draw(["list"]);
});
const admission = await enter();
if (admission.token) connect(admission);
else await refuse(admission.problem);

async function refuse(problem) {
  showState(phrase("notConnected"), true);
  await use("entrance", (entrance) => entrance.show(problem, connect));
}

// A link that is opened in the tab of a page changes only the part behind #. A page that is let in goes on, and the link stays good.
addEventListener("hashchange", async () => {
  const code = takeCode();
  onScreen((screen) => screen.begin());
  if (!code || (connection && !connection.isLost)) return;
  try {
    await admit(code);
    location.reload();
  } catch (error) {
    if (!connection) await refuse(error instanceof Refusal && !error.isPassing ? "used" : "lost");
  }
});
