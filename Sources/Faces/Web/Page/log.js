// The list of messages: a window of rows, so that the document stays small however much is said.
import { clock, colorOf, day } from "/text.js";

const most = 300;
const marks = { sending: "on its way", delivered: "delivered", read: "read", failed: "not delivered" };

export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export function button(text, action, label) {
  const made = element("button", "", text);
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", action);
  return made;
}

export class Log {
  // on: {older(), edit(message), remove(message)}
  constructor(root, newer, on) {
    Object.assign(this, { root, newer, on, rows: new Map(), shown: null, end: null, isLoading: false, missed: 0 });
    root.addEventListener("scroll", () => this.scrolled());
    newer.addEventListener("click", () => this.toEnd());
  }

  get isAtEnd() {
    return this.end === null && this.root.scrollHeight - this.root.scrollTop - this.root.clientHeight < 40;
  }

  show(conversation) {
    if (this.shown !== conversation) {
      Object.assign(this, { shown: conversation, end: null, missed: 0 });
      this.rows.clear();
      this.root.replaceChildren();
      this.draw(true);
    } else {
      this.draw(this.isAtEnd);
    }
  }

  // Rows of the window, in order: {key, make(), stamp}.
  plan() {
    const { messages, notes, pending, unreadFrom } = this.shown;
    const all = messages.all;
    const end = this.end ?? all.length;
    const first = Math.max(0, end - most);
    const notesBehind = new Map(notes.map((note) => [note.behind, note]));
    const plan = [];
    let lastDay = null;
    const addNote = (id) => {
      const note = notesBehind.get(id);
      if (!note) return;
      const text = [note.came && `${note.came} came`, note.left && `${note.left} left`].filter(Boolean).join(", ");
      plan.push({ key: `note ${id}`, stamp: text, make: () => element("p", "note", text) });
    };
    if (first === 0) addNote(null);
    for (const message of all.slice(first, end)) {
      const today = (message.day ??= day(message.sentAt));
      if (today !== lastDay) plan.push({ key: `day ${today}`, stamp: "", make: () => element("p", "day", today) });
      lastDay = today;
      if (message.id === unreadFrom) plan.push({ key: "new", stamp: "", make: () => element("p", "new", "new messages") });
      plan.push({ key: message.id, stamp: `${message.text}\n${message.delivery}\n${message.edited}`, make: () => this.row(message) });
      addNote(message.id);
    }
    if (this.end === null) {
      for (const text of pending.filter(({ state }) => state !== "said")) plan.push({ key: text.key, stamp: text.state, make: () => this.waiting(text) });
    }
    return plan;
  }

  draw(staysAtEnd) {
    const plan = this.plan();
    const wanted = new Set(plan.map((row) => row.key));
    for (const [key, row] of this.rows) {
      if (wanted.has(key)) continue;
      row.element.remove();
      this.rows.delete(key);
    }
    let place = this.root.firstChild;
    for (const { key, stamp, make } of plan) {
      let row = this.rows.get(key);
      if (row && row.stamp !== stamp) {
        const changed = make();
        if (place === row.element) place = changed;
        row.element.replaceWith(changed);
        Object.assign(row, { element: changed, stamp });
      }
      if (!row) {
        row = { element: make(), stamp };
        this.rows.set(key, row);
      }
      if (row.element === place) place = place.nextSibling;
      else this.root.insertBefore(row.element, place);
    }
    if (staysAtEnd) this.root.scrollTop = this.root.scrollHeight;
    this.tellNewer();
  }

  came() {
    if (!this.isAtEnd) this.missed += 1;
  }

  tellNewer() {
    if (this.isAtEnd) this.missed = 0;
    this.newer.hidden = this.isAtEnd || (this.missed === 0 && this.end === null);
    this.newer.textContent = this.missed ? `${this.missed} new` : "newest";
  }

  toEnd() {
    Object.assign(this, { end: null, missed: 0 });
    this.draw(true);
  }

  async scrolled() {
    this.tellNewer();
    if (!this.shown || this.root.scrollTop > 60 || this.isLoading) return;
    this.isLoading = true;
    try {
      await this.grow();
    } finally {
      this.isLoading = false;
    }
  }

  // Shows older rows without a jump: the first row that is seen stays where it is.
  async grow() {
    const all = this.shown.messages.all;
    const end = this.end ?? all.length;
    const kept = this.root.querySelector(".message");
    const from = kept?.getBoundingClientRect().top;
    if (end - most > 0) this.end = Math.max(most, end - 100);
    else if (this.shown.hasMore && all.length > 0) await this.on.older(this.shown);
    else return;
    this.draw(false);
    if (kept?.isConnected) this.root.scrollTop += kept.getBoundingClientRect().top - from;
  }

  row(message) {
    const row = element("article", message.isFromCurrentUser ? "message own" : "message");
    row.dataset.id = message.id;
    row.append(element("bdi", `from c${colorOf(message.from.key)}`, message.from.displayName), " ");
    const words = [clock(message.sentAt), message.edited && "edited", message.delivery && marks[message.delivery]];
    row.append(element("span", "meta", words.filter(Boolean).join(" · ")));
    const text = element("span", "text", message.text);
    text.dir = "auto";
    row.append(text);
    if (message.isFromCurrentUser) {
      const buttons = element("span", "buttons");
      buttons.append(button("Edit", () => this.on.edit(message)), button("Delete", () => this.on.remove(message)));
      row.append(buttons);
    }
    return row;
  }

  waiting(text) {
    const row = element("article", `message own ${text.state === "refused" ? "failed" : "waiting"}`);
    row.append(element("span", "meta", text.state === "refused" ? `not sent: ${text.reason}` : "not sent yet"));
    const shown = element("span", "text", text.text);
    shown.dir = "auto";
    row.append(shown);
    return row;
  }
}
