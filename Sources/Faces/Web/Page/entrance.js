// What a page shows that is not let in.
import { part } from "/elements.js";

const words = {
  none: ["Open the link", "This address alone lets no page in. Open the link that earshot --web printed when it started."],
  used: ["The link was used", "A link lets one page in, once, and a page that was closed is not let in again."],
  lost: ["Not connected", "The node did not answer. Load the page again, or open the link that earshot --web printed when it started."],
};

// - problem: that of `enter`.
export function showEntrance(problem) {
  const [title, text] = words[problem];
  part("state").textContent = "not connected";
  part("entrance-title").textContent = title;
  part("entrance-text").textContent = text;
  part("entrance").hidden = false;
  document.body.classList.add("outside");
}
