// What a page shows that is not let in, and how it is let in after all.
import { API, Refusal, admit } from "/api.js";
import { element, part } from "/elements.js";
import { phrase } from "/strings.js";

const words = { none: ["enterTitle", "enterText"], used: ["usedTitle", "usedText"], lost: ["lostTitle", "lostText"] };
const hosts = ["127.0.0.1", "localhost", "[::1]"];

// - problem: that of `enter`.
// - admitted: gets the admission.
export function show(problem, admitted) {
  part("entrance")?.remove();
  const [title, text] = words[problem].map((name) => phrase(name));
  const [entrance, heading, form] = [named("section", "entrance"), named("h2", "entrance-title", title), named("form", "entrance-form")];
  entrance.setAttribute("aria-labelledby", heading.id);
  const place = element("p");
  place.append(element("code", "", `xdg-open "$(head -n 1 "$XDG_RUNTIME_DIR/earshot/control.web")"`));
  const [label, input, rule] = [element("label", "", phrase("pass")), named("input", "pass"), named("p", "entrance-rule")];
  label.htmlFor = input.id;
  Object.assign(input, { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: false });
  rule.className = "bad";
  rule.setAttribute("role", "alert");
  const submit = element("button", "main", phrase("enter"));
  form.append(label, input, submit, rule);
  entrance.append(heading, named("p", "entrance-text", text), element("p", "", phrase("otherLink")), place, form);
  document.body.append(entrance);
  document.body.classList.add("outside");
  form.onsubmit = async (event) => {
    event.preventDefault();
    const given = input.value.trim();
    // A browser may keep what stands in a field.
    input.value = "";
    rule.textContent = "";
    try {
      const admission = await admissionOf(given);
      if (!admission) return;
      entrance.remove();
      document.body.classList.remove("outside");
      admitted(admission);
    } catch (error) {
      rule.textContent = error instanceof Refusal && !error.isPassing
        ? phrase("passFault") : phrase("notReached");
    }
  };
  input.focus();
}

function named(name, id, text) {
  const made = element(name, "", text);
  made.id = id;
  return made;
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
