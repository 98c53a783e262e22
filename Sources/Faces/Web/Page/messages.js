// The node moves the signed time of a live message to between so many milliseconds before its arrival and the arrival.
const freshness = 300_000;

// Whether a message was said before the node came.
const isFromBefore = ({ history, missed }) => history && !missed;

// The time by which a message that was missed is placed.
function timeOf({ sentAt, receivedAt, history }) {
  const [sent, received] = [Date.parse(sentAt), Date.parse(receivedAt)];
  return Math.min(history ? sent : Math.max(sent, received - freshness), received);
}

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

  // A live message comes at the end, one of history where the node has it. False if it is known: what is known is newer, since an
  // answer can be behind the events that changed its message.
  add(message) {
    if (this.byId.has(message.id)) return false;
    const place = this.placeOf(message);
    this.byId.set(message.id, message);
    // Those behind it keep their place.
    if (place < this.all.length) this.first -= 1;
    this.all.splice(place, 0, message);
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

  // A page of history, in its order: a message that is not known stands in front of its successor in the page, and the last one in
  // front of the message that the page was asked for with. Their times do not tell: many are received in one millisecond.
  // - before: the id of that message; at the front if it is gone.
  merge(page, before = null) {
    const head = this.all[0];
    let place = Math.max(0, this.all.indexOf(this.byId.get(before)));
    for (const message of page.toReversed()) {
      if (this.byId.has(message.id)) {
        place = this.all.indexOf(this.byId.get(message.id));
        continue;
      }
      this.byId.set(message.id, message);
      this.all.splice(place, 0, message);
    }
    if (head) this.first -= this.all.indexOf(head);
  }

  // The place of a message that comes, in the order of the node (MessageView.position).
  placeOf(message) {
    let place = this.all.length;
    if (!message.history) return place;
    if (!message.missed) {
      const later = this.all.findIndex((other) => !isFromBefore(other) || message.sentAt < other.sentAt);
      return later < 0 ? place : later;
    }
    while (place > 0 && !isFromBefore(this.all[place - 1]) && timeOf(message) < timeOf(this.all[place - 1])) place -= 1;
    return place;
  }

  remove(id) {
    const message = this.byId.get(id);
    if (!message) return;
    this.byId.delete(id);
    this.all.splice(this.all.indexOf(message), 1);
  }
}
