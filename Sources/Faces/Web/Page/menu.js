// The menu of a message: what can be done with it. It lies above the page, moves nothing, and gives the focus back.
import { button, element } from "/elements.js";
import { phrase } from "/strings.js";
import { shortName } from "/text.js";

export class Menu {
  // on: {gone(), author(conversation, message), answer(conversation, message), react(conversation, message), showReactions(conversation, message),
  // edit(message), remove(conversation, message), mark(person, name, isOn), showPerson(person), writeTo(person), showText(title, text)}
  constructor(root, on) {
    Object.assign(this, { root, on, before: null, isThere: null });
    root.addEventListener("keydown", (event) => this.key(event));
    // Also where a long press has opened it, whose end is no press beside it.
    addEventListener("pointerdown", (event) => {
      if (!root.contains(event.target)) this.close();
    }, true);
    addEventListener("resize", () => this.close());
    root.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !root.contains(relatedTarget)) this.close();
    });
  }

  get isOpen() {
    return this.root.matches(":popover-open");
  }

  // What can be done with a message, and with its author.
  itemsOf(conversation, message) {
    const { on } = this;
    const talk = [
      [phrase("answerIt"), () => on.answer(conversation, message)],
      [phrase("react"), () => on.react(conversation, message)],
      ...(message.reactions.length > 0 ? [[phrase("whoReacted"), () => on.showReactions(conversation, message)]] : []),
      [phrase("copyText"), () => navigator.clipboard.writeText(message.text).catch(() => on.showText(phrase("notCopied"), message.text))],
    ];
    if (message.isFromCurrentUser) {
      return [...talk, [phrase("edit"), () => on.edit(message)], [phrase("delete"), () => on.remove(conversation, message), true]];
    }
    const person = on.author(conversation, message);
    const name = shortName(person.who);
    const isDirect = conversation.info.kind === "direct";
    return [
      ...talk,
      ...(isDirect ? [] : [[phrase("privately"), () => on.writeTo(person)]]),
      [phrase("aboutWho", name), () => on.showPerson(person)],
      [phrase(person.muted ? "unmuteWho" : "muteWho", name), () => on.mark(person, "mute", !person.muted)],
      [phrase(person.blocked ? "unblockWho" : "blockWho", name), () => on.mark(person, "block", !person.blocked), !person.blocked],
    ];
  }

  // - title: says what the menu is about.
  // - items: each a text, a function, and whether it is harmful.
  // - box: what the menu stands at; a narrow screen has it at the bottom.
  // - isThere: whether what the menu is about is still there. Without it nothing is done, and the menu closes.
  open(title, items, box, isThere) {
    this.close();
    if (!isThere()) return this.on.gone();
    Object.assign(this, { before: document.activeElement, isThere });
    const rows = items.map(([text, action, isHarmful]) => {
      const row = button(text, () => {
        if (this.review()) return;
        this.close();
        action();
      });
      row.className = isHarmful ? "plain harm" : "plain";
      row.setAttribute("role", "menuitem");
      row.tabIndex = -1;
      return row;
    });
    const head = element("p", "quiet", title);
    head.setAttribute("role", "presentation");
    this.root.setAttribute("aria-label", title);
    this.root.replaceChildren(head, ...rows);
    this.root.showPopover();
    this.place(box);
    rows[0].focus();
  }

  // Closes the menu of what is gone, and tells so; whether it did.
  review() {
    if (!this.isOpen || this.isThere()) return false;
    this.close();
    this.on.gone();
    return true;
  }

  // Within the window, below the box or above it.
  place(box) {
    const { width, height } = this.root.getBoundingClientRect();
    const left = Math.max(8, Math.min(box.left, innerWidth - width - 8));
    const top = box.bottom + height + 8 <= innerHeight ? box.bottom : box.top - height;
    this.root.style.setProperty("--left", `${left}px`);
    this.root.style.setProperty("--top", `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`);
  }

  close() {
    if (!this.isOpen) return;
    const hadFocus = this.root.contains(document.activeElement);
    const { before } = this;
    this.before = null;
    this.root.hidePopover();
    if (hadFocus && before?.isConnected) before.focus({ preventScroll: true });
  }

  key(event) {
    const rows = [...this.root.querySelectorAll("button")];
    const place = rows.indexOf(document.activeElement);
    const next = { ArrowDown: place + 1, ArrowUp: place - 1 + rows.length, Home: 0, End: rows.length - 1 }[event.key];
    if (next !== undefined) rows[next % rows.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
