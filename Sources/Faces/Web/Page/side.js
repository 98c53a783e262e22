// The lists on the left: conversations, requests and invitations, people.
import { button, element, peerName } from "/elements.js";
import { clock } from "/text.js";

const mostShown = 200;
const order = { online: 0, away: 1, offline: 2 };

// A room that bridges carry to other networks has the mark of the terminal's prompt.
export const titleOf = (info) => (info.kind === "room" && info.bridged ? `${info.title} ⇄` : info.title);

export function drawConversations(root, model, open) {
  replace(root, [...model.conversations.values()].map((conversation) => {
    const { info, messages } = conversation;
    const latest = messages.lastMessage;
    const row = button("", () => open(info.id));
    row.className = "row";
    row.dataset.id = info.id;
    row.setAttribute("aria-current", info.id === model.active);
    const name = element("span", "name");
    const sign = { room: info.private ? "🔒 " : "# ", direct: "" }[info.kind];
    name.append(info.with ? peerName(info.with) : element("span", "", sign + titleOf(info)));
    const right = element("span", "quiet", latest ? clock(latest.sentAt) : "");
    if (info.unread > 0) {
      const isNamed = info.mentions > 0;
      const badge = element("span", "badge", `${info.unread}${isNamed ? "!" : ""}`);
      badge.setAttribute("aria-label", `${info.unread} unread${isNamed ? ", you are named" : ""}`);
      right.append(" ", badge);
    }
    name.append(right);
    const last = element("span", "last", latest ? undefined : "nothing said yet");
    if (latest) last.append(peerName(model.authorOf(info, latest)), element("bdi", "words", `: ${latest.text}`));
    row.append(name, last);
    return row;
  }));
}

// on: {answer(request, accepts), join(invitation), hide(invitation)}
export function drawRequests(part, root, model, on) {
  part.hidden = model.requests.size + model.invitations.size === 0;
  const requests = [...model.requests.values()].map((request) => {
    const { displayName } = request.from;
    return question(request.from, request.text, [
      ["Accept", () => on.answer(request, true), `accept ${displayName}`],
      ["Decline", () => on.answer(request, false), `decline ${displayName}`],
    ]);
  });
  const invitations = [...model.invitations.values()].map((invitation) => question(
    invitation.from, `invites you to ${invitation.private ? "the private room" : "the room"} ${invitation.to}`, [
      ["Join", () => on.join(invitation), `join ${invitation.to}`],
      ["Hide", () => on.hide(invitation), `hide the invitation to ${invitation.to}`],
    ]));
  replace(root, [...requests, ...invitations]);
}

function question(who, text, actions) {
  const row = element("div");
  const buttons = element("p", "buttons");
  buttons.append(...actions.map((action) => button(...action)));
  row.append(peerName(who), ": ", element("bdi", "quiet", text), buttons);
  return row;
}

export function drawPeople(root, model, choose) {
  const people = [...model.people.values()].sort((a, b) =>
    order[a.state] - order[b.state] || a.who.displayName.localeCompare(b.who.displayName));
  const rows = people.slice(0, mostShown).map((person) => {
    const row = button("", () => choose(person));
    row.className = "row";
    row.dataset.key = person.who.key;
    row.dataset.room = person.room;
    const name = element("span", "name");
    name.append(peerName(person.who, `c${model.colors.get(person.who.key) ?? 0}`));
    const marks = ["verified", "muted", "blocked"].filter((mark) => person[mark]);
    const place = person.elsewhere && person.state !== "offline" && "elsewhere";
    // The peer's own words come last, and are set apart: they could read as a mark.
    const last = element("span", "last");
    last.append(element("span", "", [person.state, place, ...marks].filter(Boolean).join(", ")));
    if (person.reason) last.append(element("bdi", "words", `: ${person.reason}`));
    row.append(name, last);
    return row;
  });
  const more = Math.max(0, people.length - mostShown) + model.unlisted;
  if (more > 0) rows.push(element("p", "quiet", `and ${more} more`));
  replace(root, rows);
}

// Replaces the rows of a list; the focus stays on the button of the same row.
function replace(root, rows) {
  const focused = root.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  root.replaceChildren(...rows.map((row) => {
    const item = element("li");
    item.append(row);
    return item;
  }));
  if (focused) [...root.querySelectorAll("button")].find((row) => nameOf(row) === focused)?.focus();
}

const nameOf = (row) => row.dataset.id ?? (row.dataset.key && `${row.dataset.room} ${row.dataset.key}`) ?? row.getAttribute("aria-label");
