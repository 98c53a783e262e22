// Questions and short texts above the page.
import { Refusal } from "/api.js";
import { button, element, isComposing, part } from "/elements.js";
import { phrase } from "/strings.js";

const dialog = part("dialog");
// What is shown now: {fault, isBusy, isKept, isStaying}.
let content = null;
dialog.addEventListener("cancel", (event) => content?.isKept && event.preventDefault());

// Shows rows and buttons. The dialogue closes behind an action, unless that showed another one or was refused.
// - actions: each a text, a function, and whether it can not be taken back.
// - isHarmful: whether Enter shall do none of them.
// - isKept: whether Escape does not close it, as what it shows comes once.
// - isStaying: whether it stays behind its actions.
// - hasMain: whether its action is the one that it was opened for.
export function show(title, rows, actions = [], { isHarmful = false, isKept = false, isStaying = false, hasMain = false } = {}) {
  const fault = element("p", "bad");
  fault.setAttribute("role", "alert");
  content = { fault, isBusy: false, isKept, isStaying };
  part("dialog-title").textContent = title;
  part("dialog-body").replaceChildren(...rows, fault);
  const buttons = actions.map(([text, action, isDanger]) => {
    const made = button(text, () => perform(action));
    if (isDanger) made.className = "harm";
    else if (hasMain) made.className = "main";
    return made;
  });
  const closing = button(phrase(isHarmful ? "cancel" : "close"), close);
  part("dialog-buttons").replaceChildren(...buttons, closing);
  if (!dialog.open) dialog.showModal();
  if (isHarmful) closing.focus();
}

export const close = () => dialog.close();

// Closes the dialogue, and forgets what it showed and what was typed in it.
export function forget() {
  content = null;
  for (const name of ["dialog-title", "dialog-body", "dialog-buttons"]) part(name).replaceChildren();
  close();
}

// Performs an action of the dialogue that is shown. What was typed stays while it is under way and when it is refused.
export async function perform(action) {
  const own = content;
  if (own.isBusy) return;
  own.isBusy = true;
  own.fault.textContent = "";
  await action();
  own.isBusy = false;
  if (own === content && !own.isStaying && own.fault.textContent === "") close();
}

// Says what is wrong in the dialogue, which stays.
export function complain(text) {
  if (content) content.fault.textContent = text;
}

// Asks for lines of text; `done` gets them.
// - more: rows behind the lines.
// - fault: what is wrong with the lines; null for nothing.
// - action: the words of its button.
export function ask(title, labels, done, { more = [], fault = () => null, action = phrase("ok"), isStaying = false } = {}) {
  const inputs = labels.map((_, index) => {
    const input = element("input");
    input.id = `ask-${index}`;
    input.autocomplete = "off";
    return input;
  });
  const rows = labels.flatMap((text, index) => {
    const label = element("label", "", text);
    label.htmlFor = inputs[index].id;
    return [label, inputs[index]];
  });
  const submit = () => {
    const values = inputs.map((input) => input.value.trim());
    const wrong = fault(...values);
    return wrong ? complain(wrong) : done(...values);
  };
  for (const input of inputs) {
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || isComposing(event)) return;
      event.preventDefault();
      perform(submit);
    });
  }
  show(title, [...rows, ...more], [[action, submit]], { isStaying, hasMain: true });
  inputs[0].focus();
}

// A button that copies a text.
export function copyButton(text) {
  const made = button(phrase("copy"), async () => {
    try {
      await navigator.clipboard.writeText(text);
      made.textContent = phrase("copied");
    } catch {
      complain(phrase("markAndCopy"));
    }
  });
  return made;
}

// The result of a request. A refusal is told, in the dialogue that is open, and gives undefined.
export async function attempt(request) {
  try {
    return await request();
  } catch (error) {
    return refuse(error);
  }
}

// Tells why a request was not performed.
export function refuse(error) {
  const words = error instanceof Refusal ? error.message : phrase("notReached");
  if (dialog.open) complain(words);
  else show(phrase("notDone"), [element("p", "", words)]);
}
