// The list of messages: a window of rows, so that the document stays small however much is said.
import { button, element } from "/elements.js";
import { clock, day } from "/text.js";

const mostRows = 300;
const step = 100;
const marks = { sending: "on its way", delivered: "delivered", read: "read", failed: "not delivered" };

export class Log {
  // on: {older(conversation), unsent(conversation), isHidden(conversation, message), color(key), edit(message),
  // remove(message), retry(text), discard(text)}
  constructor(root, newer, on) {
    // `end` is the place behind the window's last message; null while the window follows the newest one.
    Object.assign(this, { root, newer, on, rows: new Map(), shown: null, messages: null, end: null, isLoading: false, missed: 0 });
    root.addEventListener("scroll", () => this.scrolled());
    newer.addEventListener("click", () => this.toEnd());
  }

  get isAtEnd() {
    return this.end === null && this.root.scrollHeight - this.root.scrollTop - this.root.clientHeight < 40;
  }

  show(conversation) {
    // A snapshot has new places.
    const isOther = this.messages !== conversation.messages;
    const staysAtEnd = isOther || this.isAtEnd;
    if (this.shown !== conversation) {
      this.rows.clear();
      this.root.replaceChildren();
    }
    if (isOther) Object.assign(this, { messages: conversation.messages, end: null, missed: 0 });
    this.shown = conversation;
    this.draw(staysAtEnd);
  }

  // Rows of the window, in order: {key, stamp, make()}. A row is made again when its stamp changes.
  plan() {
    const { all, first, end: newest } = this.messages;
    const end = (this.end ?? newest) - first;
    const start = Math.max(0, end - mostRows);
    const notes = new Map(this.shown.notes.map((note) => [note.behind, note]));
    const plan = start === 0 ? noteRows(notes, null) : [];
    let before = null;
    for (const message of all.slice(start, Math.max(end, 0))) {
      if (this.on.isHidden(this.shown, message)) continue;
      message.day ??= day(message.sentAt);
      if (message.day !== before) plan.push(lineRow("day", message.id, message.day));
      before = message.day;
      if (message.id === this.shown.unreadFrom) plan.push(lineRow("new", "", "new messages"));
      plan.push(this.messageRow(message), ...noteRows(notes, message.id));
    }
    if (this.end === null) plan.push(...this.on.unsent(this.shown).map((text) => this.unsentRow(text)));
    return plan;
  }

  messageRow(message) {
    const color = message.isFromCurrentUser ? null : this.on.color(message.from.key);
    const stamp = [message.text, message.delivery, message.edited, color].join("\n");
    return { key: message.id, stamp, make: () => this.message(message, color) };
  }

  unsentRow(text) {
    return { key: text.key, stamp: text.state, make: () => this.unsent(text) };
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
      const row = this.rows.get(key);
      const shown = row?.stamp === stamp ? row.element : make();
      if (row && row.element !== shown) {
        if (place === row.element) place = shown;
        row.element.replaceWith(shown);
      }
      this.rows.set(key, { element: shown, stamp });
      if (shown === place) place = place.nextSibling;
      else this.root.insertBefore(shown, place);
    }
    if (staysAtEnd) this.root.scrollTop = this.root.scrollHeight;
    this.showNewer();
  }

  // A message came to the conversation that is shown.
  came() {
    if (!this.isAtEnd) this.missed += 1;
  }

  showNewer() {
    if (this.isAtEnd) this.missed = 0;
    this.newer.hidden = this.isAtEnd || (this.missed === 0 && this.end === null);
    this.newer.textContent = this.missed ? `${this.missed} new` : "newest";
  }

  toEnd() {
    Object.assign(this, { end: null, missed: 0 });
    this.draw(true);
  }

  async scrolled() {
    this.showNewer();
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
    const kept = this.root.querySelector(".message");
    const top = kept?.getBoundingClientRect().top;
    const messages = this.messages;
    const end = this.end ?? messages.end;
    if (end - mostRows > messages.first) this.end = Math.max(messages.first + mostRows, end - step);
    else if (this.shown.hasMore && messages.all.length > 0) await this.on.older(this.shown);
    else return;
    if (messages !== this.messages) return;
    this.draw(false);
    if (kept?.isConnected) this.root.scrollTop += kept.getBoundingClientRect().top - top;
  }

  message(message, color) {
    const row = element("article", message.isFromCurrentUser ? "message own" : "message");
    row.dataset.id = message.id;
    row.append(element("bdi", color === null ? "from" : `from c${color}`, message.from.displayName), " ");
    const words = [clock(message.sentAt), message.edited && "edited", marks[message.delivery]];
    row.append(element("span", "meta", words.filter(Boolean).join(" · ")), textOf(message));
    if (message.isFromCurrentUser) {
      // The buttons show while the row or one of them has the focus.
      row.tabIndex = 0;
      row.append(buttons(["Edit", () => this.on.edit(message)], ["Delete", () => this.on.remove(message)]));
    }
    return row;
  }

  unsent(text) {
    const isRefused = text.state === "refused";
    const row = element("article", `message own ${isRefused ? "failed" : "waiting"}`);
    row.append(element("span", "meta", isRefused ? `not sent: ${text.reason}` : "not sent yet"), textOf(text));
    if (isRefused) row.append(buttons(["Send again", () => this.on.retry(text)], ["Discard", () => this.on.discard(text)]));
    return row;
  }
}

function textOf({ text }) {
  const shown = element("span", "text", text);
  shown.dir = "auto";
  return shown;
}

function buttons(...actions) {
  const shown = element("span", "buttons");
  shown.append(...actions.map(([text, action]) => button(text, action)));
  return shown;
}

const lineRow = (name, id, text) => ({ key: `${name} ${id}`, stamp: text, make: () => element("p", name, text) });

// The arrivals and departures behind a message, and the notices there.
function noteRows(notes, id) {
  const { came = 0, left = 0, texts = [] } = notes.get(id) ?? {};
  const folded = [came && `${came} came`, left && `${left} left`].filter(Boolean).join(", ");
  const rows = texts.map((text, place) => lineRow("note", `${id} ${place}`, text));
  return folded ? [lineRow("note", id, folded), ...rows] : rows;
}
