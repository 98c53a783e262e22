// The keys of the log: Up and Down go through the messages, Left and Right through the quote and the reactions of one.

export class Keys {
  constructor(log) {
    this.log = log;
  }

  // The focus may have moved on since a key that came before this module did.
  obey(event) {
    const { activeElement } = document;
    const row = activeElement.closest(".message");
    if (this.go(event, row, activeElement)) event.preventDefault();
  }

  // Whether the key was one of these.
  go({ key, shiftKey }, row, focused) {
    const { root } = this.log;
    if (key === "ArrowUp" || key === "ArrowDown") return goOn([...root.querySelectorAll(".message[data-id]")], row, key === "ArrowUp");
    if (!row) return false;
    if (key === "ArrowLeft" || key === "ArrowRight") return goOn([row, ...row.querySelectorAll(".quote:enabled, .chip")], focused, key === "ArrowLeft");
    if ((key === "Enter" && focused === row) || key === "ContextMenu" || (key === "F10" && shiftKey)) return this.showMenu(row);
    if (key === "Escape") root.focus({ preventScroll: true });
    return key === "Escape";
  }

  showMenu(row) {
    const message = this.log.messageOf(row);
    if (message) this.log.askFor(message, row.querySelector(".text").getBoundingClientRect());
    return message !== undefined;
  }
}

// Moves the focus to the one before or behind the present one, or to the last one.
function goOn(all, present, isBack) {
  const place = all.indexOf(present);
  const next = place < 0 ? all.at(-1) : all[place + (isBack ? -1 : 1)];
  if (!next) return false;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}
