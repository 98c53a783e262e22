// Puts the page together: events in, requests out.
import { API, Refusal, takeToken } from "/api.js";
import { Composer } from "/composer.js";
import { Connection } from "/connection.js";
import * as dialogs from "/dialogs.js";
import { element, Log } from "/log.js";
import { Model, take } from "/model.js";
import { drawConversations, drawPeople, drawRequests } from "/side.js";

const part = (id) => document.getElementById(id);
const token = takeToken();
const api = new API(token);
const model = new Model();
const log = new Log(part("log"), part("newer"), {
  older: async (conversation) => {
    const page = await api.before(conversation.info.id, conversation.messages.all[0].id);
    conversation.messages.merge(page.messages);
    conversation.hasMore = page.previous !== null;
  },
  edit: (message) => composer.edit(message),
  remove: (message) => attempt(() => api.ask("DELETE", `conversations/${model.active}/messages/${message.id}`)),
});
const composer = new Composer(part("composer"), part("text"), part("rule"), {
  send,
  change: (message, text) => attempt(() => api.ask("PATCH", `conversations/${model.active}/messages/${message.id}`, { text })),
  lastOwn: () => model.current?.messages.all.findLast((message) => message.isFromCurrentUser),
  typing: (on) => api.ask("PUT", `conversations/${model.active}/typing`, { on }).catch(() => {}),
});
const connection = new Connection(token, {
  state: (text, isLost) => {
    part("state").textContent = text;
    part("state").classList.toggle("lost", isLost);
  },
  event: (event) => {
    if (event.event === "error") dialogs.tell("Refused", event.message);
    const parts = take(model, event);
    if (parts.includes("again")) return again();
    if (event.event === "message") arrived(event);
    draw(parts);
    if (event.event === "snapshot" || event.event === "resumed") resend();
  },
});

// Asks for a new snapshot: the socket comes back without the place where it was.
function again() {
  connection.last = null;
  connection.tries = 0;
  connection.socket.onclose = () => connection.open();
  connection.socket.close();
}

async function attempt(request) {
  try {
    return await request();
  } catch (error) {
    dialogs.tell("Not done", error instanceof Refusal ? error.message : "the node is not reached");
  }
}

let isDue = new Set();

// Draws once for all events of a frame.
function draw(parts) {
  if (parts.length === 0) return;
  if (isDue.size === 0) requestAnimationFrame(() => drawNow());
  for (const name of parts) isDue.add(name);
}

function drawNow() {
  const parts = isDue;
  isDue = new Set();
  const has = (name) => parts.has(name) || parts.has("all");
  const current = model.current;
  if (has("list")) {
    drawConversations(part("conversations"), model, open);
    drawRequests(part("requests-part"), part("requests"), model, answer);
    const unread = model.unread;
    document.title = unread ? `(${unread}) Earshot` : "Earshot";
    part("icon").href = unread ? "/icon-unread.svg" : "/icon.svg";
  }
  if (has("people")) drawPeople(part("people"), model, choose);
  if (has("all")) {
    part("me").textContent = model.rooms.get(current?.info.room)?.self.displayName ?? "";
    part("title").textContent = current ? titleOf(current.info) : "";
    composer.show(current);
  }
  if (has("log") && current) log.show(current);
  if (has("typing") || has("log")) {
    const names = [...(current?.typing.values() ?? [])].map((who) => who.displayName);
    part("typing").textContent = names.length ? `${names.slice(0, 3).join(", ")} ${names.length > 1 ? "are" : "is"} typing` : "";
  }
}

const titleOf = (info) => (info.kind === "room" ? `${info.title} · ${info.online} online` : info.title);

async function open(id) {
  document.body.classList.remove("listing");
  part("menu").setAttribute("aria-expanded", "false");
  // The line over new messages stays while their conversation is open.
  if (model.current && id !== model.active) model.current.unreadFrom = null;
  await attempt(() => api.ask("PUT", `conversations/${id}/active`, { active: true }));
}

const answer = (request, accept) => attempt(() => api.ask("POST", `requests/${request.key}`, { accept }));

// A text stays in the list until its message has come; it is sent again, once, when the node is reached again.
async function send(text) {
  const conversation = model.current;
  const pending = { key: crypto.randomUUID(), text, state: "waiting" };
  conversation.pending.push(pending);
  draw(["log"]);
  await post(conversation, pending);
}

async function post(conversation, pending) {
  // A text whose request is under way is not sent a second time.
  if (pending.state !== "waiting") return;
  pending.state = "sending";
  try {
    const message = await api.say(conversation.info.id, pending.text, pending.key);
    conversation.pending.splice(conversation.pending.indexOf(pending), 1);
    conversation.messages.add(message);
  } catch (error) {
    if (error instanceof Refusal) Object.assign(pending, { state: "refused", reason: error.message });
    else pending.state = "waiting";
  }
  draw(["log", "list"]);
}

function resend() {
  for (const conversation of model.conversations.values()) {
    for (const pending of [...conversation.pending]) post(conversation, pending);
  }
}

function arrived(message) {
  if (message.conversationId === model.active) log.came();
  const me = model.rooms.get(message.room)?.self.nickname ?? "";
  const isForUs = message.conversation === "direct" || (me && message.text.includes(me));
  if (message.isFromCurrentUser || message.history || !isForUs || !document.hidden) return;
  if (Notification.permission === "granted") new Notification(message.from.displayName, { body: "said something to you" });
}

function choose(person) {
  const who = person.who;
  const mark = (name, isOn) => attempt(async () => {
    await api.ask(isOn ? "PUT" : "DELETE", `people/${who.key}/${name}`);
    person[{ mute: "muted", block: "blocked", verified: "verified" }[name]] = isOn;
    draw(["people"]);
  });
  const rows = [element("p", "quiet", `${person.state} in ${person.room}`)];
  dialogs.show(who.displayName, rows, [
    ["Direct message", () => dialogs.ask(`To ${who.displayName}`, ["Message"], (text) =>
      attempt(() => api.ask("POST", "direct", { to: who.key, text })))],
    ["Verify", () => verify(person, mark)],
    [person.muted ? "Unmute" : "Mute", () => mark("mute", !person.muted)],
    [person.blocked ? "Unblock" : "Block", () => mark("block", !person.blocked)],
    ["Invite to another room", () => dialogs.ask("Invite", ["Room"], (room) => command(`/invite #${who.number} ${room}`, person.room))],
  ]);
}

async function verify(person, mark) {
  const whole = await attempt(() => api.ask("GET", `people/${person.who.key}`));
  if (!whole) return;
  const picture = await api.ask("GET", `people/${person.who.key}/code.svg`).catch(() => null);
  const code = element("div", "picture");
  if (picture) code.append(document.adoptNode(new DOMParser().parseFromString(picture, "image/svg+xml").documentElement));
  code.firstChild?.setAttribute("role", "img");
  code.firstChild?.setAttribute("aria-label", "the digits as a QR code");
  dialogs.show(`Is this ${person.who.displayName}?`, [
    element("p", "", "Compare these digits with the other user, by voice or side by side. They are equal at both."),
    element("p", "code", whole.code),
    code,
  ], [["They are equal", () => mark("verified", true)], ["They differ", () => mark("verified", false)]]);
}

async function command(line, room) {
  const reports = await attempt(() => api.command(line, room));
  const made = reports?.find((report) => report.command === "room");
  if (made) dialogs.show("The key of the room", [
    element("p", "", "All who have it can join. Give it only to them."), element("p", "key", made.key)], []);
  return reports;
}

addEventListener("online", resend);
part("rename").addEventListener("click", () => dialogs.ask("Your name", ["Name"], async (name) => {
  if (await command(`/nick ${name}`, model.current?.info.room)) again();
}));
part("join").addEventListener("click", () => dialogs.ask("Join a room", ["Name", "Key (empty for an open room)"], (name, key) =>
  command(key ? `/join ${quoted(name)} ${key}` : `/join ${quoted(name)}`)));
part("make").addEventListener("click", () => dialogs.ask("Make a private room", ["Name"], (name) => command(`/room new ${name}`)));
part("wipe").addEventListener("click", () => dialogs.show("Forget everything?", [
  element("p", "", "All messages, people and rooms of this run are erased, and you get another identity."),
], [["Wipe", () => command("/wipe yes")]]));
part("menu").addEventListener("click", () => {
  const isListing = document.body.classList.toggle("listing");
  part("menu").setAttribute("aria-expanded", `${isListing}`);
});
part("notify").hidden = !("Notification" in window) || Notification.permission !== "default";
part("notify").addEventListener("click", async () => {
  await Notification.requestPermission();
  part("notify").hidden = true;
});

const quoted = (name) => (name.includes(" ") ? `"${name}"` : name);
