// What the page knows: conversations with their messages, people, requests. No drawing.

// Messages of a conversation, the oldest first, each id once, whether a page of history or a live event brought it.
export class Messages {
  constructor() {
    this.all = [];
    this.byId = new Map();
  }

  // Live messages come at the end.
  add(message) {
    // What is known is newer: an answer can be behind the events that changed its message.
    if (this.byId.has(message.id)) return false;
    this.byId.set(message.id, message);
    this.all.push(message);
    return true;
  }

  // A page in its order: what is not known stands where its neighbours in the page say.
  merge(page) {
    let place = this.all.length;
    for (let index = page.length - 1; index >= 0; index -= 1) {
      const known = this.byId.get(page[index].id);
      if (known) {
        place = this.all.indexOf(known);
      } else {
        if (index === page.length - 1 && page.length > 0 && this.all.length > 0) place = this.placeBehind(page[index]);
        this.byId.set(page[index].id, page[index]);
        this.all.splice(place, 0, page[index]);
      }
    }
  }

  // For a page of which the last message is not known: in front of all that were received later.
  placeBehind(message) {
    const later = this.all.findIndex((other) => other.receivedAt > message.receivedAt);
    return later < 0 ? this.all.length : later;
  }

  change(id, change) {
    const message = this.byId.get(id);
    if (message) change(message);
    return message;
  }

  remove(id) {
    const message = this.byId.get(id);
    if (!message) return;
    this.byId.delete(id);
    this.all.splice(this.all.indexOf(message), 1);
  }
}

export class Model {
  constructor() {
    this.clear();
  }

  clear() {
    this.rooms = new Map();
    this.conversations = new Map();
    this.people = new Map();
    this.requests = new Map();
    this.active = null;
  }

  snapshot(event) {
    const before = this.conversations;
    this.clear();
    for (const room of event.rooms) this.rooms.set(room.room, room);
    for (const { messages, ...info } of event.conversations) {
      const list = new Messages();
      list.merge(messages);
      this.conversations.set(info.id, {
        info, messages: list, typing: new Map(), notes: [], hasMore: true, draft: before.get(info.id)?.draft ?? "",
        pending: before.get(info.id)?.pending ?? [], unreadFrom: null,
      });
      if (info.active) this.active = info.id;
    }
    for (const person of event.people) this.people.set(person.who.key, person);
    for (const request of event.requests) this.requests.set(request.key, request);
    this.active ??= event.conversations[0]?.id ?? null;
  }

  conversationOf(event) {
    if (event.conversationId) return event.conversationId;
    const room = this.rooms.get(event.room);
    return room ? room.id : null;
  }

  // The conversation of an event, which may be a new direct one.
  conversation(event) {
    const id = this.conversationOf(event);
    if (id && !this.conversations.has(id) && event.with) {
      this.conversations.set(id, {
        info: {
          id, kind: "direct", room: event.room, title: event.with.displayName, with: event.with, private: false,
          active: false, unread: 0, last: null, online: 0,
        },
        messages: new Messages(), typing: new Map(), notes: [], hasMore: false, draft: "", pending: [], unreadFrom: null,
      });
    }
    return this.conversations.get(id);
  }

  get current() {
    return this.conversations.get(this.active);
  }

  get unread() {
    let sum = this.requests.size;
    for (const { info } of this.conversations.values()) sum += info.unread;
    return sum;
  }
}

// Takes an event; returns what is to be drawn again: a set of "list", "people", "log", "me", "all".
export function take(model, event) {
  switch (event.event) {
    case "snapshot":
      model.snapshot(event);
      return ["all"];
    case "ready":
      // The node of another identity, behind a wipe, or of a further room: the page asks for all of it anew.
      return ["again"];
    case "message": return takeMessage(model, event);
    case "edited": {
      const conversation = model.conversation(event);
      conversation?.messages.change(event.id, (message) => Object.assign(message, { text: event.text, edited: true }));
      if (conversation?.info.last?.id === event.id) conversation.info.last.text = event.text;
      return ["log", "list"];
    }
    case "deleted": {
      const conversation = model.conversation(event);
      conversation?.messages.remove(event.id);
      if (conversation?.info.last?.id === event.id) conversation.info.last = conversation.messages.all.at(-1) ?? null;
      return ["log", "list"];
    }
    case "delivered": case "read": case "failed": {
      const conversation = model.conversation(event);
      for (const id of event.ids) conversation?.messages.change(id, (message) => { message.delivery = event.event; });
      return ["log"];
    }
    case "typing": return takeTyping(model, event);
    case "peer": return takePeer(model, event);
    case "request":
      model.requests.set(event.from.key, { key: event.from.key, room: event.room, from: event.from, text: event.text });
      return ["list"];
    case "direct":
      model.requests.delete(event.with.key);
      model.conversation(event);
      return ["again"];
    case "opened": {
      const conversation = model.conversation(event);
      if (!conversation) return ["again"];
      for (const { info } of model.conversations.values()) info.active = false;
      Object.assign(conversation.info, { active: true, unread: 0 });
      model.active = conversation.info.id;
      return ["all"];
    }
    case "stopped": return ["again"];
    default: return [];
  }
}

function takeMessage(model, event) {
  const conversation = model.conversation(event);
  if (!conversation) return ["again"];
  conversation.typing.delete(event.from.key);
  // The message may come before the answer to the request that said it.
  const said = event.isFromCurrentUser && conversation.pending.find(({ text, state }) => text === event.text && state === "sending");
  if (said) said.state = "said";
  if (conversation.messages.add(event)) {
    if (event.unread > conversation.info.unread && conversation.unreadFrom === null) conversation.unreadFrom = event.id;
    conversation.info.unread = event.unread;
    conversation.info.last = event;
  }
  return ["log", "list"];
}

function takeTyping(model, event) {
  const conversation = model.conversation(event);
  if (event.on) conversation?.typing.set(event.who.key, event.who);
  else conversation?.typing.delete(event.who.key);
  return ["typing"];
}

function takePeer(model, event) {
  const known = model.people.get(event.who.key);
  const wasHere = known !== undefined && known.state !== "offline";
  const person = { muted: false, verified: false, blocked: false, ...known, ...event, since: new Date().toISOString() };
  model.people.set(event.who.key, person);
  const room = model.conversation({ room: event.room });
  if (!room) return ["people"];
  room.info.online = event.peers;
  const isHere = event.state !== "offline";
  if (isHere !== wasHere) {
    const last = room.messages.all.at(-1)?.id ?? null;
    let note = room.notes.at(-1);
    if (!note || note.behind !== last) {
      note = { behind: last, came: 0, left: 0 };
      room.notes.push(note);
    }
    note[isHere ? "came" : "left"] += 1;
  }
  return ["people", "log"];
}
