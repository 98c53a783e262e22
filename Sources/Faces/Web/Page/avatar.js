// The picture of a peer: a pattern of its key, the same on the left and on the right, in the colour of its name.
import { phrase } from "/strings.js";

const namespace = "http://www.w3.org/2000/svg";
const mostPatterns = 2048;
const patterns = new Map();
// A tick at the bottom and a star at the top, as large as can be told apart at 24 pixels.
const shapes = { verified: "M16.2 19.1l1.9 1.9 3.6-4", contact: "M19 1l1.3 2.8 3 .4-2.2 2.1.6 3-2.7-1.5-2.7 1.5.6-3-2.2-2.1 3-.4z" };

// The path of the cells that a key has. Each of its first 15 bytes is a cell on the left or in the middle, and those of the 8 largest bytes
// are filled, so that no picture is empty.
function patternOf(key) {
  const byte = (cell) => Number.parseInt(key.slice(2 * cell, 2 * cell + 2), 16);
  const cells = Array.from({ length: 15 }, (_, cell) => cell).sort((a, b) => byte(b) - byte(a) || a - b).slice(0, 8);
  let path = "";
  for (const cell of cells) {
    const [column, row] = [cell % 3, Math.floor(cell / 3)];
    for (const x of new Set([column, 4 - column])) path += `M${4.5 + 3 * x} ${4.5 + 3 * row}h3v3h-3z`;
  }
  return path;
}

function kept(key) {
  if (!patterns.has(key)) {
    if (patterns.size === mostPatterns) patterns.clear();
    patterns.set(key, patternOf(key));
  }
  return patterns.get(key);
}

export function drawing(name, attributes) {
  const made = document.createElementNS(namespace, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

// - color: the class of the name's colour.
// - marks: of "verified" and "contact", those that the peer has.
export function avatar({ key }, color, marks = []) {
  const made = drawing("svg", { viewBox: "0 0 24 24", class: `avatar ${color}` });
  if (marks.length > 0) made.setAttribute("aria-label", marks.map((mark) => phrase(mark)).join(", "));
  if (marks.length > 0) made.setAttribute("role", "img");
  else made.setAttribute("aria-hidden", "true");
  made.append(
    drawing("rect", { width: 24, height: 24, rx: 6, fill: "currentColor", "fill-opacity": 0.12 }),
    drawing("path", { d: kept(key), fill: "currentColor" }));
  for (const mark of marks) {
    if (mark === "verified") made.append(drawing("circle", { cx: 19, cy: 19, r: 5.5, class: "ground" }));
    made.append(drawing("path", { d: shapes[mark], class: mark }));
  }
  return made;
}

// The marks of a peer's row, or of a name where there is no row.
export const marksOf = (who, person) => [person?.verified && "verified", who.contact && "contact"].filter(Boolean);
