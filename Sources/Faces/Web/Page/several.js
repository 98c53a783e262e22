// Asks what to do with a line whose conversation has ended, or with several lines of a paste. Those that begin with `/` were text where they come from: none of them is performed.
import { button, element } from "/elements.js";
import { languageOf, phrase } from "/strings.js";
import { heldWords, fault, kindOf, lineOf } from "/text.js";

const mostMessages = 50;

export class Several {
  // - composer: that of the lines.
  constructor(composer) {
    Object.assign(this, { composer, shown: "" });
  }

  show() {
    const { lines, edited, several, held } = this.composer;
    const shown = held ? `${languageOf()} ${held.title}` : `${lines.length} ${!edited} ${languageOf()}`;
    if (this.shown === shown) return;
    this.shown = shown;
    if (held) {
      const take = button(phrase("useHere"), () => this.release(this.composer.held.text));
      const drop = button(phrase("discard"), () => this.release(""));
      return several.replaceChildren(element("span", "", phrase("notSent", heldWords(held))), take, drop);
    }
    const sendAll = button(phrase("sendSeveral", lines.length), () => this.sendAll());
    const join = button(phrase("joinLines"), () => this.join());
    several.replaceChildren(element("span", "", phrase("severalLines", lines.length)), ...(edited ? [join] : [sendAll, join]));
  }

  // Makes the held line, or nothing of it, a draft of the conversation that is shown.
  release(line) {
    const { composer } = this;
    const { shown } = composer;
    shown.held = null;
    if (line) shown.draft = shown.draft ? `${shown.draft}\n${line}` : line;
    composer.restore();
    composer.input.focus();
  }

  // Sends each line as a message, or none.
  sendAll() {
    const { composer } = this;
    const { shown, lines } = composer;
    if (!shown) return composer.tell(phrase("early"), true);
    if (lines.length > mostMessages) return composer.tell(phrase("mostAtOnce", mostMessages), true);
    const texts = lines.map(kindOf);
    for (const [place, { kind, text }] of texts.entries()) {
      const wrong = kind === "command" ? phrase("slashLine") : fault(text);
      if (wrong) return composer.tell(phrase("lineFault", place + 1, wrong), true);
    }
    composer.clear();
    for (const { text } of texts) composer.on.send(shown, text);
    composer.focus();
  }

  join() {
    const { composer } = this;
    const line = composer.lines.join(" ");
    const { kind, text } = kindOf(line);
    composer.input.value = kind === "command" ? lineOf(text) : line;
    composer.input.focus();
    composer.changed();
  }
}
