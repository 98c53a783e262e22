// The rules of a message's text, as far as the page can know them; the node checks all of them.
import { languageOf, phrase } from "/strings.js";

const longest = 240;
const longestInBytes = 3072;
const longestNickname = 16;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const encoder = new TextEncoder();

export function characters(text) {
  let count = 0;
  for (const _ of segmenter.segment(text)) count += 1;
  return count;
}

// Scalars in front of a slash that nobody sees: they change nothing, as in the terminal (SlashRule.swift).
const blankStart = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]+/u;

// What a typed line is: behind one `/` a command, and otherwise a text, whose own `/` at its beginning is typed as `//`.
// {kind: "command" | "text", text}
export function kindOf(line) {
  const seen = line.replace(blankStart, "").trim();
  if (!seen.startsWith("/")) return { kind: "text", text: line.trim() };
  return seen.startsWith("//") ? { kind: "text", text: seen.slice(1) } : { kind: "command", text: seen };
}

// The line that says a text: the reverse of `kindOf`.
export const lineOf = (text) => (text.startsWith("/") ? `/${text}` : text);

// The lines of a paste that have something in them.
export const linesOf = (text) => text.split(/[\n\v\f\r\u0085\u2028\u2029]/u).map((line) => line.trim()).filter(Boolean);

// The rule that a text breaks; null if it may be sent.
export function fault(text) {
  const trimmed = text.trim();
  if (trimmed === "") return phrase("empty");
  if (/[\r\n]/.test(trimmed)) return phrase("oneLine");
  const bytes = encoder.encode(trimmed).length;
  if (bytes > longestInBytes) return phrase("tooManyBytes", bytes, longestInBytes);
  const count = characters(trimmed);
  return count > longest ? phrase("tooLong", count, longest) : null;
}

// What is shown while a text is typed: nothing below 200 characters.
export function hint(text) {
  const count = characters(text.trim());
  if (count < 200) return "";
  const left = longest - count;
  return left >= 0 ? phrase("left", left) : phrase("over", -left);
}

// What has no look of its own, as in the terminal (DisplayClass.swift), and what is a part of emoji and of some scripts.
const hidden = String.raw`[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]`;
const joining = String.raw`[[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af]--${hidden}]`;
const pictures = String.raw`[\p{Emoji}--[\0-\x7f]]`;
const guarded = new RegExp(String.raw`(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`
  + String.raw`|[\u200c\u200d](?:(?<=${joining}.)|(?<=[\ufe0f${pictures}].)(?=${pictures}))`
  + String.raw`|[\ufe00-\ufe0f\u180b-\u180d\u180f](?<!(?:^|${hidden}).))|^\p{M}|${hidden}`, "gv");

// A text as it is shown on one line: nothing in it is unseen or changes the direction of others, as in the terminal (DisplayGuard.swift).
export const shownText = (text) => text.replace(/\r\n?|[\n\t]/gu, " ").replace(guarded, (_, kept) => kept ?? "\ufffd");

// Why a line is not sent.
// - title: that of its conversation, which has ended; none behind a refused command.
export const heldWords = ({ title }) => (title ? phrase("closed", shownText(title)) : phrase("commandRefused"));

// The state of a peer in words, the peer's own words last.
export function presenceOf({ state, since, reason, elsewhere }) {
  const today = day(Date.now());
  const left = since ? phrase("notHereSince", `${day(since) === today ? "" : `${day(since)}, `}${clock(since)}`) : phrase("notHere");
  const words = { online: phrase(elsewhere ? "inOtherNetwork" : "online"), away: phrase("awayState"), offline: left }[state];
  return reason ? `${words}: ${shownText(reason)}` : words;
}

// A peer's name for a place that others cut, such as a notification: a long nickname is shortened, and the number never.
export function shortName({ displayName }) {
  const place = displayName.lastIndexOf("#");
  const letters = [...segmenter.segment(place < 0 ? displayName : displayName.slice(0, place))].map(({ segment }) => segment);
  const isLong = letters.length > longestNickname;
  return (isLong ? `${letters.slice(0, longestNickname - 1).join("")}…` : letters.join("")) + (place < 0 ? "" : displayName.slice(place));
}

// Made once for a language, as a formatter takes longer to make than to use.
const formats = new Map();

function formatted(date, name, options) {
  const key = `${name} ${languageOf()}`;
  if (!formats.has(key)) {
    // The user's own form of the language, if there is one: en-GB has other times than en-US.
    const tag = navigator.languages.find((each) => each.toLowerCase().split("-")[0] === languageOf()) ?? languageOf();
    formats.set(key, new Intl.DateTimeFormat(tag, options));
  }
  return formats.get(key).format(new Date(date));
}

export const clock = (date) => formatted(date, "clock", { timeStyle: "short" });
export const day = (date) => formatted(date, "day", { weekday: "long", day: "numeric", month: "long" });
