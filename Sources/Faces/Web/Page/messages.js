// The node moves the signed time of a live message to between so many milliseconds before its arrival and the arrival.
const freshness = 300_000;

// Whether a message was said before the node came.
const isFromBefore = ({ history, missed }) => history && !missed;

// The time by which a message that was missed is placed.
function timeOf({ sentAt, receivedAt, history }) {
  const [sent, received] = [Date.parse(sentAt), Date.parse(receivedAt)];
  return Math.min(history ? sent : Math.max(sent, received - freshness), received);
}

// Messages of a conversation, the oldest first, each id once, whether a snapshot or a live event brought it.
export class Messages {
  // More than the node keeps (100): what is dropped can not be had again.
  static most = 1000;

  constructor(page = []) {
    this.all = [...page];
    this.byId = new Map(page.map((message) => [message.id, message]));
    // The place of the first message: a message keeps its place when older ones come or are dropped.
    this.first = 0;
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

  // Takes the messages that the node has now. Of those that are known, the ones that it has no more for want of room stay in front;
  // others that are not among them are gone. False if none of them is known: nothing is taken.
  renew(page) {
    const ids = new Set(page.map(({ id }) => id));
    const start = this.all.findIndex(({ id }) => ids.has(id));
    if (start < 0) return false;
    const { id } = this.all[start];
    const place = this.first + start;
    this.all = [...this.all.slice(0, start), ...page];
    this.byId = new Map(this.all.map((message) => [message.id, message]));
    this.first = place - this.all.indexOf(this.byId.get(id));
    return true;
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
