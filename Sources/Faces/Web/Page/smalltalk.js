// Replies and reactions: the quote above a text, the emojis below it, and the strip above the field, which says what the draft answers.
import { button, element, peerName } from "/elements.js";
import { goTo } from "/reveal.js";
import { languageOf, phrase } from "/strings.js";
import { shortName, shownText } from "/text.js";

// Of those who reacted with one emoji, so many are named.
const mostNames = 100;

const pathOf = ({ info }, { id }) => `conversations/${info.id}/messages/${id}/reactions`;

export class SmallTalk {
  // on: {attempt(request), use(part, action), row(message), reveal(message), field(), gone()}
  // on.field gives the conversation whose draft is in the field, or nothing while that has something else, such as an edit.
  constructor(strip, api, model, on) {
    Object.assign(this, { strip, api, model, on, shown: "" });
  }

  // What stands around the text of a message, or of one that is not sent: {around, dress(row)}. `around` changes when a row is to be dressed
  // anew.
  around(conversation, said) {
    const { replyTo, reactions = [] } = said;
    const quoted = replyTo ? this.quoteOf(conversation, replyTo) : null;
    return {
      around: quoted || reactions.length > 0 ? JSON.stringify([languageOf(), quoted, reactions]) : "",
      dress: (row) => this.dress(row, conversation, said, quoted),
    };
  }

  // What the page shows of a message that is answered: {name, text}, with neither if it is not here, and `isDeleted` if its place is.
  quoteOf(conversation, id) {
    const target = conversation.messages.message(id);
    if (!target) return { isDeleted: conversation.messages.byId.get(id)?.kind === "deleted" };
    const name = this.model.authorOf(conversation.info, target);
    return { id, name, isOwn: target.isFromCurrentUser, text: shownText(target.action ?? target.text) };
  }

  dress(row, conversation, said, quoted) {
    const line = row.querySelector(".line");
    const { reactions = [] } = said;
    const hadFocus = line.contains(document.activeElement);
    const [before, quote] = [line.querySelector(".quote"), quoted && this.quote(quoted)];
    // One that stays is not made anew either.
    if (!quote?.isEqualNode(before)) {
      before?.remove();
      if (quote) line.prepend(quote);
    }
    this.dressChips(line, conversation, said, reactions);
    const words = [quoted && wordsOf(quoted), reactions.map(({ emoji, count }) => `${shownText(emoji)} ${count}`).join(", ")].filter(Boolean);
    if (words.length > 0) row.setAttribute("aria-description", words.join("; "));
    else row.removeAttribute("aria-description");
    if (hadFocus && !line.contains(document.activeElement)) row.focus({ preventScroll: true });
  }

  // One line, which leads to the message.
  quote(quoted) {
    if (!quoted.name) return element("span", "quote quiet", goneWords(quoted));
    const made = button("", () => goTo(this.on.reveal(quoted.id)));
    made.className = "quote";
    made.tabIndex = -1;
    made.append(quoted.isOwn ? element("span", "", phrase("you")) : peerName(quoted.name), element("bdi", "words", `: ${quoted.text}`));
    return made;
  }

  // A chip that stays is the same element, so that a press on it is not lost.
  dressChips(line, conversation, said, reactions) {
    let chips = line.querySelector(".chips");
    if (reactions.length === 0) return chips?.remove();
    if (!chips) line.append((chips = element("span", "chips")));
    // Counts are not said aloud as they change.
    chips.setAttribute("aria-live", "off");
    const known = new Map([...chips.children].map((chip) => [chip.dataset.emoji, chip]));
    for (const [place, { emoji, count, own }] of reactions.entries()) {
      const chip = known.get(emoji) ?? this.chip(conversation, said, emoji);
      known.delete(emoji);
      chip.lastChild.textContent = count;
      chip.setAttribute("aria-pressed", `${own}`);
      chip.title = phrase(own ? "ownReaction" : "othersReaction", count, shownText(emoji));
      chip.setAttribute("aria-label", chip.title);
      if (chips.children[place] !== chip) chips.insertBefore(chip, chips.children[place] ?? null);
    }
    for (const chip of known.values()) chip.remove();
  }

  chip(conversation, message, emoji) {
    const chip = button("", () => this.react(conversation, message, emoji, chip.getAttribute("aria-pressed") === "false"));
    chip.className = "chip";
    chip.tabIndex = -1;
    chip.dataset.emoji = emoji;
    chip.append(element("bdi", "emoji", shownText(emoji)), " ", element("span", "count"));
    return chip;
  }

  react(conversation, message, emoji, isOn) {
    return this.on.attempt(() => this.api.ask("PUT", pathOf(conversation, message), { emoji, on: isOn }).catch((error) => {
      // The node says which command takes one back; here that is a press.
      if (error.code === "too_many_reactions") error.message = phrase("mostReactions");
      throw error;
    }));
  }

  // Reacts with an emoji that the user picks.
  pick(conversation, message) {
    const row = this.on.row(message);
    if (!row) return undefined;
    const box = row.querySelector(".text").getBoundingClientRect();
    return this.on.use("emoji", (picker) => picker.toggle(null, (emoji) => this.react(conversation, message, emoji, true), () => row.focus(), box, true));
  }

  async showWho(conversation, message) {
    const found = await this.on.attempt(() => this.api.ask("GET", pathOf(conversation, message)));
    if (!found) return;
    const rows = found.reactions.map(({ emoji, who }) => {
      const row = element("p", "reacted");
      row.append(element("bdi", "emoji", shownText(emoji)), ...who.slice(0, mostNames).map((each) => peerName(each)));
      if (who.length > mostNames) row.append(element("span", "quiet", phrase("andMore", who.length - mostNames)));
      return row;
    });
    await this.on.use("dialogs", (dialogs) => dialogs.show(phrase("whoReacted"), rows));
  }

  // Draws the strip. An answer to what has gone is forgotten.
  review() {
    const conversation = this.on.field();
    const quoted = conversation?.replyTo ? this.quoteOf(conversation, conversation.replyTo) : null;
    if (quoted && !quoted.name) {
      conversation.replyTo = null;
      this.review();
      return this.on.gone();
    }
    const shown = quoted ? JSON.stringify([languageOf(), quoted]) : "";
    if (shown === this.shown) return undefined;
    this.shown = shown;
    this.strip.hidden = !quoted;
    this.strip.replaceChildren(...(quoted ? this.words(quoted) : []));
    return undefined;
  }

  words({ name, isOwn, text }) {
    const words = element("span", "quote");
    words.append(phrase("answerTo", isOwn ? phrase("you") : shortName(name)), element("bdi", "words", `: ${text}`));
    const end = button("×", () => this.on.end(), phrase("endAnswer"));
    end.className = "plain";
    return [words, end];
  }
}

const goneWords = ({ isDeleted }) => phrase(isDeleted ? "deletedOne" : "notHereNow");

function wordsOf(quoted) {
  const { name, isOwn, text } = quoted;
  return name ? phrase("answers", isOwn ? phrase("you") : name.displayName, text) : goneWords(quoted);
}
