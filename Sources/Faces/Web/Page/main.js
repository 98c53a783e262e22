// Puts the page together: events in, requests out.
import { API, takeToken } from "/api.js";
import { Composer } from "/composer.js";
import { Connection } from "/connection.js";
import * as dialogs from "/dialogs.js";
import { element, part } from "/elements.js";
import { Log } from "/log.js";
import { Model, take } from "/model.js";
import { Notices } from "/notices.js";
import { Outbox } from "/outbox.js";
import { showPerson } from "/people.js";
import { RoomDialogs } from "/rooms.js";
import { drawConversations, drawPeople, drawRequests, titleOf } from "/side.js";

const { attempt } = dialogs;
const token = takeToken();
const api = new API(token);
const model = new Model();
const rooms = new RoomDialogs(api, model);

const outbox = new Outbox(api, {
  said: (id, message) => {
    model.conversations.get(id)?.messages.add(message);
    draw(["log"]);
  },
  changed: () => draw(["log"]),
});

const notices = new Notices(part("icon"), part("notify"), {
  open,
  // What is there now is seen: the line stands in front of what comes while the page is hidden.
  hidden: () => {
    if (model.current) model.current.unreadFrom = null;
  },
});

const remove = (message) => attempt(() => api.delete(model.active, message.id));

const composer = new Composer({ form: part("composer"), input: part("text"), rule: part("rule"), deleteButton: part("delete") }, {
  send: (text) => outbox.add(model.active, text),
  change: (message, text) => attempt(() => api.edit(model.active, message.id, text)),
  remove,
  lastOwn: () => model.current?.messages.all.findLast((message) => message.isFromCurrentUser),
  typing: (on) => api.ask("PUT", `conversations/${model.active}/typing`, { on }).catch(() => {}),
});

const log = new Log(part("log"), part("newer"), {
  older: loadOlder,
  unsent: ({ info }) => outbox.of(info.id),
  isHidden: ({ info }, message) => outbox.isCandidate(info.id, message),
  color: (key) => model.colors.of(key),
  edit: (message) => composer.edit(message),
  remove,
  retry: (text) => outbox.retry(model.active, text),
  discard: (text) => outbox.remove(model.active, text),
});

const connection = new Connection(token, {
  state: (text, isLost) => {
    part("state").textContent = text;
    part("state").classList.toggle("lost", isLost);
  },
  event: received,
  isStale: () => api.isStale(),
});

async function received(event) {
  const parts = take(model, event);
  if (parts.includes("again")) return connection.restart();
  if (event.event === "message") arrived(event);
  if (event.event === "request") notices.tell(event.from, "asks to talk to you");
  if (event.event === "invitation" && !event.there) notices.tell(event.from, "invites you to a room");
  draw(parts);
  if (event.event === "snapshot") outbox.keep(new Set(model.conversations.keys()));
  if (event.event === "snapshot" || event.event === "resumed") outbox.sendAll();
  if (event.event === "snapshot") {
    const { invitations } = model;
    const listed = (await rooms.list())?.invitations ?? [];
    // A later snapshot has asked for itself.
    if (model.invitations !== invitations) return;
    model.invite(listed);
    draw(["list"]);
  }
}

function arrived(message) {
  const conversation = model.conversation(message);
  const isOpen = conversation === model.current;
  if (isOpen) log.came();
  if (message.isFromCurrentUser) return outbox.note(conversation.info.id, message);
  if (message.history || !document.hidden) return;
  if (isOpen) conversation.unreadFrom ??= message.id;
  notices.arrived({ ...message, conversationId: conversation.info.id }, isOpen, model.me(conversation));
}

async function loadOlder(conversation) {
  const { messages } = conversation;
  if (messages.isFull) return;
  try {
    const page = await api.before(conversation.info.id, messages.all[0].id);
    messages.merge(page.messages);
    conversation.hasMore = page.previous !== null;
  } catch {
    // The node has forgotten the place, or is not reached: a new snapshot asks again.
    conversation.hasMore = false;
  }
}

let due = new Set();

// Draws once for all events of a frame.
function draw(parts) {
  if (due.size === 0 && parts.length > 0) requestAnimationFrame(drawNow);
  for (const name of parts) due.add(name);
}

function drawNow() {
  const parts = due;
  due = new Set();
  const has = (...names) => parts.has("all") || names.some((name) => parts.has(name));
  const { current } = model;
  if (has("list")) {
    drawConversations(part("conversations"), model, open);
    drawRequests(part("requests-part"), part("requests"), model, {
      answer: (request, accept) => attempt(() => api.ask("POST", `rooms/${request.roomId}/requests/${request.key}`, { accept })),
      join: (invitation) => rooms.accept(invitation),
      hide: (invitation) => {
        model.hide(invitation);
        draw(["list"]);
      },
    });
    notices.show(model.unread);
  }
  if (has("people")) drawPeople(part("people"), model, choose);
  if (has("title")) drawTitle(current);
  if (has()) composer.show(current);
  if (has("log") && current) log.show(current);
  if (has("typing", "log")) drawTyping(current);
}

function drawTitle(current) {
  part("me").textContent = model.me(current)?.displayName ?? "";
  const isRoom = current?.info.kind === "room";
  part("title").textContent = isRoom ? `${titleOf(current.info)} · ${current.info.online} online` : current?.info.title ?? "";
  part("room").hidden = !isRoom;
}

function drawTyping(current) {
  const names = [...(current?.typing.values() ?? [])].map((who) => who.displayName);
  const verb = names.length > 1 ? "are" : "is";
  const others = names.length > 3 ? ` and ${names.length - 3} more` : "";
  part("typing").textContent = names.length > 0 ? `${names.slice(0, 3).join(", ")}${others} ${verb} typing` : "";
}

async function open(id) {
  list(false);
  await attempt(() => api.ask("PUT", `conversations/${id}/active`, { active: true }));
}

// On a narrow screen, the lists or the conversation show.
function list(isListing) {
  document.body.classList.toggle("listing", isListing);
  part("menu").setAttribute("aria-expanded", `${isListing}`);
}

function choose(person) {
  showPerson(api, person, { invite: (who) => rooms.invite(who), changed: () => draw(["people"]) });
}

function rename() {
  dialogs.ask("Your name", ["Name"], async (name) => {
    if (await rooms.command(`/nick ${name}`, model.current?.info.room)) connection.restart();
  });
}

function wipe() {
  const words = "All messages, people and rooms of this run are erased, and you get another identity.";
  dialogs.show("Forget everything?", [element("p", "", words)], [["Wipe", () => rooms.command("/wipe yes")]]);
}

const actions = {
  menu: () => list(!document.body.classList.contains("listing")),
  room: () => rooms.about(model.current.info),
  rename,
  join: () => rooms.join(),
  make: () => rooms.make(),
  wipe,
};
for (const [id, action] of Object.entries(actions)) part(id).addEventListener("click", action);
addEventListener("online", () => outbox.sendAll());
