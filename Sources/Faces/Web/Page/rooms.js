// Dialogues about rooms: join, make, leave, invite, announce.
import { Refusal } from "/api.js";
import * as dialogs from "/dialogs.js";
import { button, element, part } from "/elements.js";

const { attempt } = dialogs;
const space = /[\s\u0085]/u;
const refused = (detail) => new Refusal({ status: 422, code: "bad_room", detail });

// A room's name as an operand of a command. A name that a line can not say would lead to another room: it is refused.
function operand(name) {
  if (name === "") throw refused("a room needs a name");
  if (name.includes('"') && (space.test(name) || name.startsWith('"'))) {
    throw refused("a name with spaces and quotation marks can not be used here");
  }
  return space.test(name) ? `"${name}"` : name;
}

// A private room's key as the last operand; without one the room is open.
function keyOperand(key) {
  if (/(^|[\s\u0085])--(open|as me)$/u.test(key)) throw refused("a key does not end like an option");
  return key;
}

export class RoomDialogs {
  constructor(api, model) {
    Object.assign(this, { api, model });
  }

  // What a line caused, as `--json` has it; undefined for a refusal, which is told.
  // - line: a function that makes it, or throws the refusal of an operand.
  async command(line, room = undefined) {
    return (await attempt(() => this.api.command(typeof line === "string" ? line : line(), room)))?.reports;
  }

  // The node's answer to `/rooms`: {rooms, announced, invitations}; undefined if it is not reached.
  async list() {
    const { reports } = await this.api.command("/rooms").catch(() => ({ reports: [] }));
    return reports.find((report) => report.command === "rooms");
  }

  async join() {
    const announced = (await this.list())?.announced ?? [];
    const known = announced.filter(({ name }) => !this.model.rooms.has(name));
    const rows = known.map(({ name, people }) => {
      const row = element("p", "announced");
      row.append(element("bdi", "", name), ` · announced by ${people} `, button("Join", () => {
        part("dialog").close();
        this.command(() => `/join ${operand(name)} --open`);
      }, `join ${name}`));
      return row;
    });
    if (rows.length > 0) rows.unshift(element("h3", "", "Rooms that people here announce"));
    dialogs.ask("Join a room", ["Name", "Key (empty for an open room)"], (name, key) =>
      this.command(() => `/join ${operand(name)} ${keyOperand(key)}`), rows);
  }

  // The invitation leads to the room, with its key if it has one.
  accept(invitation) {
    return this.command(() => `/join ${operand(invitation.to)}`);
  }

  make() {
    dialogs.ask("Make a private room", ["Name"], async (name) => {
      const made = (await this.command(() => `/room new ${operand(name)}`))?.find((report) => report.command === "room");
      if (!made) return;
      dialogs.show("The key of the room", [
        element("p", "", "All who have it can join. Give it only to them. It is shown this once."), element("p", "key", made.key)]);
    });
  }

  // - info: the room's conversation.
  async about(info) {
    const rows = [element("p", "", info.private ? "A private room: only those who have its key can join."
      : "An open room: all who know its name can join.")];
    const actions = [
      ["Announce my other open rooms here", () => this.command("/announce", info.room)],
      ["Announce none", () => this.command("/announce off", info.room)],
    ];
    if (this.model.rooms.size > 1) actions.unshift(["Leave the room", () => this.leave(info)]);
    else rows.push(element("p", "quiet", "It is your only room, so it can not be left."));
    if (info.bridged) await this.addConsent(info, rows, actions);
    dialogs.show(info.title, rows, actions);
  }

  // Whether bridges may carry what the user says.
  async addConsent(info, rows, actions) {
    const bridge = (await this.command("/bridge", info.room))?.find((report) => report.command === "bridge");
    if (!bridge) return;
    const words = bridge.allowed ? "with what you say" : "without what you say";
    rows.push(element("p", "", `⇄ A bridge carries it to other networks, ${words}.`));
    actions.push(bridge.allowed ? ["Keep what I say here", () => this.command("/bridge off", info.room)]
      : ["Let bridges carry what I say", () => this.command("/bridge on", info.room)]);
  }

  leave(info) {
    dialogs.show(`Leave ${info.title}?`, [element("p", "", "Its messages are gone from this node.")], [
      ["Leave", () => this.command(() => `/part ${operand(info.room)}`)]]);
  }

  // Invites a peer to another of the own rooms.
  invite(person) {
    const others = [...this.model.rooms.keys()].filter((room) => room !== person.room);
    const invite = (room) => this.command(() => `/invite ${person.who.key} ${operand(room)}`, person.room);
    const words = others.length > 0 ? "To which room? The invitation has the key of a private one." : "You are in no other room.";
    dialogs.show(`Invite ${person.who.displayName}`, [element("p", "", words)], others.map((room) => [room, () => invite(room)]));
  }
}
