// Makes elements. Texts of peers enter the document here alone, and as text.

export const part = (id) => document.getElementById(id);

export function element(name, className = "", text = undefined) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// - label: the accessible name, if the text does not say what the button is for.
export function button(text, action, label = undefined) {
  const made = element("button", "", text);
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", action);
  return made;
}
