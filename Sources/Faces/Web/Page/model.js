// What the page knows: rooms, conversations with their messages, people, requests, invitations. No drawing.
import { Messages } from "/messages.js";

const mostPeople = 1024;
const mostNotes = 100;
const mostTexts = 20;
const mostAnswers = 50;

export class Model {
  constructor() {
    this.conversations = new Map();
    this.hidden = new Set();
    this.clear();
  }

  clear() {
    this.rooms = new Map();
    this.people = new Map();
    this.requests = new Map();
    this.invitations = new Map();
    // The numbers of the colours of names, by key.
    this.colors = new Map();
    this.active = null;
    // The conversation that a command of this page opened and that is not known yet: {room, key}; the key of a direct one.
    this.wanted ??= null;
  }

  // Takes all that the node knows. A conversation of the same identity stays the same object, so that a draft, a composition and the
  // place in the log go on; of an identity that was wiped, nothing stays.
  snapshot(event) {
    const { conversations: before, active } = this;
    const names = new Map([...this.rooms].map(([room, { self }]) => [room, self?.key]));
    this.conversations = new Map();
    this.clear();
    for (const room of event.rooms) this.rooms.set(room.room, room);
    for (const { messages, ...info } of event.conversations) {
      const isSame = names.get(info.room) === this.rooms.get(info.room)?.self?.key;
      const conversation = (isSame && before.get(info.id)) || made(info);
      if (!conversation.messages.renew(messages)) conversation.messages = new Messages(messages);
      const unreadFrom = conversation.unreadFrom ?? info.firstUnread;
      Object.assign(conversation, { info, typing: new Map(), unreadFrom });
      this.conversations.set(info.id, conversation);
    }
    for (const person of event.people) this.people.set(inRoom(person.room, person.who), person);
    for (const request of event.requests) this.requests.set(inRoom(request.room, request.from), request);
    // What the page showed; at first what another face shows.
    const shown = event.conversations.find(({ id }) => id === active && before.get(id) === this.conversations.get(id));
    this.active = (shown ?? event.conversations.find((info) => info.active) ?? event.conversations[0])?.id ?? null;
    this.openWanted();
    this.paint(event.colors);
  }

  // The conversation of an event: its own, or that of its room. A new direct one is made.
  conversation(event) {
    const id = event.conversationId ?? this.rooms.get(event.room)?.id;
    if (id && !this.conversations.has(id) && event.with) {
      this.conversations.set(id, made({
        id, kind: "direct", room: event.room, title: event.with.displayName, with: event.with, private: false, bridged: false,
        active: false, unread: 0, mentions: 0, last: null, online: 0,
      }));
    }
    return this.conversations.get(id);
  }

  // Takes invitations: {from, to, private, there}. Those that the user hid stay hidden on this page.
  invite(invitations) {
    for (const invitation of invitations) {
      const name = `${invitation.from.key} ${invitation.to}`;
      if (!invitation.there && !this.hidden.has(name)) this.invitations.set(name, invitation);
    }
  }

  hide({ from, to }) {
    this.hidden.add(`${from.key} ${to}`);
    this.invitations.delete(`${from.key} ${to}`);
  }

  // The peers that are here and not listed, as in a large room.
  get unlisted() {
    let online = 0;
    for (const { info } of this.conversations.values()) if (info.kind === "room") online += info.online;
    return Math.max(0, online - [...this.people.values()].filter((person) => isHere(person) && !person.elsewhere).length);
  }

  get current() {
    return this.conversations.get(this.active);
  }

  get unread() {
    let sum = this.requests.size + this.invitations.size;
    for (const { info } of this.conversations.values()) sum += info.unread;
    return sum;
  }

  // The own name and state in the room of a conversation.
  me(conversation) {
    return this.rooms.get(conversation?.info.room);
  }

  // The present name of a user: a message has the name of its time.
  nameOf(room, who) {
    const self = this.rooms.get(room)?.self;
    return self?.key === who.key ? self : this.people.get(inRoom(room, who))?.who ?? who;
  }

  paint(colors) {
    for (const { key, color } of colors) this.colors.set(key, color);
  }

  // Shows another conversation. The line over new messages stays while theirs is open.
  open(conversation) {
    if (this.current && this.current !== conversation) this.current.unreadFrom = null;
    this.active = conversation.info.id;
  }

  // Shows the conversation that a command of this page opened, by the node's answer.
  follow({ room, conversation, with: who }) {
    this.wanted = { room, key: conversation === "direct" ? who.key : null, who };
    return this.openWanted();
  }

  // False if it is not known yet.
  openWanted() {
    const id = this.wanted && this.rooms.get(this.wanted.room)?.id;
    if (!id) return false;
    const { room, key, who } = this.wanted;
    const conversation = this.conversation({ room, conversationId: key ? `${id}-${key}` : id, with: who });
    if (!conversation) return false;
    this.wanted = null;
    this.open(conversation);
    return true;
  }
}

const made = (info) => ({
  // `edit` is {message, text}, a change that is not sent yet.
  info, messages: new Messages(), typing: new Map(), notes: [], answers: [], draft: "", edit: null,
  unreadFrom: null,
});

// Keeps an answer to a command of this page, behind the newest message.
// - texts: its lines.
export function keepAnswer(conversation, texts, isBad) {
  const behind = conversation.messages.all.at(-1)?.id ?? null;
  conversation.answers = [...conversation.answers.slice(1 - mostAnswers), { behind, texts, isBad, id: crypto.randomUUID() }];
}

// Notices of bridges, with what they say of the room; undefined for nothing.
const bridgeNotices = new Map(Object.entries({
  room_bridged: true, bridge_connected: true, room_unbridged: false, bridge_lost: undefined,
  bridge_blocked: undefined, bridge_unblocked: undefined,
}));

// The name of a peer among those of all rooms: one key may be in several, and is another user in each.
const inRoom = (room, who) => `${room} ${who.key}`;

const isHere = (person) => person.state !== "offline";

// The parts of the page that are drawn again for an event: "list", "people", "log", "typing", or "all"; "again" if the page
// needs a new snapshot.
export function take(model, event) {
  return takers.get(event.event)?.(model, event) ?? [];
}

const takers = new Map(Object.entries({
  snapshot(model, event) {
    model.snapshot(event);
    return ["all"];
  },

  // A further room, or the node of another identity, behind a wipe.
  ready: () => ["again"],
  parted: () => ["again"],

  // A mark of a person, by whatever face.
  refreshed: () => ["again"],

  message(model, event) {
    const conversation = model.conversation(event);
    if (!conversation) return ["again"];
    conversation.typing.delete(event.from.key);
    if (conversation.messages.add(event)) conversation.info.last = conversation.messages.all.at(-1);
    return ["log", "list"];
  },

  colors(model, { colors }) {
    model.paint(colors);
    return ["people", "log"];
  },

  // Whatever view reads them.
  unread(model, { conversationId, unread, mentions, firstUnread }) {
    const conversation = model.conversations.get(conversationId);
    if (!conversation) return ["again"];
    Object.assign(conversation.info, { unread, mentions });
    if (unread > 0) conversation.unreadFrom ??= firstUnread;
    else if (conversation !== model.current) conversation.unreadFrom = null;
    return ["list", "log"];
  },

  edited(model, event) {
    const conversation = model.conversation(event);
    for (const message of [conversation?.messages.byId.get(event.id), conversation?.info.last]) {
      if (message?.id === event.id) Object.assign(message, { text: event.text, edited: true });
    }
    return ["log", "list"];
  },

  deleted(model, event) {
    const conversation = model.conversation(event);
    if (conversation) remove(conversation, event.id);
    return ["log", "list"];
  },

  delivered: takeDelivery,
  read: takeDelivery,
  failed: takeDelivery,

  typing(model, event) {
    const conversation = model.conversation(event);
    if (event.on) conversation?.typing.set(event.who.key, event.who);
    else conversation?.typing.delete(event.who.key);
    return ["typing"];
  },

  peer(model, event) {
    const known = model.people.get(inRoom(event.room, event.who));
    const roomId = model.rooms.get(event.room)?.id;
    const person = { roomId, muted: false, verified: false, blocked: false, ...known, ...event, since: new Date().toISOString() };
    const isRenamed = known !== undefined && known.who.displayName !== event.who.displayName;
    model.people.set(inRoom(event.room, event.who), person);
    forgetPeople(model.people);
    const room = model.conversation({ room: event.room });
    if (!room) return ["people"];
    // Peers in other networks, behind a bridge, are not counted among those online here.
    if (event.peers !== undefined) room.info.online = event.peers;
    if (!isHere(person)) room.typing.delete(event.who.key);
    if (event.was) recordRename(model, room, event.was.who, event.who);
    // A peer with an earlier state was here, and did not come.
    else if (isHere(person) !== (known !== undefined && isHere(known))) fold(room, isHere(person) ? 1 : 0, isHere(person) ? 0 : 1);
    return isRenamed ? ["all"] : ["people", "log", "title"];
  },

  // The user has another name.
  renamed(model, event) {
    const room = model.rooms.get(event.room);
    if (!room) return ["again"];
    room.self = event.self;
    const conversation = model.conversation({ room: event.room });
    if (conversation) keepText(conversation, `you are now ${event.self.displayName}`);
    return ["all"];
  },

  // The user is away, is back, or has another line of its own, whichever face asked for it.
  status(model, { room: name, state, reason, about }) {
    const room = model.rooms.get(name);
    if (!room) return ["again"];
    const isSame = room.state === state && room.reason === reason;
    Object.assign(room, { state, reason, about });
    const conversation = model.conversation({ room: name });
    if (conversation && !isSame) keepText(conversation, state === "away" ? `you are away${reason ? `: ${reason}` : ""}` : "you are back");
    return ["title", "log"];
  },

  // The messages of a peer go when the user blocks it, and come again from the node when that is taken back; counts change with them.
  blocked(model, event) {
    if (event.on) {
      for (const conversation of model.conversations.values()) {
        if (conversation.info.room !== event.room) continue;
        for (const { id, from } of [...conversation.messages.all]) if (from.key === event.who.key) remove(conversation, id);
      }
      model.requests.delete(inRoom(event.room, event.who));
    }
    return ["again"];
  },

  // Of a bridge, which may carry what the user says to other networks.
  notice(model, event) {
    const room = model.conversation({ room: event.room });
    if (!room || !bridgeNotices.has(event.code)) return [];
    room.info.bridged = bridgeNotices.get(event.code) ?? room.info.bridged;
    keepText(room, event.message);
    return ["title", "list", "log"];
  },

  // In a large room, arrivals and departures come as numbers.
  crowd(model, event) {
    const room = model.conversation({ room: event.room });
    if (!room) return [];
    room.info.online = event.peers;
    fold(room, event.came, event.left);
    return ["people", "log", "title"];
  },

  request(model, event) {
    const roomId = model.rooms.get(event.room)?.id;
    model.requests.set(inRoom(event.room, event.from), { key: event.from.key, room: event.room, roomId, from: event.from, text: event.text });
    return ["list"];
  },

  invitation(model, event) {
    model.invite([event]);
    return ["list"];
  },

  // Its messages are not known yet, or it is over.
  direct(model, event) {
    model.requests.delete(inRoom(event.room, event.with));
    return ["again"];
  },
}));

function takeDelivery(model, event) {
  const messages = model.conversation(event)?.messages;
  for (const id of event.ids) {
    const message = messages?.byId.get(id);
    if (message) message.delivery = event.event;
  }
  return ["log"];
}

// Counts arrivals and departures behind a message in one note.
function fold(room, came, left) {
  const note = noteBehindLast(room);
  note.came += came;
  note.left += left;
}

// Removes a message. What stood behind it stays, behind the one before.
function remove(conversation, id) {
  const { all } = conversation.messages;
  const previous = all[all.findIndex((message) => message.id === id) - 1]?.id ?? null;
  for (const row of [...conversation.notes, ...conversation.answers]) if (row.behind === id) row.behind = previous;
  conversation.messages.remove(id);
  if (conversation.info.last?.id === id) conversation.info.last = all.at(-1) ?? null;
}

function keepText(conversation, text) {
  const note = noteBehindLast(conversation);
  note.texts = [...note.texts.slice(1 - mostTexts), text];
}

// Notes the other name of a peer, in the room and in the direct conversation with it: the first name and the present one.
function recordRename(model, room, was, who) {
  if (was.displayName === who.displayName) return;
  const direct = [...model.conversations.values()].find(({ info }) => info.room === room.info.room && info.with?.key === who.key);
  for (const conversation of [room, direct]) {
    if (!conversation) continue;
    const { renames } = noteBehindLast(conversation);
    const first = renames.get(who.key)?.was ?? was.displayName;
    if (first === who.displayName) renames.delete(who.key);
    else if (renames.size < mostPeople) renames.set(who.key, { was: first, is: who.displayName });
  }
}

function noteBehindLast({ messages, notes }) {
  const behind = messages.all.at(-1)?.id ?? null;
  if (notes.at(-1)?.behind !== behind) notes.push({ behind, came: 0, left: 0, texts: [], renames: new Map() });
  if (notes.length > mostNotes) notes.shift();
  return notes.at(-1);
}

// Lets go of the peers that left first, as the node does.
function forgetPeople(people) {
  if (people.size <= mostPeople) return;
  const gone = [...people.values()].filter((person) => !isHere(person)).sort((a, b) => (a.since < b.since ? -1 : 1));
  for (const { room, who } of gone.slice(0, people.size - mostPeople)) people.delete(inRoom(room, who));
}
