// What the page shows: rows of the node as it sends them, and what this page alone knows: drafts, answers to its commands, invitations that
// are hidden, the conversation that it shows, and the line over new messages. No drawing.
import { Messages } from "/messages.js";

const mostPeople = 1024;

export class Model {
  constructor() {
    this.conversations = new Map();
    this.hidden = new Set();
    // Conversations that have ended, until the texts of the user that were not said there are kept elsewhere.
    this.ended = [];
    // The id of the conversation that is shown; the row of one that a command opened may come later.
    this.active = null;
    // The lists that are shown whole.
    this.unfolded = new Set();
  }

  // Takes all that the node knows. A conversation stays the same object, so that a draft, a composition and the place in the log go on; behind
  // a wipe, the ids are others.
  snapshot(event) {
    const before = this.conversations;
    const [people, requests] = [event.people, event.requests].map((rows) => new Map(rows.map((row) => [inRoom(row), row])));
    Object.assign(this, { conversations: new Map(), people, requests, invitations: new Map(), colors: new Map(),
      nodes: byId(event.rooms), cards: byId(event.cards) });
    for (const { messages, ...info } of event.conversations) {
      const conversation = before.get(info.id) ?? made(info);
      const unreadFrom = conversation.unreadFrom ?? info.firstUnread;
      Object.assign(conversation, { info, unreadFrom, messages: conversation.messages.renewed(messages) });
      for (const { kind, id } of [...conversation.messages.all]) if (kind === "card" && !this.cards.has(id)) conversation.messages.remove(id);
      this.conversations.set(info.id, conversation);
    }
    // The last room can not be left: without any of before, the user has another identity, which gets nothing of this one.
    this.isAnew = before.size > 0 && ![...before.keys()].some((id) => this.conversations.has(id));
    for (const [id, conversation] of before) if (!this.conversations.has(id)) this.ended.push(conversation);
    if (this.isAnew) for (const conversation of this.ended.splice(0)) conversation.isErased = true;
    for (const invitation of event.invitations) this.invite(invitation);
    this.paint(event.colors);
    // At first what another face shows.
    if (!this.current) this.active = (event.conversations.find((info) => info.active) ?? event.conversations[0])?.id ?? null;
  }

  // Takes an invitation: {from, to, private}. Those that the user hid stay hidden on this page.
  invite(invitation) {
    if (!this.hidden.has(nameOf(invitation))) this.invitations.set(nameOf(invitation), invitation);
  }

  hide(invitation) {
    this.hidden.add(nameOf(invitation));
    this.invitations.delete(nameOf(invitation));
  }

  // The own rooms, as their conversations.
  get rooms() {
    return [...this.conversations.values()].map(({ info }) => info).filter(({ kind }) => kind === "room");
  }

  // The cards on the notice board of a room.
  cardsIn(roomId) {
    return [...this.cards.values()].filter((card) => card.roomId === roomId);
  }

  // The listed peers of a room.
  peopleIn(roomId) {
    return [...this.people.values()].filter((person) => person.roomId === roomId);
  }

  // The peers of a room that are here and not listed, as in a large one.
  unlisted(roomId) {
    const { online } = this.conversations.get(roomId)?.info ?? { online: 0 };
    return Math.max(0, online - this.peopleIn(roomId).filter(({ state, elsewhere }) => state !== "offline" && !elsewhere).length);
  }

  // The row of a message's author, or of the other one of a direct conversation; undefined if the node has none any more.
  person({ roomId }, { key }) {
    return this.people.get(`${roomId}-${key}`);
  }

  // The row of a message's author; of one whom the node does not list, what the message says.
  author({ info }, { from }) {
    return this.person(info, from) ?? { who: from, room: info.room, roomId: info.roomId, state: "offline" };
  }

  // Whether a message can be acted on: it is neither deleted nor gone with its conversation or its author.
  has(conversation, { id }) {
    return this.conversations.get(conversation.info.id) === conversation && conversation.messages.message(id) !== undefined;
  }

  // The class of the colour that a peer's name has.
  colorOf({ key }) {
    return `c${this.colors.get(key) ?? 0}`;
  }

  // The peers of a room that are here, by their names.
  here(roomId) {
    const people = this.peopleIn(roomId).filter(({ state, blocked }) => state !== "offline" && !blocked);
    return people.map(({ who }) => who).sort((a, b) => a.displayName.localeCompare(b.displayName));
  }

  get current() {
    return this.conversations.get(this.active);
  }

  get unread() {
    let sum = this.requests.size + this.invitations.size;
    for (const { info } of this.conversations.values()) sum += info.unread;
    return sum;
  }

  // The own name and state in the room of a conversation: {self, state, reason}.
  me({ roomId }) {
    return this.conversations.get(roomId).info;
  }

  // The name of now of a message's author, as a message has the name of its time: the own one, or that of the author's row.
  authorOf(info, { from, isFromCurrentUser }) {
    return isFromCurrentUser ? this.me(info).self : this.person(info, from)?.who ?? from;
  }

  paint(colors) {
    for (const { key, color } of colors) this.colors.set(key, color);
  }

  // Shows a conversation. The line over new messages stays while theirs is open.
  open(id) {
    if (this.current && this.active !== id) this.current.unreadFrom = null;
    this.active = id;
  }
}

const made = (info) => ({
  // `edit` is {message, text}, a change that is not sent yet, `held` {title, text}, lines of a conversation that has ended, or behind a
  // refused command, without a title, and `replyTo` the id of the message that the draft answers.
  info, messages: new Messages(), draft: "", edit: null, held: null, replyTo: null, unreadFrom: null,
});

// The name of a peer among those of all rooms: one key may be in several, and is another user in each.
const inRoom = ({ roomId, who, from }) => `${roomId}-${(who ?? from).key}`;

const byId = (rows) => new Map(rows.map((row) => [row.id, row]));

const nameOf = ({ from, to }) => `${from.key} ${to}`;

// The parts of the page that are drawn again for an event: "list", "people", "log", "title", or "all"; "again" if the page needs a new
// snapshot.
export function take(model, event) {
  return takers.get(event.event)?.(model, event, model.conversations.get(event.conversationId)) ?? [];
}

const again = () => ["again"];

const takers = new Map(Object.entries({
  // A further room, or the node of another identity.
  ready: again,
  parted: again,

  snapshot(model, event) {
    model.snapshot(event);
    return ["all"];
  },

  // The page has nothing until the next identity is there.
  wiped(model) {
    model.snapshot({ rooms: [], conversations: [], people: [], requests: [], invitations: [], colors: [], cards: [] });
    return ["all"];
  },

  message: (model, event, conversation) => (conversation?.messages.add(event, event.before) ? ["log", "list"] : ["again"]),

  // What came and changed behind the last message.
  note(model, event, conversation) {
    if (!conversation) return ["again"];
    const { messages } = conversation;
    const note = { ...event, kind: "note", id: `note ${event.number}` };
    const known = messages.byId.get(note.id);
    if (known) Object.assign(known, note);
    else messages.add(note, null);
    return ["log"];
  },

  conversation(model, info) {
    const known = model.conversations.get(info.id);
    if (known) known.info = info;
    else model.conversations.set(info.id, made(info));
    return ["all"];
  },

  ended(model, { conversationId }, conversation) {
    if (conversation) model.ended.push(conversation);
    model.conversations.delete(conversationId);
    return conversationId === model.active ? ["again"] : ["list"];
  },

  person(model, person) {
    model.people.set(inRoom(person), person);
    forgetPeople(model.people);
    return ["people", "list", "log", "title"];
  },

  colors(model, { colors }) {
    model.paint(colors);
    return ["people", "log"];
  },

  // Whatever view reads them.
  unread(model, { unread, mentions, firstUnread }, conversation) {
    if (!conversation) return ["again"];
    Object.assign(conversation.info, { unread, mentions });
    if (unread > 0) conversation.unreadFrom ??= firstUnread;
    else if (conversation !== model.current) conversation.unreadFrom = null;
    return ["list", "log"];
  },

  edited(model, { id, text, action }, conversation) {
    Object.assign(conversation?.messages.message(id) ?? {}, { text, action, edited: true });
    return ["log", "list"];
  },

  deleted(model, { id }, conversation) {
    conversation?.messages.erase(id);
    return ["log", "list"];
  },

  reacted(model, { id, reactions }, conversation) {
    Object.assign(conversation?.messages.message(id) ?? {}, { reactions });
    return ["log"];
  },

  // One that another user puts up now has a line among the messages, which goes with it.
  card(model, card) {
    model.cards.set(card.id, card);
    if (!card.history && !card.isFromCurrentUser) model.conversations.get(card.roomId)?.messages.add({ kind: "card", id: card.id }, null);
    return ["title", "log"];
  },

  cardRemoved(model, { id, roomId }) {
    model.cards.delete(id);
    model.conversations.get(roomId)?.messages.remove(id);
    return ["title", "log"];
  },

  delivered: takeDelivery,
  read: takeDelivery,
  failed: takeDelivery,

  // Of the peer's messages, those that the node keeps no more have no event. When the block is taken back, the others come again.
  blocked(model, { on, roomId, who }) {
    if (!on) return [];
    for (const { info, messages } of model.conversations.values()) {
      if (info.roomId !== roomId) continue;
      for (const message of [...messages.all]) {
        if (message.from?.key === who.key) messages.remove(message.id);
        else if (message.kind === "note") forgetNames(message, who.key);
      }
    }
    for (const [name, { from }] of model.invitations) if (from.key === who.key) model.invitations.delete(name);
    return ["all"];
  },

  request(model, event) {
    model.requests.set(event.conversationId, event);
    return ["list"];
  },

  requestEnded(model, { conversationId }) {
    model.requests.delete(conversationId);
    return ["list"];
  },

  invitation(model, event) {
    if (!event.there) model.invite(event);
    return ["list"];
  },
}));

function forgetNames(note, key) {
  const renames = note.renames.filter((rename) => rename.key !== key);
  Object.assign(note, { renames, renamed: note.renamed - note.renames.length + renames.length });
}

function takeDelivery(model, { event, ids }, conversation) {
  for (const id of ids) Object.assign(conversation?.messages.message(id) ?? {}, { delivery: event });
  return ["log"];
}

// Lets go of the peers that left first, as the node does.
function forgetPeople(people) {
  if (people.size <= mostPeople) return;
  const gone = [...people.values()].filter(({ state }) => state === "offline").sort((a, b) => (a.since < b.since ? -1 : 1));
  for (const person of gone.slice(0, people.size - mostPeople)) people.delete(inRoom(person));
}
