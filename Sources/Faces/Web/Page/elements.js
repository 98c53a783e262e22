// Makes elements. Texts of peers enter the document here alone, and as text.

export const part = (id) => document.getElementById(id);

export function element(name, className = "", text = undefined) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// A peer's name as the node gives it. Where it does not fit, the nickname is cut, and never the number, which a nickname can not have.
export function peerName({ displayName }, className = "") {
  const place = displayName.lastIndexOf("#");
  const number = place < 0 ? "" : displayName.slice(place);
  const name = element("bdi", `peer ${className}`.trim());
  name.append(element("span", "nick", place < 0 ? displayName : displayName.slice(0, place)), element("span", "number", number));
  return name;
}

// - label: the accessible name, if the text does not say what the button is for.
export function button(text, action, label = undefined) {
  const made = element("button", "", text);
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", action);
  return made;
}

// Does something behind the dialogue: a closed one gives the focus back to the button that showed it.
export function behindDialog(action) {
  const dialog = part("dialog");
  if (dialog.open) dialog.addEventListener("close", action, { once: true });
  else action();
}

// Whether a key belongs to a composition of Hangul or Kana; some browsers tell so only by the code 229.
export const isComposing = (event) => event.isComposing || event.keyCode === 229;
