// Messages of a conversation, the oldest first, each id once, whether a page of history or a live event brought it.
export class Messages {
  // More than the node gives as history (256): what is dropped can not be had again.
  static most = 1000;

  constructor(page = []) {
    this.all = [];
    this.byId = new Map();
    // The place of the first message: a message keeps its place when older ones are loaded or dropped.
    this.first = 0;
    this.merge(page);
  }

  get end() {
    return this.first + this.all.length;
  }

  get isFull() {
    return this.all.length >= Messages.most;
  }

  // A live message comes at the end. False if it is known: what is known is newer, since an answer can be behind the events
  // that changed its message.
  add(message) {
    if (this.byId.has(message.id)) return false;
    this.byId.set(message.id, message);
    this.all.push(message);
    if (this.all.length > Messages.most) {
      this.byId.delete(this.all.shift().id);
      this.first += 1;
    }
    return true;
  }

  // Takes what the node has now: its newest messages, or those in front of a known one. What is known of this part and not in the page
  // is gone; older messages stay if the page begins among known ones.
  // - before: the id of the known message behind the page; null for the newest ones.
  // False if nothing that is known is near the page: nothing is taken.
  renew(page, before = null) {
    const end = before === null ? this.all.length : this.all.indexOf(this.byId.get(before));
    const ids = new Map(page.map((message, index) => [message.id, index]));
    const start = this.all.findIndex((message, index) => index < end && ids.has(message.id));
    if (end < 0 || (start < 0 && before === null)) return false;
    const older = start < 0 ? [] : this.all.slice(0, start);
    const behind = this.all[end] ?? this.all[start];
    const place = this.first + this.all.indexOf(behind);
    this.all = [...older, ...page, ...this.all.slice(end)];
    this.byId = new Map(this.all.map((message) => [message.id, message]));
    this.first = place - this.all.indexOf(this.byId.get(behind.id));
    return true;
  }

  // A page of history, in its order: a message that is not known stands in front of its successor in the page.
  merge(page) {
    const before = this.all[0];
    let place = this.all.length;
    for (const [index, message] of [...page.entries()].reverse()) {
      if (this.byId.has(message.id)) {
        place = this.all.indexOf(this.byId.get(message.id));
        continue;
      }
      if (index === page.length - 1) place = this.placeOf(message);
      this.byId.set(message.id, message);
      this.all.splice(place, 0, message);
    }
    if (before) this.first -= this.all.indexOf(before);
  }

  // The last message of a page stands in front of all that were received later.
  placeOf(message) {
    const later = this.all.findIndex((other) => other.receivedAt > message.receivedAt);
    return later < 0 ? this.all.length : later;
  }

  remove(id) {
    const message = this.byId.get(id);
    if (!message) return;
    this.byId.delete(id);
    this.all.splice(this.all.indexOf(message), 1);
  }
}
