// Dialogues about rooms: join, make, leave, invite, announce.
import * as dialogs from "/dialogs.js";
import { button, element } from "/elements.js";

const { attempt } = dialogs;

// A name that has nothing is refused before a key goes anywhere.
const nameFault = (name) => (name === "" ? "a room needs a name" : null);

export class RoomDialogs {
  // - follow: shows the conversation that a command opened, by its answer.
  constructor(api, model, follow) {
    Object.assign(this, { api, model, follow });
  }

  // What a command caused, as `--json` has it; undefined for a refusal, which is told.
  async command(command, operands = {}, room = undefined) {
    const answer = await attempt(() => this.api.perform({ command, operands, room }));
    if (answer) this.follow(answer);
    return answer?.reports;
  }

  async join() {
    const { reports } = await this.api.perform({ command: "rooms" }).catch(() => ({ reports: [] }));
    const announced = reports.find(({ command }) => command === "rooms")?.announced ?? [];
    const others = announced.filter(({ name }) => !this.model.rooms.some(({ room }) => room === name));
    const rows = others.map(({ name, people }) => {
      const row = element("p", "announced");
      row.append(element("bdi", "", name), ` · announced by ${people} `, button("Join", () =>
        dialogs.perform(() => this.command("join", { room: name, open: true })), `join ${name}`));
      return row;
    });
    if (rows.length > 0) rows.unshift(element("h3", "", "Rooms that people here announce"));
    dialogs.ask("Join a room", ["Name", "Key (empty for an open room)"], (room, key) =>
      this.command("join", key === "" ? { room } : { room, key }), { more: rows, fault: nameFault });
  }

  // The invitation leads to the room, with its key if it has one.
  accept(invitation) {
    return this.command("join", { room: invitation.to });
  }

  make() {
    dialogs.ask("Make a private room", ["Name"], async (room) => {
      const made = (await this.command("room", { room }))?.find((report) => report.command === "room");
      if (!made) return;
      dialogs.show("The key of the room", [
        element("p", "", "All who have it can join. Give it only to them. It is shown this once."), element("p", "key", made.key),
        dialogs.copyButton(made.key)], [], { isKept: true });
    }, { fault: nameFault });
  }

  // - info: the room's conversation.
  async about(info) {
    const rows = [element("p", "", info.private ? "A private room: only those who have its key can join."
      : "An open room: all who know its name can join.")];
    const actions = [
      ["Announce my other open rooms here", () => this.command("announce", {}, info.room)],
      ["Announce none", () => this.command("announce", { off: true }, info.room)],
    ];
    if (this.model.rooms.length > 1) actions.unshift(["Leave the room", () => this.leave(info), true]);
    else rows.push(element("p", "quiet", "It is your only room, so it can not be left."));
    if (info.bridged) await this.addConsent(info, rows, actions);
    dialogs.show(info.title, rows, actions);
  }

  // Whether bridges may carry what the user says.
  async addConsent(info, rows, actions) {
    const bridge = (await this.command("bridge", {}, info.room))?.find((report) => report.command === "bridge");
    if (!bridge) return;
    const words = bridge.allowed ? "with what you say" : "without what you say";
    rows.push(element("p", "", `⇄ A bridge carries it to other networks, ${words}.`));
    actions.push(bridge.allowed ? ["Keep what I say here", () => this.command("bridge", { on: false }, info.room)]
      : ["Let bridges carry what I say", () => this.command("bridge", { on: true }, info.room)]);
  }

  leave(info) {
    dialogs.show(`Leave ${info.title}?`, [element("p", "", "Its messages are gone from this node.")], [
      ["Leave", () => this.command("part", { room: info.room }), true]], { isHarmful: true });
  }

  // Invites a peer to another of the own rooms.
  invite(person) {
    const others = this.model.rooms.filter(({ room }) => room !== person.room);
    const invite = async (room) => {
      const reports = await this.command("invite", { who: person.who.key, room }, person.room);
      if (reports) dialogs.show("Invited", [element("p", "", `${person.who.displayName} is invited to ${room}.`)]);
    };
    const words = others.length > 0 ? "To which room? The invitation has the key of a private one." : "You are in no other room.";
    dialogs.show(`Invite ${person.who.displayName}`, [element("p", "", words)], others.map(({ room, title }) => [title, () => invite(room)]));
  }
}
