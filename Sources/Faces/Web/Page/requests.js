// The list of requests and invitations.
import { avatar, marksOf } from "/avatar.js";
import { button, element, peerName } from "/elements.js";
import { replace } from "/side.js";
import { phrase } from "/strings.js";
import { shownText } from "/text.js";

export class Requests {
  // on: {attempt(request), follow(answer), use(part, action), changed()}
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

  async answer({ conversationId, roomId, from }, accept) {
    const answer = await this.on.attempt(() => this.api.ask("POST", `rooms/${roomId}/requests/${from.key}`, { accept }));
    if (accept && answer !== undefined) this.on.follow({ shown: conversationId });
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
