// Changes the language of the page, and all words that are shown.
import { part } from "/elements.js";
import { keepChoice } from "/kept.js";
import { fillWords, languageOf, takeLanguage, wholeOf } from "/strings.js";

// - draw: has what others show made again.
// Throws a TypeError if the node is not reached.
export async function change({ menu, model, log }, draw) {
  const other = languageOf() === "ko" ? "en" : "ko";
  const whole = await wholeOf(other);
  // A dialogue that has come meanwhile has its words.
  if (part("dialog").open) return;
  takeLanguage(other, whole);
  keepChoice("language", other);
  menu?.close();
  if (part("picker").matches(":popover-open")) part("picker").hidePopover();
  fillWords(document);
  for (const { messages } of model.conversations.values()) for (const row of messages.all) row.day = undefined;
  log.forget();
  draw();
}
