// A peer: its presence, and dialogues about it.
import { avatar, marksOf } from "/avatar.js";
import * as dialogs from "/dialogs.js";
import { element } from "/elements.js";
import { clock, day } from "/text.js";

const { attempt } = dialogs;

// A peer may be in several rooms, as another user in each.
const pathOf = ({ roomId, who }) => `rooms/${roomId}/people/${who.key}`;

// The state in words, the peer's own words last.
export function presenceOf({ state, since, reason, elsewhere }) {
  const today = day(Date.now());
  const left = since ? ` since ${day(since) === today ? "" : `${day(since)}, `}${clock(since)}` : "";
  const words = { online: elsewhere ? "in another network" : "online", away: "away", offline: `not here${left}` }[state];
  return reason ? `${words}: ${reason}` : words;
}

export class People {
  // on: {open(conversationId), invite(person), color(key)}
  constructor(api, model, on) {
    Object.assign(this, { api, model, on });
  }

  // The row of a message's author; of one whom the node does not list, what the message says.
  author({ info }, { from }) {
    return this.model.person(info, from) ?? { who: from, room: info.room, roomId: info.roomId, state: "offline" };
  }

  show(person) {
    const { who } = person;
    const row = element("p", "person-row");
    const marks = ["verified", "muted", "blocked"].filter((mark) => person[mark]).map((mark) => ` · ${mark}`);
    const words = element("bdi", "quiet", `${presenceOf(person)}${marks.join("")} · ${person.room}`);
    row.append(avatar(who, `c${this.on.color(who.key)}`, marksOf(who, person)), words);
    dialogs.show(who.displayName, [row], [
      ["Direct message", () => this.message(person)],
      ["Verify", () => this.verify(person)],
      [person.muted ? "Unmute" : "Mute", () => this.mark(person, "mute", !person.muted)],
      [person.blocked ? "Unblock" : "Block", () => this.mark(person, "block", !person.blocked), !person.blocked],
      ["Invite to a room", () => this.on.invite(person)],
    ]);
  }

  mark(person, name, isOn) {
    return attempt(() => this.api.ask(isOn ? "PUT" : "DELETE", `${pathOf(person)}/${name}`));
  }

  // Opens the direct conversation, or asks for the message that begins one.
  message({ who, roomId }) {
    const id = `${roomId}-${who.key}`;
    if (this.model.conversations.has(id)) return this.on.open(id);
    dialogs.ask(`To ${who.displayName}`, ["Message"], (text) =>
      attempt(() => this.api.ask("POST", `rooms/${roomId}/direct`, { to: who.key, text })));
  }

  async verify(person) {
    const { who } = person;
    const whole = await attempt(() => this.api.ask("GET", pathOf(person)));
    if (!whole) return;
    // Without libqrencode there is no picture.
    const picture = await this.api.ask("GET", `${pathOf(person)}/code.svg`).catch(() => null);
    const rows = [
      element("p", "", "Compare these digits with the other user, by voice or side by side. They are equal at both."),
      element("p", "code", whole.code),
    ];
    if (picture) rows.push(pictureOf(picture));
    dialogs.show(`Is this ${who.displayName}?`, rows, [
      ["They are equal", () => this.mark(person, "verified", true)], ["They differ", () => this.mark(person, "verified", false)]]);
  }
}

function pictureOf(source) {
  const picture = document.adoptNode(new DOMParser().parseFromString(source, "image/svg+xml").documentElement);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "the digits as a QR code");
  const box = element("div", "picture");
  box.append(picture);
  return box;
}
