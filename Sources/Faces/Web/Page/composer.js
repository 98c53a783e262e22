// The line at the bottom: counts, sends, edits, and tells that the user types.
import { isComposing } from "/dialogs.js";
import { fault, hint } from "/text.js";

// The node tells peers again after so many milliseconds.
const typingPause = 3000;

export class Composer {
  // on: {send(text), change(message, text), remove(message), lastOwn(), typing(isOn)}
  constructor({ form, input, rule, deleteButton }, on) {
    Object.assign(this, { form, input, rule, deleteButton, on, shown: null, edited: null, typed: 0 });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    input.addEventListener("input", () => this.changed());
    input.addEventListener("keydown", (event) => this.key(event));
    deleteButton.addEventListener("click", () => {
      const { edited } = this;
      this.stopEditing();
      this.on.remove(edited);
    });
  }

  // Shows the draft of a conversation.
  show(conversation) {
    if (this.shown === conversation) return;
    this.keepDraft();
    this.shown = conversation;
    this.stopEditing();
  }

  key(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      if (isComposing(event)) return;
      if (event.shiftKey) this.tell("a message is one line", true);
      else this.send();
    } else if (event.key === "Escape" && this.edited) {
      this.stopEditing();
    } else if (event.key === "ArrowUp" && this.input.value === "") {
      const last = this.on.lastOwn();
      if (last) {
        event.preventDefault();
        this.edit(last);
      }
    }
  }

  edit(message, text = message.text) {
    this.keepDraft();
    this.edited = message;
    this.deleteButton.hidden = false;
    this.input.value = text;
    this.input.focus();
    this.tell("editing; Escape cancels");
  }

  // The draft comes back.
  stopEditing() {
    this.edited = null;
    this.deleteButton.hidden = true;
    this.input.value = this.shown?.draft ?? "";
    this.tell("");
  }

  keepDraft() {
    if (this.shown && !this.edited) this.shown.draft = this.input.value;
  }

  changed() {
    this.keepDraft();
    const { value } = this.input;
    this.tell(hint(value), value.trim() !== "" && fault(value) !== null);
    const now = Date.now();
    if (value === "" ? this.typed > 0 : now - this.typed > typingPause) {
      this.on.typing(value !== "");
      this.typed = value === "" ? 0 : now;
    }
  }

  async send() {
    const text = this.input.value.trim();
    const wrong = fault(text);
    if (wrong) return this.tell(wrong, true);
    const { edited } = this;
    this.typed = 0;
    if (!edited) {
      this.input.value = "";
      this.keepDraft();
      this.tell("");
      return this.on.send(text);
    }
    this.stopEditing();
    // A change that is refused can be mended.
    if ((await this.on.change(edited, text)) === undefined) this.edit(edited, text);
  }

  tell(text, isBad = false) {
    this.rule.textContent = text;
    this.rule.classList.toggle("bad", isBad);
    this.input.setAttribute("aria-invalid", isBad);
  }
}
