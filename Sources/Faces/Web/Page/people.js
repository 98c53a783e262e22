// A peer: its presence, and dialogues about it.
import { avatar, marksOf } from "/avatar.js";
import * as dialogs from "/dialogs.js";
import { element } from "/elements.js";
import { phrase } from "/strings.js";
import { presenceOf } from "/text.js";

const { attempt } = dialogs;

// A peer may be in several rooms, as another user in each.
const pathOf = ({ roomId, who }) => `rooms/${roomId}/people/${who.key}`;

export class People {
  // on: {open(conversationId), invite(person)}
  constructor(api, model, on) {
    Object.assign(this, { api, model, on });
  }

  show(person) {
    const { who } = person;
    const row = element("p", "person-row");
    const marks = ["verified", "muted", "blocked"].filter((mark) => person[mark]).map((mark) => ` · ${phrase(mark)}`);
    const words = element("bdi", "quiet", `${presenceOf(person)}${marks.join("")} · ${person.room}`);
    row.append(avatar(who, this.model.colorOf(who), marksOf(who, person)), words);
    dialogs.show(who.displayName, [row], [
      [phrase("directMessage"), () => this.message(person)],
      [phrase("verify"), () => this.verify(person)],
      [phrase(person.muted ? "unmute" : "mute"), () => this.mark(person, "mute", !person.muted)],
      [phrase(person.blocked ? "unblock" : "block"), () => this.mark(person, "block", !person.blocked), !person.blocked],
      [phrase("inviteToRoom"), () => this.on.invite(person)],
    ]);
  }

  mark(person, name, isOn) {
    return attempt(() => this.api.mark(person, name, isOn));
  }

  // Opens the direct conversation, or asks for the message that begins one.
  message({ who, roomId }) {
    const id = `${roomId}-${who.key}`;
    if (this.model.conversations.has(id)) return this.on.open(id);
    dialogs.ask(phrase("to", who.displayName), [phrase("message")], (text) =>
      attempt(() => this.api.ask("POST", `rooms/${roomId}/direct`, { to: who.key, text })));
  }

  async verify(person) {
    const { who } = person;
    const whole = await attempt(() => this.api.ask("GET", pathOf(person)));
    if (!whole) return;
    // Without libqrencode there is no picture.
    const picture = await this.api.ask("GET", `${pathOf(person)}/code.svg`).catch(() => null);
    const rows = [
      element("p", "", phrase("compare")),
      element("p", "code", whole.code),
    ];
    if (picture) rows.push(pictureOf(picture));
    dialogs.show(phrase("isThis", who.displayName), rows, [
      [phrase("equal"), () => this.mark(person, "verified", true)], [phrase("differ"), () => this.mark(person, "verified", false)]]);
  }
}

function pictureOf(source) {
  const picture = document.adoptNode(new DOMParser().parseFromString(source, "image/svg+xml").documentElement);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", phrase("asCode"));
  const box = element("div", "picture");
  box.append(picture);
  return box;
}
