// What a page shows that is not let in, and how it is let in after all.
import { API, Refusal, admit } from "/api.js";
import { part } from "/elements.js";

const words = {
  none: ["Open the link", "This address alone lets no page in. Open the link that earshot --web printed when it started, or give it here."],
  used: ["The link was used", "A link lets one page in, once, and a page that was closed is not let in again."],
  lost: ["Not connected", "The node did not answer. Load the page again, or open the link that earshot --web printed when it started."],
};
const hosts = ["127.0.0.1", "localhost", "[::1]"];

// - problem: that of `enter`.
// - admitted: gets the admission.
export function showEntrance(problem, admitted) {
  const [title, text] = words[problem];
  part("state").textContent = "not connected";
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
        ? "It is neither the token nor a link that was not used yet." : "the node is not reached";
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
