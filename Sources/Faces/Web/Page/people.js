// Dialogues about a peer.
import * as dialogs from "/dialogs.js";
import { element } from "/elements.js";

const { attempt } = dialogs;

// A peer may be in several rooms, as another user in each.
const pathOf = ({ roomId, who }) => `rooms/${roomId}/people/${who.key}`;

export function showPerson(api, person, invite) {
  const mark = (name, isOn) => attempt(() => api.ask(isOn ? "PUT" : "DELETE", `${pathOf(person)}/${name}`));
  dialogs.show(person.who.displayName, [element("p", "quiet", `${person.state} in ${person.room}`)], [
    ["Direct message", () => askForMessage(api, person)],
    ["Verify", () => verify(api, person, mark)],
    [person.muted ? "Unmute" : "Mute", () => mark("mute", !person.muted)],
    [person.blocked ? "Unblock" : "Block", () => mark("block", !person.blocked)],
    ["Invite to a room", () => invite(person)],
  ]);
}

function askForMessage(api, { who, roomId }) {
  dialogs.ask(`To ${who.displayName}`, ["Message"], (text) =>
    attempt(() => api.ask("POST", `rooms/${roomId}/direct`, { to: who.key, text })));
}

async function verify(api, person, mark) {
  const { who } = person;
  const whole = await attempt(() => api.ask("GET", pathOf(person)));
  if (!whole) return;
  // Without libqrencode there is no picture.
  const picture = await api.ask("GET", `${pathOf(person)}/code.svg`).catch(() => null);
  const rows = [
    element("p", "", "Compare these digits with the other user, by voice or side by side. They are equal at both."),
    element("p", "code", whole.code),
  ];
  if (picture) rows.push(pictureOf(picture));
  dialogs.show(`Is this ${who.displayName}?`, rows, [
    ["They are equal", () => mark("verified", true)], ["They differ", () => mark("verified", false)]]);
}

function pictureOf(source) {
  const picture = document.adoptNode(new DOMParser().parseFromString(source, "image/svg+xml").documentElement);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "the digits as a QR code");
  const box = element("div", "picture");
  box.append(picture);
  return box;
}
