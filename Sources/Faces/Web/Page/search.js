// Finds messages of the conversation that is shown, and goes to one of them.
import * as dialogs from "/dialogs.js";
import { behindDialog, element, peerName } from "/elements.js";
import { goTo } from "/reveal.js";
import { phrase } from "/strings.js";
import { clock, day, shownText } from "/text.js";

export class Search {
  // - reveal: shows a message of a conversation, and gives its row.
  constructor(api, model, reveal) {
    Object.assign(this, { api, model, reveal });
  }

  // - info: the conversation.
  ask(info) {
    const results = element("ul", "results");
    const count = element("p", "quiet");
    count.setAttribute("role", "status");
    const title = phrase("searchIn", info.with ? info.with.displayName : info.title);
    dialogs.ask(title, [phrase("searchText")], (text) => this.find(info, text, results, count), {
      more: [count, results], fault: (text) => (text === "" ? phrase("searchFault") : null), isStaying: true, action: phrase("search"),
    });
  }

  async find(info, text, results, count) {
    const answer = await dialogs.attempt(() => this.api.perform({ command: "search", operands: { text }, conversation: info.id }));
    if (!answer) return;
    const messages = answer.reports.find(({ command }) => command === "search")?.messages ?? [];
    // The newest first, as it is what is looked for most.
    const rows = messages.reverse().map((message) => this.row(info, message));
    count.textContent = phrase("found", rows.length);
    results.replaceChildren(...rows);
  }

  row(info, message) {
    const item = element("li");
    const row = element("button", "row");
    row.type = "button";
    const words = element("bdi", "words", shownText(message.action ?? message.text));
    row.append(peerName(this.model.authorOf(info, message)), element("span", "quiet", ` ${day(message.sentAt)} ${clock(message.sentAt)} `), words);
    row.addEventListener("click", () => {
      const shown = this.model.conversations.get(info.id);
      if (!shown?.messages.message(message.id)) return dialogs.complain(phrase("messageGone"));
      behindDialog(() => goTo(this.reveal(info.id, message.id)));
      dialogs.close();
    });
    item.append(row);
    return item;
  }
}
