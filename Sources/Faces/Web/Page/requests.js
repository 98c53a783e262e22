// The list of requests and invitations.
import { avatar, marksOf } from "/avatar.js";
import { button, element, peerName } from "/elements.js";
import { replace } from "/side.js";
import { phrase } from "/strings.js";
import { shownText } from "/text.js";

// on: {answer(request, accepts), join(invitation), hide(invitation)}
export function drawRequests(root, model, on) {
  const requests = [...model.requests.values()].map((request) => {
    const { displayName } = request.from;
    return question(model, request.from, request.text, [
      [phrase("accept"), () => on.answer(request, true), phrase("acceptWho", displayName)],
      [phrase("decline"), () => on.answer(request, false), phrase("declineWho", displayName)],
    ]);
  });
  const invitations = [...model.invitations.values()].map((invitation) => question(
    model, invitation.from, phrase(invitation.private ? "invitesPrivate" : "invitesOpen", invitation.to), [
      [phrase("join"), () => on.join(invitation), phrase("joinWhich", invitation.to)],
      [phrase("hide"), () => on.hide(invitation), phrase("hideWhich", invitation.to)],
    ]));
  replace(root, [...requests, ...invitations]);
}

function question(model, who, text, actions) {
  const row = element("div", "question");
  const buttons = element("p", "buttons");
  buttons.append(...actions.map((action) => button(...action)));
  row.append(avatar(who, model.colorOf(who), marksOf(who)), peerName(who), element("bdi", "quiet", shownText(text)), buttons);
  return row;
}
