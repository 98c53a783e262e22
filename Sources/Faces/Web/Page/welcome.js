// What a conversation shows in which nothing was said yet.
import { element } from "/elements.js";

// How others find this node, and it them.
const ways = {
  daemon: (port) => `This node listens on port ${port} and looks for others with mDNS, by the Avahi daemon.`,
  embedded: (port) => `This node listens on port ${port} and looks for others with mDNS, by itself.`,
  none: (port) => `This node listens on port ${port} and looks for nobody.`,
};

function advice(join, discovery) {
  return discovery === "none" ? `Start Earshot on another computer ${join}, with --peer and the address and port of this one.`
    : `Start Earshot on another computer in this network, ${join}: the two find each other without any settings.`;
}

// The lines of a conversation without messages, the first one its title.
// - node: the port and the discovery of the room's node.
export function welcomeLines({ kind, room, title, online, with: who, private: isPrivate }, me, node) {
  if (kind === "direct") return ["Nothing is said here yet.", `Only you and ${who.displayName} can read what is.`];
  const name = `You are ${me.displayName}.`;
  if (online > 0) {
    return [`${name} Nothing is said here yet.`, online === 1 ? "One other person hears what you say." : `${online} other people hear what you say.`];
  }
  const join = isPrivate ? `with the same key of the room ${title}` : `in the room ${title}`;
  return [
    `${name} Nobody else is here yet.`,
    advice(join, node?.discovery),
    ...(node ? [ways[node.discovery](node.port)] : []),
    "If nobody comes, earshot doctor says what is in the way.",
  ];
}

export function welcomeRow(lines) {
  const row = element("div", "welcome");
  row.append(...lines.map((line, place) => {
    const made = element("p", place === 0 ? "first" : "", line);
    made.dir = "auto";
    return made;
  }));
  return row;
}
