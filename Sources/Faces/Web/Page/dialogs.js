// Questions and short texts above the page.
import { button, element } from "/log.js";

const dialog = document.getElementById("dialog");
const body = document.getElementById("dialog-body");

// Shows rows and buttons; an action may be async, and the dialogue closes before it.
export function show(title, rows, actions) {
  document.getElementById("dialog-title").textContent = title;
  body.replaceChildren(...rows);
  const buttons = actions.map(([text, action]) => button(text, () => {
    dialog.close();
    action?.();
  }));
  document.getElementById("dialog-buttons").replaceChildren(...buttons, button("Close", () => dialog.close()));
  dialog.showModal();
}

// Asks for lines of text; `done` gets them.
export function ask(title, labels, done) {
  const inputs = labels.map((label, index) => {
    const input = element("input");
    input.id = `ask-${index}`;
    input.autocomplete = "off";
    return input;
  });
  const rows = labels.flatMap((text, index) => {
    const label = element("label", "", text);
    label.htmlFor = `ask-${index}`;
    return [label, inputs[index]];
  });
  const submit = () => done(...inputs.map((input) => input.value.trim()));
  for (const input of inputs) {
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      dialog.close();
      submit();
    });
  }
  show(title, rows, [["OK", submit]]);
  inputs[0]?.focus();
}

export function tell(title, text, className) {
  show(title, [element("p", className, text)], []);
}
