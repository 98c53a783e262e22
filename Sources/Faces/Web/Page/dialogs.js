// Questions and short texts above the page.
import { Refusal } from "/api.js";
import { button, element, part } from "/elements.js";

const dialog = part("dialog");

// Shows rows and buttons; the dialogue closes before an action.
// - actions: each a text and a function.
// - isReady: whether an action may be done now; otherwise the dialogue stays.
// - isHarmful: whether an action can not be taken back: Enter does not do it.
export function show(title, rows, actions = [], isReady = () => true, isHarmful = false) {
  part("dialog-title").textContent = title;
  part("dialog-body").replaceChildren(...rows);
  const buttons = actions.map(([text, action]) => button(text, () => {
    if (!isReady()) return;
    dialog.close();
    action();
  }));
  const close = button(isHarmful ? "Cancel" : "Close", () => dialog.close());
  part("dialog-buttons").replaceChildren(...buttons, close);
  if (!dialog.open) dialog.showModal();
  if (isHarmful) close.focus();
}

// Asks for lines of text; `done` gets them.
// - more: rows behind the lines.
// - fault: what is wrong with the lines, which keeps the dialogue open; null for nothing.
export function ask(title, labels, done, { more = [], fault = () => null } = {}) {
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
  const wrong = element("p", "bad");
  wrong.setAttribute("role", "alert");
  const values = () => inputs.map((input) => input.value.trim());
  const submit = () => done(...values());
  const isReady = () => {
    wrong.textContent = fault(...values()) ?? "";
    return wrong.textContent === "";
  };
  for (const input of inputs) {
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || isComposing(event)) return;
      event.preventDefault();
      if (!isReady()) return;
      dialog.close();
      submit();
    });
  }
  show(title, [...rows, wrong, ...more], [["OK", submit]], isReady);
  inputs[0].focus();
}

// The result of a request. A refusal is told, and gives undefined.
export async function attempt(request) {
  try {
    return await request();
  } catch (error) {
    show("Not done", [element("p", "", error instanceof Refusal ? error.message : "the node is not reached")]);
    return undefined;
  }
}

// Whether a key belongs to a composition of Hangul or Kana; some browsers tell so only by the code 229.
export const isComposing = (event) => event.isComposing || event.keyCode === 229;
