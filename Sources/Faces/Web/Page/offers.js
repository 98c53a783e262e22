// What completes the word in front of the caret: names behind `@` or by Tab, emojis behind `:`, commands behind `/`.
import { element } from "/elements.js";
import { later } from "/later.js";

const mostOffers = 8;
const folded = (text) => text.normalize("NFC").toLowerCase();
const begins = (text, start) => folded(text ?? "").startsWith(folded(start));

export class Offers {
  // on: {names(), commands()}: the peers that are here, and a promise of the commands: {usage, does}.
  constructor(input, list, on) {
    // `place` is where the word begins that an offer stands for.
    Object.assign(this, { input, list, on, offers: [], place: 0, chosen: 0, dismissed: null, emoji: null });
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const row = event.target.closest("li");
      if (row) this.take([...list.children].indexOf(row));
    });
    input.addEventListener("blur", () => this.close());
  }

  get isOpen() {
    return this.offers.length > 0;
  }

  // The text in front of the caret; null while a part of the text is marked.
  get before() {
    const { value, selectionStart, selectionEnd } = this.input;
    return selectionStart === selectionEnd ? value.slice(0, selectionStart) : null;
  }

  // Looks at what was typed.
  look() {
    this.dismissed = null;
    const { before } = this;
    if (before === null) return this.close();
    const word = /(?:^|\s):([a-z0-9_+-]*)(:?)$/u.exec(before);
    if (word) return this.showEmojis(before.length - word[1].length - word[2].length - 1, word[1], word[2] !== "");
    const called = /(?:^|\s)@([^@\n]{0,24})$/u.exec(before);
    if (called) return this.show(before.length - called[1].length - 1, this.named(called[1]).map((offer) => ({ ...offer, text: `${offer.mention} ` })));
    const command = /^\/([a-z]*)$/u.exec(before);
    if (command) return this.showCommands(command[1]);
    return this.close();
  }

  // - name: what was typed of it, or the whole with the colon behind it.
  showEmojis(place, name, isWhole) {
    if (!this.emoji) {
      this.close();
      return this.loadEmojis();
    }
    const emoji = isWhole && this.emoji.emojis().get(name);
    if (emoji) return this.replace(place, emoji);
    if (isWhole || name.length < 2) return this.close();
    return this.show(place, this.emoji.find(name).slice(0, mostOffers).map(([found, text]) => ({ text, words: `${text} ${found}` })));
  }

  // They come with the first colon. If they do not, as the node is gone, the next key asks again.
  async loadEmojis() {
    this.emoji = await later("emoji").catch(() => null);
    if (this.emoji && document.activeElement === this.input) this.look();
  }

  async showCommands(typed) {
    const all = await this.on.commands();
    // Other keys may have been typed meanwhile.
    if (this.before !== `/${typed}`) return;
    const names = all.map(({ usage, does }) => ({ name: usage.split(" ")[0], usage, does })).filter(({ name }) => begins(name, `/${typed}`));
    this.show(0, names.slice(0, mostOffers).map(({ name, usage, does }) => ({ text: `${name} `, words: usage, more: does })));
  }

  // The peers whose nickname, or own name for them, begins so. The own name for a peer is never said: its nickname is, and its number
  // where several have that nickname.
  named(start) {
    const here = this.on.names();
    return here.filter(({ nickname, contact }) => begins(nickname, start) || begins(contact, start)).slice(0, mostOffers).map((who) => {
      const isOne = who.nickname && here.filter(({ nickname }) => begins(nickname, who.nickname) && begins(who.nickname, nickname)).length === 1;
      const number = who.displayName.slice(who.displayName.lastIndexOf("#"));
      return { name: isOne ? who.nickname : number, mention: isOne ? `@${who.nickname}` : number, words: who.displayName };
    });
  }

  show(place, offers) {
    this.close();
    if (offers.length === 0) return;
    Object.assign(this, { place, offers, chosen: 0 });
    this.list.replaceChildren(...offers.map(({ words, more }, index) => {
      const row = element("li", "", words);
      row.id = `offer-${index}`;
      row.setAttribute("role", "option");
      row.dir = "auto";
      if (more) row.append(" ", element("span", "quiet", more));
      return row;
    }));
    this.list.hidden = false;
    this.mark();
  }

  mark() {
    for (const [index, row] of [...this.list.children].entries()) row.setAttribute("aria-selected", `${index === this.chosen}`);
    this.input.setAttribute("aria-activedescendant", `offer-${this.chosen}`);
    this.list.children[this.chosen].scrollIntoView({ block: "nearest" });
  }

  close() {
    this.offers = [];
    this.list.hidden = true;
    this.list.replaceChildren();
    this.input.removeAttribute("aria-activedescendant");
  }

  // Whether a key was for the offers.
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const isTaken = this.isOpen ? this.obey(event.key) : event.key === "Tab" && this.complete();
    if (isTaken) event.preventDefault();
    return isTaken;
  }

  obey(key) {
    switch (key) {
      case "ArrowDown":
      case "ArrowUp":
        this.chosen = (this.chosen + (key === "ArrowDown" ? 1 : -1) + this.offers.length) % this.offers.length;
        this.mark();
        return true;
      case "Enter":
        // A command that is whole is performed.
        if (this.offers[this.chosen].text.trim() === this.input.value) {
          this.close();
          return false;
        }
        this.take(this.chosen);
        return true;
      case "Tab":
        this.take(this.chosen);
        return true;
      case "Escape":
        this.dismissed = this.before;
        this.close();
        return true;
      default:
        return false;
    }
  }

  // Completes the word in front of the caret by a name. Without one, and behind Escape, Tab leaves the field.
  complete() {
    const { before, dismissed } = this;
    const word = before === null || before === dismissed ? null : /\S+$/u.exec(before)?.[0];
    if (!word || word.startsWith("@")) return false;
    const place = before.length - word.length;
    const end = place === 0 ? ": " : " ";
    const offers = this.named(word).map((offer) => ({ ...offer, text: offer.name + end }));
    if (offers.length === 0) return false;
    this.show(place, offers);
    if (offers.length === 1) this.take(0);
    return true;
  }

  take(index) {
    this.replace(this.place, this.offers[index].text);
  }

  replace(place, text) {
    this.close();
    this.input.setRangeText(text, place, this.input.selectionStart, "end");
    this.input.dispatchEvent(new Event("input"));
  }
}
