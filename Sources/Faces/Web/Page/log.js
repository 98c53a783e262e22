// The list of messages: a window of rows, so that the document stays small however much is said. What the user reads stays where it
// is, whatever comes, goes or changes around it.
import { avatar, marksOf } from "/avatar.js";
import { button, element, peerName } from "/elements.js";
import { later } from "/later.js";
import { richText } from "/richtext.js";
import { phrase } from "/strings.js";
import { clock, day, shownText } from "/text.js";
import { welcomeRow } from "/welcome.js";

const mostRows = 300;
const step = 100;
// Messages of one author within so many milliseconds are a group, whose first one has the name.
const groupTime = 5 * 60_000;

export class Log {
  // on: {unsent(conversation), isHidden(conversation, message), color(who), author(conversation, message), person(conversation, message),
  // card(id), welcome(conversation), menu(conversation, message, box), about(conversation, message), retry(conversation, text),
  // use(text), discard(text), smallTalk()}
  // on.smallTalk(isNeeded) gives what draws quotes and reactions, once it is there.
  constructor(root, newer, on) {
    // `end` is the place behind the window's last message; null while the window follows the newest one.
    Object.assign(this, { root, newer, on, rows: new Map(), shown: null, messages: null, keys: null, end: null, drawn: 0, missed: 0 });
    this.isStuck = true;
    root.addEventListener("scroll", () => this.scrolled());
    newer.addEventListener("click", () => this.toEnd());
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("click", (event) => this.clicked(event));
    if (matchMedia("(any-pointer: coarse)").matches) {
      later("press").then(({ listen }) => listen(root, (target) => this.messageOf(target), (...pressed) => this.askFor(...pressed)), () => {});
    }
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
    if (this.shown !== conversation) this.forget();
    if (isOther) Object.assign(this, { messages: conversation.messages, end: null, missed: 0 });
    this.shown = conversation;
    this.draw(staysAtEnd);
  }

  // Rows of the window, in order: {key, stamp, make()}, and of a message that begins a group `head`, which makes what stands in front of its
  // text. A row is made again when its stamp changes; the head comes and goes with the rows above.
  plan() {
    const { all, first, end: newest } = this.messages;
    const end = Math.min(this.end ?? newest, newest) - first;
    const start = Math.max(0, end - mostRows);
    const plan = [];
    let before = null;
    let isMissed = false;
    let group = groupAt(all, start);
    for (const [index, message] of all.slice(start, Math.max(end, 0)).entries()) {
      if (message.kind && !isErased(message)) {
        plan.push(...this.otherRows(message));
        group = null;
        continue;
      }
      if (this.on.isHidden(this.shown, message)) continue;
      const [isFirst, rows] = [before === null, plan.length];
      message.day ??= day(message.sentAt);
      if (message.day !== before) plan.push(lineRow("day", message.id, message.day));
      before = message.day;
      if (message.missed && !isMissed) plan.push(lineRow("missed", message.id, missedWords(all, start + index)));
      isMissed = message.missed;
      if (message.id === this.shown.unreadFrom) plan.push(lineRow("new", "", phrase("newMessages")));
      // The first row of the window has a name without being the first one of its group.
      if ((plan.length > rows && !isFirst) || !continues(group, message)) group = message;
      const isHead = !message.action && (isFirst || group === message);
      if (!isHead) hideMark(plan.at(-1), message);
      plan.push(this.messageRow(message, isHead));
    }
    const unsent = end + first === newest ? this.on.unsent(this.shown) : [];
    if (!all.some((row) => !row.kind || isErased(row)) && unsent.length === 0) plan.unshift(this.welcome());
    return [...plan, ...unsent.map((text) => this.unsentRow(text))];
  }

  otherRows(row) {
    if (row.kind === "note") return noteRows(row);
    if (row.kind !== "card") return [{ key: row.id, stamp: "", make: row.make }];
    const card = this.on.card(row.id);
    return [lineRow("note", row.id, phrase("cardOn", this.on.author(this.shown, card).displayName, shownText(card.title)))];
  }

  welcome() {
    const lines = this.on.welcome(this.shown);
    return { key: "welcome", stamp: lines.join("\n"), make: () => welcomeRow(lines) };
  }

  messageRow(message, isHead) {
    const isOwn = message.isFromCurrentUser;
    const name = this.on.author(this.shown, message);
    const color = isOwn ? "" : this.on.color(message.from);
    const of = isOwn ? [] : marksOf(name, this.on.person(this.shown, message));
    const row = { key: message.id, message, mark: message.delivery, isHead };
    row.stamp = [message.kind, message.text, message.action, message.edited, message.mention, name.displayName, color, ...of].join("\n");
    row.make = () => this.message(message, name);
    row.head = isOwn ? () => [] : () => this.head(name, color, of);
    return this.dressed(row, message);
  }

  unsentRow(text) {
    return this.dressed({ key: text.key, stamp: `${text.state} ${text.reason}`, make: () => this.unsent(text) }, text);
  }

  // A row with what stands around its text: a quote, and reactions.
  dressed(row, said) {
    const small = this.on.smallTalk(Boolean(said.replyTo || said.reactions?.length));
    return { ...row, ...small?.around(this.shown, said) };
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
    for (const { key, stamp, make, message, isHead, head, mark, around = "", dress } of plan) {
      const row = this.rows.get(key);
      const isKept = row?.stamp === stamp;
      const shown = isKept ? row.element : make();
      if (row && !isKept) {
        if (place === row.element) place = shown;
        this.replace(row.element, shown);
      }
      this.rows.set(key, { element: shown, stamp, isHead, mark, around, message });
      if (message && (!isKept || row.isHead !== isHead)) setHead(shown, isHead ? head() : [], isHead);
      if (message && (!isKept || row.mark !== mark)) setMark(shown, mark);
      if (around !== (isKept ? row.around : "")) dress(shown);
      if (shown === place) place = place.nextSibling;
      else this.root.insertBefore(shown, place);
    }
  }

  // A row that is made again keeps the focus.
  replace(before, after) {
    const hadFocus = before.contains(document.activeElement);
    before.replaceWith(after);
    if (hadFocus) after.focus({ preventScroll: true });
  }

  // The texts of the messages in view, the first one that is wholly in view at the front: {key, top}. One of them may be gone afterwards; a name may come or go above
  // another one.
  anchors() {
    const { top, bottom } = this.root.getBoundingClientRect();
    const rows = [...this.rows].filter(([, row]) => row.message).map(([key, row]) => ({ key, box: textOf(row).getBoundingClientRect() }));
    return rows.filter(({ box }) => box.bottom > top && box.top < bottom).map(({ key, box }) => ({ key, top: box.top }))
      .sort((a, b) => (a.top < top) - (b.top < top) || a.top - b.top);
  }

  restore(anchors) {
    const kept = anchors.find(({ key }) => this.rows.has(key));
    if (!kept) return;
    const moved = textOf(this.rows.get(kept.key)).getBoundingClientRect().top - kept.top;
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
    this.newer.textContent = this.missed ? phrase("newCount", this.missed) : phrase("newest");
  }

  toEnd() {
    Object.assign(this, { end: null, missed: 0 });
    if (this.shown) this.draw(true);
  }

  // Has all rows made again.
  forget() {
    this.rows.clear();
    this.root.replaceChildren();
  }

  // Shows no conversation.
  clear() {
    this.forget();
    Object.assign(this, { shown: null, messages: null, end: null, missed: 0 });
  }

  // Shows a message of the conversation, and gives its row, if it is here.
  reveal(id) {
    const place = this.messages?.all.findIndex((row) => row.id === id) ?? -1;
    if (place < 0) return undefined;
    const { first, end } = this.messages;
    this.end = Math.min(end, first + place + mostRows / 2);
    this.isStuck = false;
    this.draw(false);
    return this.rows.get(id)?.element;
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

  message(message, name) {
    if (isErased(message)) return this.erased(message, name);
    const { action } = message;
    const isOwn = message.isFromCurrentUser && !action;
    const row = element("article", ["message", isOwn && "own", action && "action", message.mention && "mention"].filter(Boolean).join(" "));
    row.dataset.id = message.id;
    row.tabIndex = -1;
    const time = timeRow(message);
    const line = element("div", "line");
    const answered = this.messages.message(message.replyTo);
    const mention = answered?.isFromCurrentUser ? "answersYou" : "namesYou";
    const words = [message.edited && "edited", message.mention && mention].filter(Boolean).map((name) => phrase(name)).join(" · ");
    if (action) line.append("• ", peerName(name), " ");
    line.append(richText(action ?? message.text));
    if (words) line.append(" ", element("span", "meta", words));
    const author = message.isFromCurrentUser ? phrase("you") : name.displayName;
    const text = shownText(action ?? message.text);
    const said = action ? `${name.displayName} ${text}` : `${author}: ${text}`;
    row.setAttribute("aria-label", [said, time.textContent, words].filter(Boolean).join(", "));
    const more = button("⋯", () => {}, phrase("actions"));
    more.className = "more";
    more.tabIndex = -1;
    more.setAttribute("aria-haspopup", "menu");
    row.append(time, line, more);
    return row;
  }

  // The place of a message that was deleted.
  erased(message, name) {
    const row = element("article", `message erased${message.isFromCurrentUser ? " own" : ""}`);
    row.dataset.id = message.id;
    row.tabIndex = -1;
    const time = timeRow(message);
    const line = element("div", "line");
    line.append(element("span", "text", phrase("deleted")));
    const author = message.isFromCurrentUser ? phrase("you") : name.displayName;
    row.setAttribute("aria-label", `${author}: ${phrase("deleted")}, ${time.textContent}`);
    row.append(time, line);
    return row;
  }

  // The picture and the name, which lead to the peer.
  head(name, color, of) {
    const face = element("button", "face");
    const from = element("button", `from ${color}`);
    for (const made of [face, from]) Object.assign(made, { type: "button", tabIndex: -1 });
    face.setAttribute("aria-hidden", "true");
    face.append(avatar(name, color, of));
    from.append(peerName(name));
    return [face, from];
  }

  unsent(text) {
    const isRefused = text.state === "refused";
    const row = element("article", `message own ${isRefused ? "failed" : "waiting"}`);
    const line = element("div", "line");
    line.append(richText(text.text), " ", element("span", "meta", isRefused ? phrase("notSent", text.reason) : phrase("notSentYet")));
    const conversation = this.shown;
    if (isRefused) {
      const again = text.line === undefined
        ? [phrase("sendAgain"), () => this.on.retry(conversation, text)] : [phrase("useHere"), () => this.on.use(text)];
      line.append(buttons(again, [phrase("discard"), () => this.on.discard(text)]));
    }
    row.append(line);
    return row;
  }

  // The message of a row, if it has one that the node has taken.
  messageOf(target) {
    const row = target.closest?.(".message");
    return row && this.rows.get(row.dataset.id)?.message;
  }

  // Has the menu of a message shown. There is none of a place where one was.
  askFor(message, box) {
    if (!isErased(message)) this.on.menu(this.shown, message, box);
  }

  clicked(event) {
    const message = this.messageOf(event.target);
    if (!message) return;
    if (event.target.closest(".more")) this.askFor(message, event.target.getBoundingClientRect());
    else if (event.target.closest(".from, .face")) this.on.about(this.shown, message);
  }

  // The keys come with the first of them, which they obey too.
  key(event) {
    if (this.keys) return this.keys.obey(event);
    if (!/^(?:Arrow|Enter|Escape|ContextMenu|F10)/u.test(event.key) || (event.key === "Enter" && event.target.closest(":any-link,:enabled"))) return;
    event.preventDefault();
    later("keys").then(({ Keys }) => (this.keys ??= new Keys(this)).obey(event), () => {});
  }
}

const isErased = ({ kind }) => kind === "deleted";

function timeRow({ sentAt }) {
  const time = element("time", "at", clock(sentAt));
  time.dateTime = sentAt;
  return time;
}

const textOf = ({ element: row }) => row.querySelector(".text");

// The first message of the group that the one in front of a place is in; null if there is none.
function groupAt(all, place) {
  let group = null;
  for (const message of all.slice(0, place)) {
    if (message.kind && !isErased(message)) group = null;
    else if (!continues(group, message)) group = message;
  }
  return group;
}

function continues(group, message) {
  if (!group || group.action || message.action || group.isFromCurrentUser !== message.isFromCurrentUser || group.from.key !== message.from.key) return false;
  return Math.abs(timeOf(message) - timeOf(group)) < groupTime;
}

function timeOf(message) {
  message.time ??= Date.parse(message.sentAt);
  return message.time;
}

// A mark that the next message of the group has too is not shown twice.
function hideMark(row, { delivery }) {
  if (row.mark === delivery) row.mark = undefined;
}

function setHead(row, made, isHead) {
  row.classList.toggle("head", isHead);
  for (const old of row.querySelectorAll(":scope > .face, :scope > .from")) old.remove();
  row.prepend(...made);
}

function setMark(row, mark) {
  row.querySelector(".mark")?.remove();
  if (!mark) return;
  row.classList.toggle("lost", mark === "failed");
  const line = row.querySelector(".line");
  line.insertBefore(element("span", "meta mark", ` ${phrase(mark)}`), line.querySelector(".chips"));
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
  return phrase("missed", count);
}

// Arrivals and departures, renames, which the node gives by their number alone if they are many, and notices of bridges.
function noteRows({ id, came, left, renamed, renames, texts }) {
  const folded = [came && phrase("came", came), left && phrase("gone", left)].filter(Boolean).join(", ");
  const names = renames.map(({ was, is, own }) => (own ? phrase("youAreNow", is) : phrase("isNow", was, is)));
  if (renamed > renames.length) names.push(phrase("otherNames", renamed));
  return [folded, ...names, ...texts].filter(Boolean).map((text, place) => lineRow("note", `${id} ${place}`, text));
}
