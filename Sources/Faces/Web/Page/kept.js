// The choices of the user that the browser keeps: a language, a sound. Nothing of the chat is among them, and nothing that names a peer.

// A browser that keeps nothing of pages refuses both.
export function keptChoice(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keepChoice(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The choice is good until the page is loaded again.
  }
}
