// A long press shows the menu of a message, and is no click on what it is on.

// A finger that rests for so many milliseconds asks for the menu.
const pressTime = 500;

// - messageOf: gives the message that an element is in.
// - askFor: shows the menu of a message at a box.
export function listen(root, messageOf, askFor) {
  let timer = null;
  let isLong = false;
  let from = null;
  const end = () => clearTimeout(timer);
  root.addEventListener("pointerdown", (event) => {
    end();
    isLong = false;
    const message = event.pointerType === "touch" ? messageOf(event.target) : null;
    if (!message) return;
    from = event;
    timer = setTimeout(() => {
      isLong = true;
      askFor(message, event.target.closest(".message").getBoundingClientRect());
    }, pressTime);
  });
  root.addEventListener("pointermove", (event) => {
    if (from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > 10) end();
  });
  for (const name of ["pointerup", "pointercancel", "scroll"]) root.addEventListener(name, end);
  root.addEventListener("contextmenu", (event) => {
    if (event.pointerType === "touch") event.preventDefault();
  });
  root.addEventListener("touchend", (event) => {
    if (isLong) event.preventDefault();
  });
}
