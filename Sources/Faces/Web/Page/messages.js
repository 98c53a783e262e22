// The rows of a conversation, the oldest first, each id once: messages as the node sends them, and between them rows of another kind, the
// node's notes, the places of cards that came, the answers to commands of this page, and the places of messages that were deleted while the
// page had them.
export class Messages {
  // More than the node keeps (100 messages): what is dropped can not be had again.
  static most = 1000;

  constructor(rows = []) {
    this.all = [...rows];
    this.byId = new Map(rows.map((row) => [row.id, row]));
    // The place of the first row: a row keeps its place when older ones come or are dropped.
    this.first = 0;
  }

  get end() {
    return this.first + this.all.length;
  }

  // A message; undefined for a row of another kind.
  message(id) {
    const row = this.byId.get(id);
    return row?.kind ? undefined : row;
  }

  get lastMessage() {
    return this.all.findLast(({ kind }) => !kind);
  }

  // - before: the id of the row behind it; null for the last one. Undefined for the answer to a request, which can be behind the event of
  //   its message: a known one stays.
  // False if the row behind it is not known.
  add(row, before) {
    const known = this.byId.get(row.id);
    if (known && before === undefined) return true;
    if (before && !this.byId.has(before)) return false;
    if (known) this.remove(row.id);
    const place = before ? this.all.findIndex(({ id }) => id === before) : this.all.length;
    // Those behind it keep their place.
    if (place < this.all.length) this.first -= 1;
    this.all.splice(place, 0, known ?? row);
    this.byId.set(row.id, known ?? row);
    if (this.all.length > Messages.most) {
      this.byId.delete(this.all.shift().id);
      this.first += 1;
    }
    return true;
  }

  // The rows with the messages that the node has now. Of those that are known, the ones that it has no more for want of room stay in front;
  // others that are not among them are gone. Rows of another kind stay behind the message that they are behind.
  renewed(page) {
    const ids = new Set(page.map(({ id }) => id));
    const start = this.all.findIndex(({ id }) => ids.has(id));
    if (start < 0) return new Messages([...this.all.filter(({ kind }) => kind), ...page]);
    const behind = new Map();
    let last = null;
    for (const row of this.all.slice(start)) {
      if (row.kind) behind.get(last).push(row);
      else if (ids.has(row.id)) behind.set((last = row.id), []);
    }
    const rows = page.flatMap((message) => [message, ...(behind.get(message.id) ?? [])]);
    const { id } = this.all[start];
    this.first -= rows.findIndex((row) => row.id === id);
    this.all = [...this.all.slice(0, start), ...rows];
    this.byId = new Map(this.all.map((row) => [row.id, row]));
    return this;
  }

  // Of a message that its author deleted the place stays, and nothing of its text.
  erase(id) {
    const row = this.message(id);
    if (!row) return;
    const { from, isFromCurrentUser, sentAt } = row;
    const erased = { kind: "deleted", id, from, isFromCurrentUser, sentAt };
    this.all[this.all.indexOf(row)] = erased;
    this.byId.set(id, erased);
  }

  remove(id) {
    const row = this.byId.get(id);
    if (!row) return;
    this.byId.delete(id);
    this.all.splice(this.all.indexOf(row), 1);
  }
}
