// The list of requests and invitations.
import { avatar, marksOf } from "/avatar.js";
import { button, element, peerName } from "/elements.js";
import { replace } from "/side.js";
import { phrase } from "/strings.js";
import { shownText } from "/text.js";

export class Requests {
  // on: {attempt(request), follow(answer), use(part, action), lead(led), changed()}
  constructor(root, api, model, on) {
    Object.assign(this, { root, api, model, on });
  }

  draw() {
    const { root, model } = this;
    const requests = [...model.requests.values()].map((request) => {
      const { displayName } = request.from;
      return question(model, request.from, request.text, [
        [phrase("accept"), () => this.answer(request, true), phrase("acceptWho", displayName)],
        [phrase("decline"), () => this.answer(request, false), phrase("declineWho", displayName)],
      ]);
    });
    const invitations = [...model.invitations.values()].map((invitation) => question(
      model, invitation.from, phrase(invitation.private ? "invitesPrivate" : "invitesOpen", invitation.to), [
        [phrase("join"), () => this.on.use("rooms", (rooms) => rooms.accept(invitation)), phrase("joinWhich", invitation.to)],
        [phrase("hide"), () => this.hide(invitation), phrase("hideWhich", invitation.to)],
      ]));
    replace(root, [...requests, ...invitations]);
  }

  // What is typed behind Accept is for the conversation that it opens.
  answer(request, accept) {
    const answered = this.on.attempt(() => this.api.ask("POST", `rooms/${request.roomId}/requests/${request.from.key}`, { accept }));
    if (accept) this.on.lead(answered.then((answer) => this.opened(request, answer)));
    this.on.changed();
  }

  opened({ conversationId }, answer) {
    if (answer === undefined) return null;
    this.on.follow({ shown: conversationId });
    return conversationId;
  }

  hide(invitation) {
    this.model.hide(invitation);
    this.on.changed();
  }
}

function question(model, who, text, actions) {
  const row = element("div", "question");
  const buttons = element("p", "buttons");
  buttons.append(...actions.map((action) => button(...action)));
  row.append(avatar(who, model.colorOf(who), marksOf(who)), peerName(who), element("bdi", "quiet", shownText(text)), buttons);
  return row;
}
