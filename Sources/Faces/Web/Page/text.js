// The rules of a message's text, as far as the page can know them; the node checks all of them.

const longest = 240;
const longestInBytes = 3072;
const longestNickname = 16;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const encoder = new TextEncoder();

function characters(text) {
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
  if (trimmed === "") return "the message is empty";
  if (/[\r\n]/.test(trimmed)) return "a message is one line";
  const bytes = encoder.encode(trimmed).length;
  if (bytes > longestInBytes) return `the message is ${bytes} bytes; ${longestInBytes} is the most`;
  const count = characters(trimmed);
  return count > longest ? `the message is ${count} characters; ${longest} is the most` : null;
}

// What is shown while a text is typed: nothing below 200 characters.
export function hint(text) {
  const count = characters(text.trim());
  if (count < 200) return "";
  const left = longest - count;
  return left >= 0 ? `${counted(left)} left` : `${counted(-left)} too long`;
}

const counted = (count) => (count === 1 ? "1 character" : `${count} characters`);

// A peer's name for a place that others cut, such as a notification: a long nickname is shortened, and the number never.
export function shortName({ displayName }) {
  const place = displayName.lastIndexOf("#");
  const letters = [...segmenter.segment(place < 0 ? displayName : displayName.slice(0, place))].map(({ segment }) => segment);
  const isLong = letters.length > longestNickname;
  return (isLong ? `${letters.slice(0, longestNickname - 1).join("")}…` : letters.join("")) + (place < 0 ? "" : displayName.slice(place));
}

// Made once, as a formatter takes longer to make than to use.
const clockFormat = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });
const dayFormat = new Intl.DateTimeFormat([], { weekday: "long", day: "numeric", month: "long" });

export const clock = (date) => clockFormat.format(new Date(date));
export const day = (date) => dayFormat.format(new Date(date));
