// What a conversation shows in which nothing was said yet.
import { element } from "/elements.js";
import { phrase } from "/strings.js";

// How others find this node, and it them.
const ways = { daemon: "byDaemon", embedded: "byItself", none: "notLooking" };

// Why nobody may be found, as the node knows it.
const obstacles = { no_interface: "noInterface", discovery_lost: "discoveryLost" };

function advice(isPrivate, title, discovery) {
  if (discovery === "none") return phrase(isPrivate ? "peerPrivate" : "peerOpen", title);
  return phrase(isPrivate ? "advicePrivate" : "adviceOpen", title);
}

// The lines of a conversation without messages, the first one its title.
// - node: the port and the discovery of the room's node.
export function welcomeLines({ kind, room, title, online, with: who, private: isPrivate }, me, node) {
  if (kind === "direct") return [phrase("nothingHere"), phrase("onlyYouTwo", who.displayName)];
  const name = phrase("youAre", me.displayName);
  if (online > 0) {
    return [`${name} ${phrase("nothingHere")}`, phrase("othersHear", online)];
  }
  return [
    `${name} ${phrase("nobodyYet")}`,
    advice(isPrivate, title, node?.discovery),
    ...(node ? [phrase(ways[node.discovery], node.port)] : []),
    phrase(obstacles[node?.obstacle?.code] ?? "doctor"),
  ];
}

export function welcomeRow(lines) {
  const row = element("div", "welcome");
  row.append(...lines.map((line, place) => {
    const made = element("p", place === 0 ? "first" : "");
    made.dir = "auto";
    // Commands are between backticks. Names are among the words, and no address in one is a link.
    made.append(...line.split("`").map((words, part) => (part % 2 === 1 ? element("code", "", words) : words)));
    return made;
  }));
  return row;
}
