// Keeps what the user typed for conversations that have ended, as texts that are not sent, in the one that is shown.
import { heldWords, lineOf } from "/text.js";

export function keepTexts(model, outbox) {
  const { current } = model;
  if (!current) return;
  for (const { info, held, edit, draft } of model.ended.splice(0)) {
    const lines = [held?.text, edit && changed(edit), draft].filter((line) => line?.trim());
    // None is said by itself there, and none answers a message.
    outbox.move(info.id, current.info.id, lines, (text) => {
      Object.assign(text, { reason: heldWords(info), line: text.line ?? lineOf(text.text), replyTo: null });
      // The answer says whether a text that is under way was said.
      if (text.state === "waiting") text.state = "refused";
    });
  }
}

// The text of an edit; null if it changes nothing.
function changed({ message, text }) {
  return text === (message.action ? `/me ${message.action}` : lineOf(message.text)) ? null : text;
}
