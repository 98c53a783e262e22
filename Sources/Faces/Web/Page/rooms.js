// Dialogues about rooms, join, make, leave, invite, announce, and about the own name and all data.
import * as dialogs from "/dialogs.js";
import { button, element } from "/elements.js";
import { phrase } from "/strings.js";
import { shownText } from "/text.js";

const { attempt } = dialogs;

// A name that has nothing is refused before a key goes anywhere.
const nameFault = (name) => (name === "" ? phrase("roomFault") : null);

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

  rename(room) {
    const fault = (name) => (name === "" ? phrase("nameFault") : null);
    dialogs.ask(phrase("yourName"), [phrase("name")], (name) => this.command("nick", { name }, room), { fault });
  }

  wipe() {
    dialogs.show(phrase("wipeQuestion"), [element("p", "", phrase("wipeText"))], [
      [phrase("wipe"), () => this.command("wipe", { yes: true }), true],
      [phrase("wipeNow"), () => this.command("wipe", { yes: true, now: true }), true]], { isHarmful: true });
  }

  async join() {
    const { reports } = await this.api.perform({ command: "rooms" }).catch(() => ({ reports: [] }));
    const announced = reports.find(({ command }) => command === "rooms")?.announced ?? [];
    const others = announced.filter(({ name }) => !this.model.rooms.some(({ room }) => room === name));
    const rows = others.map(({ name, people }) => {
      const row = element("p", "announced");
      row.append(element("bdi", "", shownText(name)), phrase("announcedBy", people), button(phrase("join"), () =>
        dialogs.perform(() => this.command("join", { room: name, open: true })), phrase("joinWhich", name)));
      return row;
    });
    if (rows.length > 0) rows.unshift(element("h3", "", phrase("announcedRooms")));
    dialogs.ask(phrase("joinRoom"), [phrase("name"), phrase("keyLabel")], (room, key) =>
      this.command("join", key === "" ? { room } : { room, key }), { more: rows, fault: nameFault });
  }

  // The invitation leads to the room, with its key if it has one.
  accept(invitation) {
    return this.command("join", { room: invitation.to });
  }

  make() {
    dialogs.ask(phrase("makeRoom"), [phrase("name")], async (room) => {
      const made = (await this.command("room", { room }))?.find((report) => report.command === "room");
      if (!made) return;
      dialogs.show(phrase("keyTitle"), [
        element("p", "", phrase("keyText")), element("p", "key", made.key),
        dialogs.copyButton(made.key)], [], { isKept: true });
    }, { fault: nameFault });
  }

  // - info: the room's conversation.
  async about(info) {
    // What is asked for comes first: all words are of one language then.
    const bridge = info.bridged && (await this.command("bridge", {}, info.room))?.find((report) => report.command === "bridge");
    const rows = [element("p", "", phrase(info.private ? "privateRoom" : "openRoom"))];
    const actions = [
      [phrase("announce"), () => this.command("announce", {}, info.room)],
      [phrase("announceNone"), () => this.command("announce", { off: true }, info.room)],
    ];
    if (this.model.rooms.length > 1) actions.unshift([phrase("leaveRoom"), () => this.leave(info), true]);
    else rows.push(element("p", "quiet", phrase("onlyRoom")));
    if (bridge) this.addConsent(bridge, info, rows, actions);
    dialogs.show(info.title, rows, actions);
  }

  // Whether bridges may carry what the user says.
  addConsent(bridge, info, rows, actions) {
    rows.push(element("p", "", phrase(bridge.allowed ? "bridgeWith" : "bridgeWithout")));
    actions.push(bridge.allowed ? [phrase("bridgeOff"), () => this.command("bridge", { on: false }, info.room)]
      : [phrase("bridgeOn"), () => this.command("bridge", { on: true }, info.room)]);
  }

  leave(info) {
    dialogs.show(phrase("leaveQuestion", info.title), [element("p", "", phrase("leaveText"))], [
      [phrase("leave"), () => this.command("part", { room: info.room }), true]], { isHarmful: true });
  }

  // Invites a peer to another of the own rooms.
  invite(person) {
    const others = this.model.rooms.filter(({ room }) => room !== person.room);
    const invite = async (room) => {
      const reports = await this.command("invite", { who: person.who.key, room }, person.room);
      if (reports) dialogs.show(phrase("invited"), [element("p", "", phrase("invitedText", person.who.displayName, room))]);
    };
    const words = phrase(others.length > 0 ? "whichRoom" : "noOtherRoom");
    dialogs.show(phrase("inviteWho", person.who.displayName), [element("p", "", words)], others.map(({ room, title }) => [title, () => invite(room)]));
  }
}
