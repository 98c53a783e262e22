// The menu of a message. It lies above the page, moves nothing, and gives the focus back.
import { button, element } from "/elements.js";

export class Menu {
  constructor(root) {
    Object.assign(this, { root, before: null });
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

  // - title: says what the menu is about.
  // - items: each a text, a function, and whether it is harmful.
  // - box: what the menu stands at; a narrow screen has it at the bottom.
  open(title, items, box) {
    this.close();
    this.before = document.activeElement;
    const rows = items.map(([text, action, isHarmful]) => {
      const row = button(text, () => {
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
