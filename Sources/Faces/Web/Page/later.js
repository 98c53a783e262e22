// Modules that most loads of the page never need: each comes when it is first needed.
import { loadWhole } from "/strings.js";

const modules = {
  board: () => import("/board.js"),
  closed: () => import("/closed.js"),
  commands: () => import("/commands.js"),
  dialogs: () => import("/dialogs.js"),
  emoji: () => import("/emoji.js"),
  entrance: () => import("/entrance.js"),
  keys: () => import("/keys.js"),
  language: () => import("/language.js"),
  menu: () => import("/menu.js"),
  offers: () => import("/offers.js"),
  people: () => import("/people.js"),
  press: () => import("/press.js"),
  requests: () => import("/requests.js"),
  rooms: () => import("/rooms.js"),
  screen: () => import("/screen.js"),
  search: () => import("/search.js"),
  several: () => import("/several.js"),
  smalltalk: () => import("/smalltalk.js"),
  sound: () => import("/sound.js"),
};
// These have neither texts nor a style of their own.
const plain = new Set(["closed", "keys", "language", "press", "screen", "sound"]);
let style = null;

// Loads the style of what lies above the page.
function loadStyle() {
  style ??= new Promise((done, failed) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: "/above.css", onload: done });
    link.onerror = () => {
      style = null;
      link.remove();
      failed(new TypeError(link.href));
    };
    document.head.append(link);
  });
  return style;
}

// Throws a TypeError if the node is not reached; the next call asks again.
export async function later(name) {
  const [module] = await Promise.all([modules[name](), ...(plain.has(name) ? [] : [loadStyle(), loadWhole()])]);
  return module;
}
