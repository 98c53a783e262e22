// The line at the bottom: counts, sends, edits, and tells that the user types.
import { fault, hint } from "/text.js";

export class Composer {
  // on: {send(text), change(message, text), lastOwn(), typing(isOn)}
  constructor(form, input, rule, on) {
    Object.assign(this, { form, input, rule, on, shown: null, edited: null, typed: 0 });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    input.addEventListener("input", () => this.changed());
    input.addEventListener("keydown", (event) => this.key(event));
  }

  show(conversation) {
    if (this.shown === conversation) return;
    if (this.shown && !this.edited) this.shown.draft = this.input.value;
    Object.assign(this, { shown: conversation, edited: null });
    this.input.value = conversation?.draft ?? "";
    this.tell("");
  }

  key(event) {
    // Enter ends a composition of Hangul or Kana; some browsers tell so only by the code 229.
    const isComposing = event.isComposing || event.keyCode === 229;
    if (event.key === "Enter") {
      event.preventDefault();
      if (isComposing) return;
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

  edit(message) {
    if (!this.edited && this.shown) this.shown.draft = this.input.value;
    this.edited = message;
    this.input.value = message.text;
    this.input.focus();
    this.tell("editing; Escape cancels");
  }

  stopEditing() {
    this.edited = null;
    this.input.value = this.shown?.draft ?? "";
    this.tell("");
  }

  changed() {
    if (this.shown && !this.edited) this.shown.draft = this.input.value;
    const wrong = fault(this.input.value);
    this.tell(hint(this.input.value), wrong !== null && this.input.value.trim() !== "");
    const now = Date.now();
    if (this.input.value === "" ? this.typed > 0 : now - this.typed > 3000) {
      this.on.typing(this.input.value !== "");
      this.typed = this.input.value === "" ? 0 : now;
    }
  }

  send() {
    const text = this.input.value.trim();
    const wrong = fault(text);
    if (wrong) return this.tell(wrong, true);
    const edited = this.edited;
    Object.assign(this, { edited: null, typed: 0 });
    this.input.value = "";
    if (this.shown) this.shown.draft = "";
    this.tell("");
    if (edited) this.on.change(edited, text);
    else this.on.send(text);
  }

  tell(text, isBad = false) {
    this.rule.textContent = text;
    this.rule.classList.toggle("bad", isBad);
    this.input.setAttribute("aria-invalid", isBad);
  }
}
