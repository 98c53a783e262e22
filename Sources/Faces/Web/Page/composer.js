// The field at the bottom: counts, completes, sends, edits, performs commands, and tells that the user types.
import { isComposing } from "/elements.js";
import { later } from "/later.js";
import { phrase } from "/strings.js";
import { heldWords, fault, hint, kindOf, lineOf, linesOf } from "/text.js";

// For so many milliseconds a user may not have seen that a command was refused.
const readingTime = 2000;
// The node tells peers again after so many milliseconds.
const typingPause = 3000;
// A keyboard on the screen would cover the page whenever the field had the focus.
const isTouched = matchMedia("(hover: none) and (pointer: coarse)");
const growsByItself = CSS.supports("field-sizing", "content");

export class Composer {
  // Each action has the conversation that is on the screen, whatever the node has open by then.
  // on: {send(conversation, text), command(conversation, line), change(conversation, message, line), remove(conversation, message),
  // isKnown(conversation), isThere(conversation, message), lastOwn(conversation), typing(conversation, isOn), names(conversation),
  // commands(), pickEmoji(button, take, left), field(), endAnswer(conversation)}
  // on.field tells that the field shows something else.
  // on.command tells the id of the conversation that the page shows behind it; null for a command that was refused.
  constructor({ form, input, rule, deleteButton, several, offers, emoji }, on) {
    Object.assign(this, { form, input, rule, deleteButton, several, on, shown: null, edited: null, typed: 0, command: null, behind: [], refused: 0 });
    Object.assign(this, { offers: null, question: null });
    // They come with the first key. If they do not, as the node is gone, the next key asks again.
    this.loadOffers = () => later("offers").then(({ Offers }) => {
      this.offers ??= new Offers(input, offers, { names: () => (this.shown ? on.names(this.shown) : []), commands: on.commands });
      if (document.activeElement === input) this.offers.look();
    }, () => {});
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
      this.focus();
    });
    input.addEventListener("input", () => this.changed());
    input.addEventListener("keydown", (event) => this.key(event));
    deleteButton.addEventListener("click", () => {
      const { shown, edited } = this;
      if (this.review()) return;
      this.stopEditing();
      this.on.remove(shown, edited);
      this.focus();
    });
    emoji.addEventListener("click", () => on.pickEmoji(emoji, (text) => this.insert(text), () => input.focus()));
  }

  focus() {
    if (!isTouched.matches) this.input.focus();
  }

  // Shows what the field has in a conversation. What is typed before the first one is its draft.
  show(conversation) {
    const { shown, input, edited } = this;
    const { value } = input;
    // The row of the next one comes later, but for a pause behind a wipe.
    if (shown === conversation || (!conversation && !shown?.isErased)) return;
    const leads = this.command === "leads";
    let closed = "";
    if (shown) this.keep();
    if (!shown) conversation.draft = value || conversation.draft;
    else if (shown.isErased) {
      // No line goes along into another identity.
      if (value) input.blur();
    } else if (leads && !edited && !shown.held) {
      shown.draft = "";
      conversation.draft = (conversation.draft ?? "") + value;
    } else if (!leads && !this.on.isKnown(shown)) {
      // Another face has ended the conversation of what is typed: the user says where it goes.
      closed = heldWords(shown.info);
      if (edited) shown.edit = null;
      else if (shown.held) shown.held = null;
      else shown.draft = null;
      const text = this.takeLines(conversation, value);
      if (text.trim()) conversation.held = { title: shown.info.title, text };
      else input.blur();
    }
    Object.assign(this, { shown: conversation, typed: 0, command: null });
    this.restore();
    if (closed && !this.held) this.tell(closed, true);
    this.goOn();
  }

  // The user has another identity: nothing of what is shown goes along. Its rooms may have ended one by one.
  forget() {
    this.behind = [];
    if (this.shown) this.shown.isErased = true;
  }

  // The held lines of a conversation, those that were entered behind a command, and one more.
  takeLines(conversation, line) {
    return [conversation.held?.text, ...this.behind.splice(0), line].filter(Boolean).join("\n");
  }

  // The lines in the field that wait for the user's choice: {title, text}, without a title behind a refused command.
  get held() {
    return this.edited ? null : this.shown?.held;
  }

  key(event) {
    if (event.key === "Enter" && isComposing(event)) return event.preventDefault();
    if (isComposing(event) || this.offers?.key(event)) return;
    if (event.key === "Tab" && !event.shiftKey && !this.offers && this.input.value) {
      // A quick Tab comes before the module does.
      event.preventDefault();
      return this.loadOffers().then(() => this.offers?.key(event));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      if (event.shiftKey) this.tell(phrase("oneLine"), true);
      else this.send();
    } else if (event.key === "Escape" && this.edited) {
      this.stopEditing();
    } else if (event.key === "Escape" && this.shown?.replyTo) {
      this.on.endAnswer(this.shown);
    } else if (event.key === "ArrowUp" && this.input.value === "" && this.shown) {
      const last = this.on.lastOwn(this.shown);
      if (last) {
        event.preventDefault();
        this.edit(last);
      }
    }
  }

  // Puts a text at the caret.
  insert(text) {
    const { input } = this;
    input.setRangeText(text, input.selectionStart, input.selectionEnd, "end");
    input.focus();
    this.changed();
  }

  edit(message) {
    this.keep();
    this.take(message, message.action ? `/me ${message.action}` : lineOf(message.text));
    this.input.focus();
  }

  // - text: the line as it was typed.
  take(message, text) {
    this.edited = message;
    this.deleteButton.hidden = false;
    this.put(text);
    this.tell(phrase("editing"));
    this.review();
  }

  // Whether the message that is edited is gone meanwhile. What was typed stays, and changes nothing any more.
  review() {
    if (!this.edited || this.on.isThere(this.shown, this.edited)) return false;
    this.deleteButton.hidden = true;
    this.tell(phrase("editGone"), true);
    return true;
  }

  // Has the words made again, in another language.
  translate() {
    this.offers?.close();
    this.shape();
    if (this.edited) this.tell(phrase("editing"));
    else this.tellLength();
    this.review();
  }

  // The line of before comes back.
  stopEditing() {
    if (this.shown) this.shown.edit = null;
    this.restore();
  }

  // Puts the held line of the conversation into the field, or the edit that was begun there, or the draft.
  restore() {
    const { held, edit, draft } = this.shown ?? {};
    if (edit && !held) return this.take(edit.message, edit.text);
    this.edited = null;
    this.deleteButton.hidden = true;
    this.put(held?.text ?? draft ?? "");
    this.tell("");
  }

  put(text) {
    // The caret of a field whose value is set again goes to its end.
    if (this.input.value !== text) this.input.value = text;
    this.offers?.close();
    this.shape();
    this.on.field();
  }

  // Keeps the line with its conversation.
  keep() {
    if (!this.shown) return;
    const { value } = this.input;
    if (this.edited) this.shown.edit = { message: this.edited, text: value };
    else if (this.held) this.held.text = value;
    else this.shown.draft = value;
  }

  changed() {
    if (this.offers) this.offers.look();
    else this.loadOffers();
    this.keep();
    const { value } = this.input;
    // A user who empties the field needs no button for it.
    if (this.held && !value && !this.shown.draft && !this.shown.edit) this.shown.held = null;
    this.shape();
    const isCommand = this.tellLength();
    this.review();
    const now = Date.now();
    const isTyping = value !== "" && !isCommand && !this.held;
    if (this.shown && (isTyping ? now - this.typed > typingPause : this.typed > 0)) {
      this.on.typing(this.shown, isTyping);
      this.typed = isTyping ? now : 0;
    }
  }

  // Tells how long a message is; whether the line is a command.
  tellLength() {
    const { kind, text } = kindOf(this.input.value);
    const isCommand = kind === "command";
    const isQuiet = isCommand || this.lines.length > 1;
    this.tell(isQuiet ? "" : hint(text), !isQuiet && text !== "" && fault(text) !== null);
    return isCommand;
  }

  // The lines of a paste; one for most texts.
  get lines() {
    return linesOf(this.input.value);
  }

  // The field is as high as its text, and asks what to do with several lines or a held one.
  shape() {
    const { input, several } = this;
    if (!growsByItself) {
      input.style.height = "auto";
      input.style.height = `${input.scrollHeight + input.offsetHeight - input.clientHeight}px`;
    }
    several.hidden = this.lines.length < 2 && !this.held;
    if (!several.hidden) this.askAboutLines();
  }

  // What is done with them the user says.
  async askAboutLines() {
    this.question ??= await later("several").then(({ Several }) => new Several(this), () => null);
    if (!this.several.hidden) this.question?.show();
  }

  clear() {
    this.typed = 0;
    this.put("");
    this.keep();
    this.tell("");
  }

  send() {
    const { shown, edited, held } = this;
    if (held) {
      this.shape();
      return this.tell(phrase("notSent", heldWords(held)), true);
    }
    if (this.lines.length > 1) return this.several.querySelector("button")?.focus();
    const { kind, text } = kindOf(this.input.value);
    if (!shown) return this.tell(phrase("early"), true);
    if (this.review()) return;
    if (edited && kind === "command" && !/^\/me\s/iu.test(text)) return this.tell(phrase("commandInEdit"), true);
    const wrong = kind === "command" ? null : fault(text);
    if (wrong) return this.tell(wrong, true);
    if (edited) {
      this.typed = 0;
      return this.change(shown, edited, kind === "command" ? text : lineOf(text));
    }
    if (this.command) {
      this.behind.push(this.input.value);
      this.clear();
      return this.tell(phrase("underWay"));
    }
    if (kind !== "command" && Date.now() - this.refused < readingTime) return this.hold();
    this.clear();
    if (kind === "command") this.perform(shown, text);
    else this.on.send(shown, text);
  }

  // Until the answer, nobody knows which conversation the next lines are for: they go along where the command leads. Behind a refused one,
  // and for as long as the user may not have seen that, the user says where they go.
  perform(conversation, line) {
    return this.lead(this.on.command(conversation, line));
  }

  // - led: tells the id as on.command does.
  async lead(led) {
    this.command = "waits";
    const id = await led;
    if (this.command !== "waits") return;
    this.command = this.shown && id !== null && id !== this.shown.info.id ? "leads" : null;
    this.refused = id === null ? Date.now() : 0;
    if (id !== null) return this.goOn();
    if (this.behind.length > 0 || (this.input.value && !this.edited)) this.hold();
  }

  // Does the lines that were entered behind a command.
  goOn() {
    while (this.shown && !this.command && this.behind.length > 0) {
      const { kind, text } = kindOf(this.behind.shift());
      if (kind === "command") this.perform(this.shown, text);
      else this.on.send(this.shown, text);
    }
  }

  hold() {
    const { shown, edited, input } = this;
    this.refused = 0;
    if (!shown) return;
    // A held line is in the field already, and an edit is not one of these.
    shown.held = { text: this.takeLines(shown, edited || shown.held ? "" : input.value) };
    if (edited) return;
    shown.draft = "";
    this.restore();
  }

  // A change that is refused can be mended, in its own conversation.
  async change(conversation, message, line) {
    const typed = this.input.value;
    this.stopEditing();
    if ((await this.on.change(conversation, message, line)) !== undefined) return;
    if (this.shown !== conversation || this.edited) conversation.edit ??= { message, text: typed };
    else {
      this.keep();
      this.take(message, typed);
    }
  }

  tell(text, isBad = false) {
    this.rule.textContent = text;
    this.rule.classList.toggle("bad", isBad);
    this.input.setAttribute("aria-invalid", isBad);
  }
}
