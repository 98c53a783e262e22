// The line at the bottom: counts, sends, edits, performs commands, and tells that the user types.
import { isComposing } from "/dialogs.js";
import { fault, hint, kindOf, lineOf } from "/text.js";

// The node tells peers again after so many milliseconds.
const typingPause = 3000;

export class Composer {
  // Each action has the conversation that is on the screen, whatever the node has open by then.
  // on: {send(conversation, text), command(conversation, line), change(conversation, message, text), remove(conversation, message),
  // lastOwn(conversation), typing(conversation, isOn)}
  constructor({ form, input, rule, deleteButton }, on) {
    Object.assign(this, { form, input, rule, deleteButton, on, shown: null, edited: null, typed: 0 });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    input.addEventListener("input", () => this.changed());
    input.addEventListener("keydown", (event) => this.key(event));
    deleteButton.addEventListener("click", () => {
      const { shown, edited } = this;
      this.stopEditing();
      this.on.remove(shown, edited);
    });
  }

  // Shows the draft of a conversation, or the edit that was begun there. What is typed before the first one is its draft.
  show(conversation) {
    if (this.shown === conversation) return;
    if (this.shown) this.keep();
    else if (conversation) conversation.draft = this.input.value || conversation.draft;
    Object.assign(this, { shown: conversation, typed: 0 });
    const { edit } = conversation ?? {};
    if (edit) this.take(edit.message, edit.text);
    else this.stopEditing();
  }

  key(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      if (isComposing(event)) return;
      if (event.shiftKey) this.tell("a message is one line", true);
      else this.send();
    } else if (event.key === "Escape" && this.edited) {
      this.stopEditing();
    } else if (event.key === "ArrowUp" && this.input.value === "" && this.shown) {
      const last = this.on.lastOwn(this.shown);
      if (last) {
        event.preventDefault();
        this.edit(last);
      }
    }
  }

  edit(message) {
    this.keep();
    this.take(message, lineOf(message.text));
    this.input.focus();
  }

  // - text: the line as it was typed.
  take(message, text) {
    this.edited = message;
    this.deleteButton.hidden = false;
    this.input.value = text;
    this.tell("editing; Escape cancels");
  }

  // The draft comes back.
  stopEditing() {
    this.edited = null;
    if (this.shown) this.shown.edit = null;
    this.deleteButton.hidden = true;
    this.input.value = this.shown?.draft ?? "";
    this.tell("");
  }

  // Keeps the line with its conversation.
  keep() {
    if (!this.shown) return;
    if (this.edited) this.shown.edit = { message: this.edited, text: this.input.value };
    else this.shown.draft = this.input.value;
  }

  changed() {
    this.keep();
    const { value } = this.input;
    const { kind, text } = kindOf(value);
    const isCommand = kind === "command";
    this.tell(isCommand ? "" : hint(text), !isCommand && text !== "" && fault(text) !== null);
    const now = Date.now();
    const isTyping = value !== "" && !isCommand;
    if (this.shown && (isTyping ? now - this.typed > typingPause : this.typed > 0)) {
      this.on.typing(this.shown, isTyping);
      this.typed = isTyping ? now : 0;
    }
  }

  send() {
    const { shown, edited } = this;
    const { kind, text } = kindOf(this.input.value);
    if (!shown) return this.tell("not connected yet: the text stays here", true);
    if (edited && kind === "command") return this.tell("a command changes no message; // says a slash, and Escape ends the edit", true);
    const wrong = kind === "command" ? null : fault(text);
    if (wrong) return this.tell(wrong, true);
    this.typed = 0;
    if (edited) return this.change(shown, edited, text);
    this.input.value = "";
    this.keep();
    this.tell("");
    if (kind === "command") this.on.command(shown, text);
    else this.on.send(shown, text);
  }

  // A change that is refused can be mended, in its own conversation.
  async change(conversation, message, text) {
    const typed = this.input.value;
    this.stopEditing();
    if ((await this.on.change(conversation, message, text)) !== undefined) return;
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
