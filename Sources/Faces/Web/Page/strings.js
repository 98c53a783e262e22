// The language of the page, and its texts, of which only those of one language are loaded.
import { keptChoice } from "/kept.js";

// Of each language the texts of the page, and those of what comes later.
const tables = {
  en: [() => import("/english.js"), () => import("/english-above.js")],
  ko: [() => import("/korean.js"), () => import("/korean-above.js")],
};
let language = chosen();
let isWhole = false;
let { strings } = await tables[language][0]();

export async function wholeOf(tag) {
  const [page, above] = await Promise.all(tables[tag].map((load) => load()));
  return { ...page.strings, ...above.strings };
}

// Loads the texts of what comes later.
export async function loadWhole() {
  while (!isWhole) {
    const tag = language;
    const whole = await wholeOf(tag);
    // The user may have changed the language meanwhile.
    if (tag === language) [strings, isWhole] = [whole, true];
  }
}

// The one that the user chose here, or the first of the browser's, which it sends as Accept-Language too.
function chosen() {
  const wishes = [keptChoice("language"), ...navigator.languages].filter(Boolean).map((tag) => tag.toLowerCase().split("-")[0]);
  return wishes.find((tag) => tag in tables) ?? "en";
}

export const languageOf = () => language;

// Takes all texts of a language.
export function takeLanguage(tag, whole) {
  [strings, isWhole, language] = [whole, true, tag];
}

// A text with its arguments, in which nothing is replaced again.
export function phrase(name, ...values) {
  return strings[name].replace(/\{([^|}]*)\|([^}]*)\}|%(\d)/gu, (_, one, many, place) => {
    if (place) return values[place - 1];
    return values[0] === 1 ? one : many.replace("%1", values[0]);
  });
}

// Fills in the words of the document.
export function fillWords(root) {
  root.documentElement.lang = language;
  const places = { words: (each, text) => (each.textContent = text) };
  for (const [name, attribute] of [["label", "aria-label"], ["placeholder", "placeholder"], ["title", "title"]]) {
    places[name] = (each, text) => each.setAttribute(attribute, text);
  }
  for (const [name, put] of Object.entries(places)) {
    for (const each of root.querySelectorAll(`[data-${name}]`)) put(each, phrase(each.dataset[name]));
  }
}
