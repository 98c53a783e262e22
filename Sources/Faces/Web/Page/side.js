// The lists on the left: conversations, and the people of the room that is shown.
import { avatar, drawing, marksOf } from "/avatar.js";
import { button, element, peerName } from "/elements.js";
import { phrase } from "/strings.js";
import { clock, shownText } from "/text.js";

// So many rows of a list show before it is unfolded, and never more than so many people.
const mostFolded = 12;
const mostPeople = 200;
const order = { online: 0, away: 1, offline: 2 };
const stateWords = { online: "online", away: "awayState", offline: "offline" };

// A room that bridges carry to other networks has the mark of the terminal's prompt.
export const titleOf = (info) => shownText(info.kind === "room" && info.bridged ? `${info.title} ⇄` : info.title);

// What stands in front of a room's name: a lock, or the sign of an open room.
export function roomSign({ private: isPrivate }) {
  const sign = element("span", "room-sign", isPrivate ? undefined : "#");
  if (!isPrivate) sign.setAttribute("aria-hidden", "true");
  if (!isPrivate) return sign;
  const lock = drawing("svg", { viewBox: "0 0 24 24", role: "img", "aria-label": phrase("private") });
  lock.append(drawing("path", { d: "M6 11h12v9H6z M8.5 11V8a3.5 3.5 0 0 1 7 0v3" }));
  sign.append(lock);
  return sign;
}

// How many messages are unread, and whether one of them names the user.
export function fillBadge(badge, { unread, mentions }) {
  badge.hidden = unread === 0;
  badge.textContent = `${mentions > 0 ? "@" : ""}${unread}`;
  badge.setAttribute("aria-label", phrase(mentions > 0 ? "unreadNamed" : "unread", unread));
  return badge;
}

export function drawConversations(root, model, open) {
  // A peer that asks for one is among the requests.
  const shown = [...model.conversations.values()].filter(({ info }) => !model.requests.has(info.id) || info.id === model.active);
  const rows = shown.map((conversation) => ({
    isKept: conversation.info.id === model.active || conversation.info.unread > 0,
    make: () => conversationRow(model, conversation, open),
  }));
  replace(root, folded(model, "conversations", rows, () => drawConversations(root, model, open)));
}

function conversationRow(model, { info, messages }, open) {
  const latest = messages.lastMessage;
  const row = button("", () => open(info.id));
  row.className = "row";
  row.dataset.id = info.id;
  row.setAttribute("aria-current", info.id === model.active);
  const name = element("span", "name");
  name.append(info.with ? peerName(info.with) : element("bdi", "room-name", titleOf(info)));
  const right = element("span", "quiet", latest ? clock(latest.sentAt) : "");
  if (info.unread > 0) right.append(" ", fillBadge(element("span", "badge"), info));
  name.append(right);
  const last = element("span", "last", latest ? undefined : phrase("nothingSaid"));
  if (latest) last.append(...latestWords(model, info, latest));
  const face = info.with ? avatar(info.with, model.colorOf(info.with), marksOf(info.with, model.person(info, info.with))) : roomSign(info);
  row.append(face, name, last);
  return row;
}

// The author and the text of a conversation's last message. Of two people the peer needs no name.
function latestWords(model, info, latest) {
  const { action, isFromCurrentUser } = latest;
  const words = shownText(action ?? latest.text);
  if (info.with && !action && !isFromCurrentUser) return [element("bdi", "words", words)];
  const author = isFromCurrentUser && !action ? element("span", "", phrase("you")) : peerName(model.authorOf(info, latest));
  return [author, element("bdi", "words", action ? `\u00a0${words}` : `: ${words}`)];
}

// The people of the room that is shown, those who are here first.
export function drawPeople(root, model, choose) {
  const { roomId } = model.current?.info ?? {};
  const people = model.peopleIn(roomId).sort((a, b) =>
    order[a.state] - order[b.state] || a.who.displayName.localeCompare(b.who.displayName));
  const rows = people.slice(0, mostPeople).map((person) => ({ isKept: false, make: () => personRow(model, person, choose) }));
  const shown = folded(model, "people", rows, () => drawPeople(root, model, choose));
  const more = Math.max(0, people.length - mostPeople) + model.unlisted(roomId);
  if (more > 0) shown.push(element("p", "quiet", phrase("andMore", more)));
  if (shown.length === 0) shown.push(element("p", "quiet", phrase("nobodyYet")));
  replace(root, shown);
}

function personRow(model, person, choose) {
  const row = button("", () => choose(person));
  row.className = `row person ${person.state}`;
  row.dataset.key = person.who.key;
  row.dataset.room = person.room;
  const marks = ["verified", "muted", "blocked"].filter((mark) => person[mark]);
  const place = person.elsewhere && person.state !== "offline" && "elsewhere";
  const words = [stateWords[person.state], place, ...marks].filter(Boolean).map((name) => phrase(name)).join(", ");
  // Most are simply here, which needs no words for those who see the list.
  const last = element("span", words === phrase("online") && !person.reason ? "last unseen" : "last");
  // The peer's own words come last, and are set apart: they could read as a mark.
  last.append(element("span", "", words));
  if (person.reason) last.append(element("bdi", "words", `: ${shownText(person.reason)}`));
  const name = element("span", `name ${model.colorOf(person.who)}`);
  name.append(peerName(person.who));
  row.append(avatar(person.who, model.colorOf(person.who), marksOf(person.who, person)), name, last);
  return row;
}

// The first rows of a list, those that are always shown, and a button for the others.
// - rows: each {isKept, make()}.
function folded(model, list, rows, redraw) {
  if (rows.length <= mostFolded + 1) return rows.map(({ make }) => make());
  const isWhole = model.unfolded.has(list);
  const shown = rows.filter(({ isKept }, place) => isWhole || isKept || place < mostFolded);
  const fold = button(isWhole ? phrase("showFewer") : phrase("showMore", rows.length - shown.length), () => {
    if (isWhole) model.unfolded.delete(list);
    else model.unfolded.add(list);
    redraw();
  });
  fold.className = "plain fold";
  fold.dataset.fold = list;
  fold.setAttribute("aria-expanded", `${isWhole}`);
  return [...shown.map(({ make }) => make()), fold];
}

// Replaces the rows of a list; the focus stays on the button of the same row.
export function replace(root, rows) {
  const focused = root.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  root.replaceChildren(...rows.map((row) => {
    const item = element("li");
    item.append(row);
    return item;
  }));
  if (focused) [...root.querySelectorAll("button")].find((row) => nameOf(row) === focused)?.focus({ preventScroll: true });
}

const nameOf = (row) =>
  row.dataset.id ?? row.dataset.fold ?? (row.dataset.key && `${row.dataset.room} ${row.dataset.key}`) ?? row.getAttribute("aria-label");
