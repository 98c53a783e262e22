// What a page shows that is not let in, and how it is let in after all.
import { API, Refusal, admit } from "/api.js";
import { part } from "/elements.js";
import { phrase } from "/strings.js";

const words = { none: ["enterTitle", "enterText"], used: ["usedTitle", "usedText"], lost: ["lostTitle", "lostText"] };
const hosts = ["127.0.0.1", "localhost", "[::1]"];

// - problem: that of `enter`.
// - admitted: gets the admission.
export function showEntrance(problem, admitted) {
  const [title, text] = words[problem].map((name) => phrase(name));
  part("state").textContent = phrase("notConnected");
  part("entrance-title").textContent = title;
  part("entrance-text").textContent = text;
  part("entrance").hidden = false;
  document.body.classList.add("outside");
  const [form, input, rule] = ["entrance-form", "pass", "entrance-rule"].map(part);
  form.onsubmit = async (event) => {
    event.preventDefault();
    const given = input.value.trim();
    // A browser may keep what stands in a field.
    input.value = "";
    rule.textContent = "";
    try {
      const admission = await admissionOf(given);
      if (!admission) return;
      part("entrance").hidden = true;
      document.body.classList.remove("outside");
      admitted(admission);
    } catch (error) {
      rule.textContent = error instanceof Refusal && !error.isPassing
        ? phrase("passFault") : phrase("notReached");
    }
  };
  input.focus();
}

// What a link or a token gives; null where another page is opened for it.
async function admissionOf(given) {
  const link = URL.parse(given);
  const code = new URLSearchParams(link?.hash.slice(1)).get("c");
  if (code && link.protocol === "http:" && hosts.includes(link.hostname) && link.host !== location.host) {
    location.assign(`http://${link.host}/#c=${encodeURIComponent(code)}`);
    return null;
  }
  try {
    return await admit(code ?? given);
  } catch (error) {
    if (code || !/^[0-9a-f]{32}$/u.test(given)) throw error;
  }
  const { url } = await new API(given).ask("GET", "link");
  return admit(new URLSearchParams(new URL(url).hash.slice(1)).get("c"));
}
