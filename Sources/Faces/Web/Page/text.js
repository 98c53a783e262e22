// The rules of a message's text, as far as the page can know them; the node checks all of them.

const longest = 240;
const longestInBytes = 3072;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const encoder = new TextEncoder();

function characters(text) {
  let count = 0;
  for (const _ of segmenter.segment(text)) count += 1;
  return count;
}

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

// Made once, as a formatter takes longer to make than to use.
const clockFormat = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });
const dayFormat = new Intl.DateTimeFormat([], { weekday: "long", day: "numeric", month: "long" });

export const clock = (date) => clockFormat.format(new Date(date));
export const day = (date) => dayFormat.format(new Date(date));
