// Puts the page together: events in, requests out.
import { API, Refusal, enter } from "/api.js";
import { avatar } from "/avatar.js";
import { Composer } from "/composer.js";
import { Connection } from "/connection.js";
import * as dialogs from "/dialogs.js";
import { element, part, peerName } from "/elements.js";
import { Picker } from "/emoji.js";
import { showEntrance } from "/entrance.js";
import { Log } from "/log.js";
import { Menu } from "/menu.js";
import { Model, keepAnswer, take } from "/model.js";
import { Notices } from "/notices.js";
import { Outbox } from "/outbox.js";
import { People, presenceOf } from "/people.js";
import { RoomDialogs } from "/rooms.js";
import { Screen } from "/screen.js";
import { Search } from "/search.js";
import { drawConversations, drawPeople, drawRequests, fillBadge, roomSign, titleOf } from "/side.js";
import { changeLanguage, fillWords, phrase } from "/strings.js";
import { clock, day, shortName } from "/text.js";
import { welcomeLines } from "/welcome.js";

// A link that is opened in the tab of a page changes only the part behind #.
addEventListener("hashchange", () => location.reload());

const { attempt } = dialogs;
const mostPause = 250;
const api = new API("");
const model = new Model();
const rooms = new RoomDialogs(api, model, follow);
const people = new People(api, model, { open, invite: (person) => rooms.invite(person) });
const menu = new Menu(part("actions"));

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
  offers: part("offers"), emoji: part("emoji"), picker: new Picker(part("picker")),
}, {
  send: ({ info }, text) => {
    outbox.add(info.id, text);
    log.toEnd();
  },
  command: perform,
  isKnown: ({ info }) => model.conversations.has(info.id),
  change: ({ info }, message, text) => attempt(() => api.edit(info.id, message.id, text)),
  remove,
  lastOwn: ({ messages }) => messages.all.findLast((message) => message.isFromCurrentUser),
  names: ({ info }) => model.here(info.roomId),
  commands,
  typing: ({ info }, on) => api.ask("PUT", `conversations/${info.id}/typing`, { on }).catch(() => {}),
});

let known = null;

// The commands of the node: {usage, does}.
function commands() {
  known ??= api.perform({ command: "help" }).then(({ reports }) => reports[0].commands).catch(() => {
    known = null;
    return [];
  });
  return known;
}

const log = new Log(part("log"), part("newer"), {
  unsent: ({ info }) => outbox.of(info.id),
  isHidden: ({ info }, message) => outbox.isCandidate(info.id, message),
  color: (who) => model.colorOf(who),
  author: ({ info }, message) => model.authorOf(info, message),
  person: ({ info }, { from }) => model.person(info, from),
  welcome: ({ info }) => welcomeLines(info, model.me(info).self, model.nodes.get(info.roomId)),
  menu: (conversation, message, box) => menu.open(`${day(message.sentAt)}, ${clock(message.sentAt)}`, actionsOf(conversation, message), box),
  about: (conversation, message) => people.show(people.author(conversation, message)),
  retry: ({ info }, text) => outbox.retry(info.id, text),
  discard: ({ info }, text) => outbox.remove(info.id, text),
});

// What can be done with a message, and with its author.
function actionsOf(conversation, message) {
  const copy = [phrase("copyText"), () => navigator.clipboard.writeText(message.text).catch(() => dialogs.show(phrase("notCopied"), [element("p", "", message.text)]))];
  if (message.isFromCurrentUser) {
    return [copy, [phrase("edit"), () => composer.edit(message)], [phrase("delete"), () => remove(conversation, message), true]];
  }
  const person = people.author(conversation, message);
  const name = shortName(person.who);
  const isDirect = conversation.info.kind === "direct";
  return [
    copy,
    ...(isDirect ? [] : [[phrase("privately"), () => people.message(person)]]),
    [phrase("about", name), () => people.show(person)],
    [phrase(person.muted ? "unmuteWho" : "muteWho", name), () => people.mark(person, "mute", !person.muted)],
    [phrase(person.blocked ? "unblockWho" : "blockWho", name), () => people.mark(person, "block", !person.blocked), !person.blocked],
  ];
}

// A message that was found may be of another conversation than the one that is shown by now.
const search = new Search(api, model, (id, message) => {
  if (id !== model.active) open(id);
  drawParts();
  log.reveal(message);
});

let connection = null;

function connect({ token, reload, shown }) {
  api.token = token;
  model.active = shown;
  composer.focus();
  connection = new Connection({ token, reload, view: api.view }, {
    state: (text, isLost) => {
      part("state").textContent = text;
      part("state").classList.toggle("lost", isLost);
    },
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
  draw(parts);
  if (event.event === "snapshot") outbox.keep(new Set(model.conversations.keys()));
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

// Performs a command that was typed in a conversation. The answer is shown to this page alone; of the command only the name, as a key may
// stand behind it.
async function perform(conversation, line) {
  const name = line.split(/\s/u, 1)[0];
  let [texts, isBad] = [[], false];
  try {
    const answer = await api.perform({ line, conversation: conversation.info.id });
    texts = answer.text;
    follow(answer);
  } catch (error) {
    texts = [error instanceof Refusal ? error.message : phrase("notReached")];
    isBad = true;
  }
  const shown = model.conversations.get(conversation.info.id) ?? model.current;
  if (shown) {
    keepAnswer(shown, [`> ${name}`, ...texts], isBad);
    draw(["log"]);
  }
  return model.active;
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
    drawRequests(part("requests-part"), part("requests"), model, {
      answer: async ({ conversationId, roomId, from }, accept) => {
        const answer = await attempt(() => api.ask("POST", `rooms/${roomId}/requests/${from.key}`, { accept }));
        if (accept && answer !== undefined) follow({ shown: conversationId });
      },
      join: (invitation) => rooms.accept(invitation),
      hide: (invitation) => {
        model.hide(invitation);
        draw(["list"]);
      },
    });
  }
  if (has("list")) {
    notices.show(model.unread);
    fillBadge(part("elsewhere"), unreadElsewhere());
  }
  if (has("people") && !isPressed) drawPeople(part("people"), model, (person) => people.show(person));
  if (has("title")) drawTitle(current?.info);
  if (has()) composer.show(current);
  if (has("log") && current) log.show(current);
}

function drawTitle(info) {
  const me = info && model.me(info);
  const away = me?.state !== "away" ? "" : me.reason ? phrase("awayFor", me.reason) : phrase("away");
  part("face").replaceChildren(...(me ? [avatar(me.self, "me")] : []));
  part("me").replaceChildren(...(me ? [peerName(me.self), element("bdi", "", away)] : []));
  if (info) part("title").replaceChildren(...(info.with ? [peerName(info.with)] : [roomSign(info), element("bdi", "", titleOf(info))]));
  part("presence").textContent = info ? presence(info) : "";
  part("room").hidden = info?.kind !== "room";
  const names = (info?.typing ?? []).map(shortName);
  part("typing").textContent = typingWords(names);
}

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

// Of a narrow screen, which does not show the lists beside a conversation.
function unreadElsewhere() {
  const others = [...model.conversations.values()].filter((conversation) => conversation !== model.current).map(({ info }) => info);
  const sum = (name) => others.reduce((all, info) => all + info[name], 0);
  return { unread: sum("unread") + model.requests.size + model.invitations.size, mentions: sum("mentions") };
}

// Shows a conversation in this page alone.
function open(id) {
  screen.showConversation();
  if (model.conversations.has(id)) follow({ shown: id });
}

// Shows the conversation that a command of this page opened, by its answer.
function follow({ shown }) {
  if (!shown) return;
  menu.close();
  model.open(shown);
  draw(["all"]);
  tellView();
  dialogs.afterwards(() => composer.focus());
}

let told = Promise.resolve();

// Tells the node what this page shows, so that it is read: one after the other, and again with each WebSocket.
function tellView() {
  told = told.then(() => api.show(model.active)).catch(() => {});
}

function rename() {
  const room = composer.shown?.info.room;
  const fault = (name) => (name === "" ? phrase("nameFault") : null);
  dialogs.ask(phrase("yourName"), [phrase("name")], (name) => rooms.command("nick", { name }, room), { fault });
}

function wipe() {
  dialogs.show(phrase("wipeQuestion"), [element("p", "", phrase("wipeText"))], [
    [phrase("wipe"), () => rooms.command("wipe", { yes: true }), true],
    [phrase("wipeNow"), () => rooms.command("wipe", { yes: true, now: true }), true]], { isHarmful: true });
}

const actions = {
  menu: () => screen.showLists(),
  room: () => rooms.about(composer.shown.info),
  search: () => composer.shown && search.ask(composer.shown.info),
  rename,
  join: () => rooms.join(),
  make: () => rooms.make(),
  wipe,
  language: () => {
    changeLanguage();
    fillWords(document);
    connection?.tell();
    for (const { messages } of model.conversations.values()) for (const row of messages.all) row.day = undefined;
    log.forget();
    draw(["all"]);
  },
};
fillWords(document);
for (const [id, action] of Object.entries(actions)) part(id).addEventListener("click", action);
addEventListener("online", () => outbox.sendAll());

const entering = enter();
// Behind the first step of `enter`, which takes the code of the link out of the address: no entry of the history has it.
const screen = new Screen(document.body);
const admission = await entering;
if (admission.token) connect(admission);
else showEntrance(admission.problem, connect);
