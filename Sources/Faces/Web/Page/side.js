// The lists on the left: conversations, requests, people.
import { button, element } from "/log.js";
import { clock } from "/text.js";

export function drawConversations(root, model, open) {
  replace(root, [...model.conversations.values()].map(({ info }) => {
    const row = button("", () => open(info.id));
    row.className = "row";
    row.dataset.id = info.id;
    row.setAttribute("aria-current", info.id === model.active);
    const name = element("span", "name");
    name.append(element("span", "", info.kind === "room" ? `${info.private ? "🔒 " : "# "}${info.title}` : info.title));
    const right = element("span", "quiet", info.last ? clock(info.last.sentAt) : "");
    if (info.unread > 0) {
      const badge = element("span", "badge", `${info.unread}`);
      badge.setAttribute("aria-label", `${info.unread} unread`);
      right.replaceChildren(badge);
    }
    name.append(right);
    const last = element("span", "last", info.last ? `${info.last.from.displayName}: ${info.last.text}` : "nothing said yet");
    row.append(name, last);
    return row;
  }));
}

export function drawRequests(part, root, model, answer) {
  part.hidden = model.requests.size === 0;
  replace(root, [...model.requests.values()].map((request) => {
    const row = element("div");
    row.append(element("bdi", "", request.from.displayName), ": ", element("bdi", "quiet", request.text));
    const buttons = element("p", "buttons");
    buttons.append(
      button("Accept", () => answer(request, true), `accept ${request.from.displayName}`),
      button("Decline", () => answer(request, false), `decline ${request.from.displayName}`));
    row.append(buttons);
    return row;
  }));
}

export function drawPeople(root, model, choose) {
  const order = { online: 0, away: 1, offline: 2 };
  const people = [...model.people.values()].sort((a, b) =>
    order[a.state] - order[b.state] || a.who.displayName.localeCompare(b.who.displayName));
  replace(root, people.slice(0, 200).map((person) => {
    const row = button("", () => choose(person));
    row.className = "row";
    row.dataset.key = person.who.key;
    const words = [person.state, person.elsewhere && person.state !== "offline" && "elsewhere", person.reason, person.verified && "verified", person.muted && "muted", person.blocked && "blocked"];
    row.append(element("span", "name", ""), element("span", "last", words.filter(Boolean).join(", ")));
    row.firstChild.append(element("span", "", person.who.displayName));
    return row;
  }));
}

function replace(root, rows) {
  const focused = root.contains(document.activeElement) ? key(document.activeElement) : null;
  root.replaceChildren(...rows.map((row) => {
    const item = element("li");
    item.append(row);
    return item;
  }));
  if (focused) [...root.querySelectorAll("button")].find((row) => key(row) === focused)?.focus();
}

const key = (row) => row.dataset.id ?? row.dataset.key ?? row.getAttribute("aria-label");
