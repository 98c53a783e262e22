// The list of messages: a window of rows, so that the document stays small however much is said. What the user reads stays where it
// is, whatever comes, goes or changes around it.
import { button, element, peerName } from "/elements.js";
import { clock, day } from "/text.js";

const mostRows = 300;
const step = 100;
const marks = { sending: "on its way", delivered: "delivered", read: "read", failed: "not delivered" };

export class Log {
  // on: {unsent(conversation), isHidden(conversation, message), color(key), edit(message), author(conversation, message),
  // remove(conversation, message), retry(conversation, text), discard(conversation, text)}
  constructor(root, newer, on) {
    // `end` is the place behind the window's last message; null while the window follows the newest one.
    Object.assign(this, { root, newer, on, rows: new Map(), shown: null, messages: null, end: null, drawn: 0, missed: 0 });
    this.isStuck = true;
    root.addEventListener("scroll", () => this.scrolled());
    newer.addEventListener("click", () => this.toEnd());
    // The newest message stays in view when the log gets smaller.
    new ResizeObserver(() => this.isStuck && this.stick()).observe(root);
  }

  // As of the last scroll: no draw has the layout computed for it.
  get isAtEnd() {
    return this.end === null && this.isStuck;
  }

  get isAtBottom() {
    return this.root.scrollHeight - this.root.scrollTop - this.root.clientHeight < 40;
  }

  show(conversation) {
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
    const end = Math.min(this.end ?? newest, newest) - first;
    const start = Math.max(0, end - mostRows);
    const plan = [];
    let before = null;
    let isMissed = false;
    for (const [index, message] of all.slice(start, Math.max(end, 0)).entries()) {
      if (message.kind) {
        plan.push(...(message.kind === "note" ? noteRows(message) : [answerRow(message)]));
        continue;
      }
      if (this.on.isHidden(this.shown, message)) continue;
      message.day ??= day(message.sentAt);
      if (message.day !== before) plan.push(lineRow("day", message.id, message.day));
      before = message.day;
      if (message.missed && !isMissed) plan.push(lineRow("missed", message.id, missedWords(all, start + index)));
      isMissed = message.missed;
      if (message.id === this.shown.unreadFrom) plan.push(lineRow("new", "", "new messages"));
      plan.push(this.messageRow(message));
    }
    if (end + first === newest) plan.push(...this.on.unsent(this.shown).map((text) => this.unsentRow(text)));
    return plan;
  }

  messageRow(message) {
    const color = message.isFromCurrentUser ? null : this.on.color(message.from.key);
    const name = this.on.author(this.shown, message);
    const stamp = [message.text, message.delivery, message.edited, name.displayName, color].join("\n");
    return { key: message.id, stamp, make: () => this.message(message, name, color) };
  }

  unsentRow(text) {
    return { key: text.key, stamp: text.state, make: () => this.unsent(text) };
  }

  draw(goesToEnd) {
    // What comes now stays below the window of a user who reads further above.
    if (!goesToEnd && this.end === null) this.end = this.drawn;
    const anchors = goesToEnd ? [] : this.anchors();
    this.place(this.plan());
    this.drawn = this.messages.end;
    if (goesToEnd) this.stick();
    else this.restore(anchors);
    this.showNewer();
  }

  // Makes the rows of a plan those of the document.
  place(plan) {
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
  }

  // The messages in view, the first one at the front: {key, top}. One of them may be gone afterwards.
  anchors() {
    const { top, bottom } = this.root.getBoundingClientRect();
    const rows = [...this.rows].filter(([, row]) => row.element.dataset.id).map(([key, row]) => ({ key, box: row.element.getBoundingClientRect() }));
    return rows.filter(({ box }) => box.bottom > top && box.top < bottom).map(({ key, box }) => ({ key, top: box.top }))
      .sort((a, b) => a.top - b.top);
  }

  restore(anchors) {
    const kept = anchors.find(({ key }) => this.rows.has(key));
    if (!kept) return;
    const moved = this.rows.get(kept.key).element.getBoundingClientRect().top - kept.top;
    if (moved !== 0) this.root.scrollTop += moved;
  }

  stick() {
    this.root.scrollTop = this.root.scrollHeight;
    this.isStuck = true;
  }

  // A message came to the conversation that is shown.
  came() {
    if (!this.isAtEnd) this.missed += 1;
  }

  showNewer() {
    if (this.isAtEnd) this.missed = 0;
    const isNewest = this.end === null || this.end >= this.messages.end;
    this.newer.hidden = this.isAtEnd || (this.missed === 0 && isNewest);
    this.newer.textContent = this.missed ? `${this.missed} new` : "newest";
  }

  toEnd() {
    Object.assign(this, { end: null, missed: 0 });
    if (this.shown) this.draw(true);
  }

  scrolled() {
    if (!this.shown) return;
    if (this.end !== null && this.isAtBottom) this.goDown();
    this.isStuck = this.end === null && this.isAtBottom;
    this.showNewer();
    if (this.root.scrollTop <= 60) this.grow();
  }

  // Shows newer rows, up to those that follow the newest message.
  goDown() {
    if (this.end >= this.messages.end) return this.toEnd();
    this.end = Math.min(this.messages.end, this.end + step);
    this.draw(false);
  }

  // The place of the window's first message.
  get start() {
    return Math.max(this.messages.first, Math.min(this.end ?? this.messages.end, this.messages.end) - mostRows);
  }

  // Shows older rows.
  grow() {
    const { messages, start } = this;
    if (start === messages.first) return;
    this.end = Math.max(messages.first + mostRows, Math.min(this.end ?? messages.end, messages.end) - step);
    this.draw(false);
    // The user may have gone on to the top in the meantime.
    if (this.start < start) requestAnimationFrame(() => this.scrolled());
  }

  message(message, name, color) {
    const row = element("article", ["message", message.isFromCurrentUser && "own", message.mention && "mention"].filter(Boolean).join(" "));
    row.dataset.id = message.id;
    row.append(peerName(name, color === null ? "from" : `from c${color}`), " ");
    const words = [clock(message.sentAt), message.edited && "edited", message.mention && "names you", marks[message.delivery]];
    row.append(element("span", "meta", words.filter(Boolean).join(" · ")));
    if (message.isFromCurrentUser) {
      // The buttons show while the row or one of them has the focus.
      row.tabIndex = 0;
      const conversation = this.shown;
      row.append(buttons(["Edit", () => this.on.edit(message)], ["Delete", () => this.on.remove(conversation, message)]));
    }
    row.append(textOf(message));
    return row;
  }

  unsent(text) {
    const isRefused = text.state === "refused";
    const row = element("article", `message own ${isRefused ? "failed" : "waiting"}`);
    row.append(element("span", "meta", isRefused ? `not sent: ${text.reason}` : "not sent yet"), textOf(text));
    const conversation = this.shown;
    if (isRefused) {
      row.append(buttons(["Send again", () => this.on.retry(conversation, text)], ["Discard", () => this.on.discard(conversation, text)]));
    }
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

// Of the messages from a place on that were missed one behind the other.
function missedWords(all, place) {
  const messages = all.slice(place).filter(({ kind }) => !kind);
  const next = messages.findIndex(({ missed }) => !missed);
  const count = next < 0 ? messages.length : next;
  return count === 1 ? "1 message that you missed" : `${count} messages that you missed`;
}

// Arrivals and departures, renames, which the node gives by their number alone if they are many, and notices of bridges.
function noteRows({ id, came, left, renamed, renames, texts }) {
  const folded = [came && `${came} came`, left && `${left} left`].filter(Boolean).join(", ");
  const names = renames.map(({ was, is, own }) => (own ? `you are now ${is}` : `${was} is now ${is}`));
  if (renamed > renames.length) names.push(`${renamed} people have other names now`);
  return [folded, ...names, ...texts].filter(Boolean).map((text, place) => lineRow("note", `${id} ${place}`, text));
}

function answerRow({ id, texts, isBad }) {
  const make = () => {
    const row = element("div", isBad ? "answer bad" : "answer");
    row.append(...texts.map((text) => {
      const line = element("p", "", text);
      line.dir = "auto";
      return line;
    }));
    return row;
  };
  return { key: id, stamp: "", make };
}
