// The notice board of a room: its cards, and the form that puts one up.
import * as dialogs from "/dialogs.js";
import { button, element, isComposing, part, peerName } from "/elements.js";
import { richText } from "/richtext.js";
import { languageOf, phrase } from "/strings.js";
import { characters, clock, day, fault, shownText } from "/text.js";

const colors = ["red", "orange", "yellow", "green", "teal", "blue", "purple", "gray"];
const usual = "teal";
const longestTitle = 40;
const longestText = 240;
// More than these of one user the node does not keep: the first one goes.
const mostOwn = 2;

export class Board {
  constructor(api, model) {
    // What the user has typed for a card goes with its room. `room` is the conversation of the dialogue, which has `list` or a form in it,
    // `wanted` the id of a card that gets the focus, and `goes` says in the form which card goes.
    Object.assign(this, { api, model, drafts: new WeakMap(), room: null, shown: null, wanted: null, list: element("ul", "cards") });
    Object.assign(this, { form: null, goes: element("p", "quiet"), put: null });
    this.goes.id = "card-goes";
    part("dialog").addEventListener("close", () => this.forget());
  }

  get roomId() {
    return this.room.info.roomId;
  }

  // Shows the cards of a room.
  // - wanted: the id of the card that gets the focus, which may come later; null for none.
  open(room, wanted = null) {
    Object.assign(this, { room, shown: null, wanted });
    dialogs.show(phrase("boardOf", room.info.title), [this.list], [[phrase("putUp"), () => this.write()]], { isStaying: true, hasMain: true });
    this.put = part("dialog-buttons").firstChild;
    this.put.focus();
    this.review();
  }

  // Nothing of the cards stays in the document behind the dialogue.
  forget() {
    this.room = null;
    this.list.replaceChildren();
    this.goes.replaceChildren();
    this.form?.remove();
  }

  // Draws the cards of now. The board goes with its room, and so does a form.
  review() {
    const { room, list, model } = this;
    if (!room) return;
    if (model.conversations.get(room.info.id) !== room) {
      const isShown = list.isConnected || this.form?.isConnected;
      this.forget();
      return isShown && dialogs.close();
    }
    const cards = model.cardsIn(this.roomId).sort((a, b) => (a.sentAt < b.sentAt ? -1 : 1));
    this.sayWhichGoes(cards.filter(({ isFromCurrentUser }) => isFromCurrentUser));
    const names = cards.map((card) => model.authorOf(room.info, card));
    const shown = JSON.stringify([languageOf(), cards.map(({ id }) => id), names]);
    if (!list.isConnected || shown === this.shown) return;
    this.shown = shown;
    const hadFocus = list.contains(document.activeElement);
    const wanted = this.wanted ?? (hadFocus && document.activeElement.closest("li").dataset.id);
    list.replaceChildren(...cards.map((card, place) => this.card(card, names[place])));
    if (cards.length === 0) list.append(element("li", "quiet", phrase("noCards")));
    const row = wanted && [...list.children].find(({ dataset }) => dataset.id === wanted);
    if (row) {
      this.wanted = null;
      row.focus();
    } else if (hadFocus) this.put.focus();
  }

  // - own: the cards of the user, the oldest first.
  sayWhichGoes(own) {
    const words = own.length < mostOwn ? "" : phrase("takesPlace", shownText(own[0].title));
    this.goes.hidden = words === "";
    if (this.goes.textContent !== words) this.goes.textContent = words;
  }

  card(card, name) {
    const { title, text, cardColor, expiresAt, isFromCurrentUser } = card;
    const row = element("li", `card of-${colors.includes(cardColor) ? cardColor : usual}`);
    row.dataset.id = card.id;
    row.tabIndex = -1;
    const head = element("h3", "", shownText(title));
    head.dir = "auto";
    const words = element("p", "card-text");
    words.append(richText(text));
    const until = `${day(expiresAt) === day(Date.now()) ? "" : `${day(expiresAt)}, `}${clock(expiresAt)}`;
    const foot = element("p", "quiet");
    foot.append(isFromCurrentUser ? phrase("you") : peerName(name), ` · ${phrase("until", until)}`);
    row.append(head, words, foot);
    if (isFromCurrentUser) row.append(button(phrase("takeDown"), () => dialogs.perform(() => this.remove(card)), phrase("takeDownWhich", shownText(title))));
    return row;
  }

  remove({ id }) {
    return dialogs.attempt(() => this.api.ask("DELETE", `rooms/${this.roomId}/board/${id}`));
  }

  // Shows the form, with what was typed there before.
  write() {
    const { room } = this;
    const draft = this.drafts.get(room) ?? { title: "", text: "", color: usual };
    this.drafts.set(room, draft);
    const title = this.field(draft, "title", phrase("cardTitle"), longestTitle, element("input"));
    const text = this.field(draft, "text", phrase("searchText"), longestText, element("textarea"));
    this.form = element("div");
    this.form.append(this.goes, ...title, ...text, choices(draft));
    title[1].setAttribute("aria-describedby", [this.goes.id, "count-title"].join(" "));
    dialogs.show(phrase("putUp"), [this.form], [[phrase("putUp"), () => this.send(room, draft)]], { hasMain: true });
    this.review();
    title[1].focus();
  }

  // A label, a field and the count of its characters.
  field(draft, name, words, most, input) {
    const [label, count] = [element("label", "", words), element("p", "quiet count")];
    Object.assign(input, { id: `card-${name}`, value: draft[name], autocomplete: "off" });
    label.htmlFor = input.id;
    count.id = `count-${name}`;
    input.setAttribute("aria-describedby", count.id);
    const tell = () => {
      draft[name] = input.value;
      const length = characters(input.value.trim());
      count.textContent = phrase("countOf", length, most);
      count.classList.toggle("bad", length > most);
    };
    input.addEventListener("input", tell);
    // Both are of one line.
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || isComposing(event)) return;
      event.preventDefault();
      dialogs.perform(() => this.send(this.room, draft));
    });
    tell();
    return [label, input, count];
  }

  async send(room, draft) {
    const [title, text] = [draft.title.trim(), draft.text.trim()];
    const length = characters(title);
    if (title === "") return dialogs.complain(phrase("titleFault"));
    if (length > longestTitle) return dialogs.complain(phrase("titleLong", length, longestTitle));
    const wrong = fault(text);
    if (wrong) return dialogs.complain(wrong);
    const body = { title, text, cardColor: draft.color };
    // The same card, sent again, is put up once.
    if (draft.said !== JSON.stringify(body)) Object.assign(draft, { said: JSON.stringify(body), key: crypto.randomUUID() });
    const card = await dialogs.attempt(() => this.api.ask("POST", `rooms/${room.info.roomId}/board`, body, { "Idempotency-Key": draft.key }));
    if (!card) return undefined;
    this.drafts.delete(room);
    return this.room === room && this.open(room, card.id);
  }
}

// The colours, each by its name.
function choices(draft) {
  const group = element("fieldset", "colors");
  group.append(element("legend", "", phrase("color")), ...colors.map((color) => {
    const [choice, input] = [element("label", `choice of-${color}`), element("input")];
    Object.assign(input, { type: "radio", name: "card-color", value: color, checked: color === draft.color });
    input.addEventListener("change", () => (draft.color = color));
    choice.append(input, element("span", "", phrase(color)));
    return choice;
  }));
  return group;
}
