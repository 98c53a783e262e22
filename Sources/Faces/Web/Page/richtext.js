// The text of a message as elements: links, code in monospace, a few emoji alone in large. All of it stays text.
import { element } from "/elements.js";
import { shownText } from "/text.js";

const mostEmoji = 6;
// Neither a control character nor one that changes the direction is part of an address.
const parts = /`([^`]+)`|\bhttps?:\/\/[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800\ufffd<>"`]+/giu;
const emoji = /^\p{RGI_Emoji}(?:\s*\p{RGI_Emoji})*$/v;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

// - said: a text of one line.
export function richText(said) {
  const text = shownText(said);
  const shown = element("span", "text");
  shown.dir = "auto";
  if (isEmojiAlone(text)) shown.classList.add("large");
  let place = 0;
  for (const found of text.matchAll(parts)) {
    const made = found[1] ? [element("code", "", found[1])] : link(found[0]);
    if (!made) continue;
    shown.append(text.slice(place, found.index), ...made);
    place = found.index + (found[1] ? found[0].length : made[0].textContent.length);
  }
  shown.append(text.slice(place));
  return shown;
}

export function isEmojiAlone(text) {
  // Most texts are not worth the question.
  if (text.length > 16 * mostEmoji || /[\p{L}\p{Nd}]/u.test(text) || !emoji.test(text)) return false;
  return [...segmenter.segment(text)].filter(({ segment }) => segment.trim()).length <= mostEmoji;
}

// A link to what an address names, without the punctuation behind it, and its host where that is not the one that is read; null for what is
// no address.
function link(found) {
  const address = trimmed(found);
  const url = URL.parse(address);
  // What stands in front of an @ can look like the host.
  if (!url || !["http:", "https:"].includes(url.protocol) || url.username || url.password) return null;
  const made = element("a", "", address);
  made.href = url.href;
  made.target = "_blank";
  made.rel = "noreferrer noopener";
  made.title = url.href;
  const read = `${url.protocol}//${url.hostname}`;
  const isRead = address.toLowerCase().startsWith(read) && /^(?:$|[/\\:?#])/u.test(address.slice(read.length));
  return isRead ? [made] : [made, element("bdi", "meta", ` (${url.hostname})`)];
}

function trimmed(found) {
  let address = found.replace(/[.,;:!?'"»”’…]+$/u, "");
  // A bracket that the address does not open belongs to the sentence.
  while (/[)\]}]$/.test(address) && !isOpened(address)) address = address.slice(0, -1).replace(/[.,;:!?'"]+$/u, "");
  return address;
}

function isOpened(address) {
  const close = address.at(-1);
  const open = { ")": "(", "]": "[", "}": "{" }[close];
  return address.split(open).length >= address.split(close).length;
}
