// Performs the commands of the field, and keeps the rows of their answers.
import { Refusal } from "/api.js";
import { element } from "/elements.js";
import { phrase } from "/strings.js";

const mostAnswers = 50;

export class Commands {
  // on: {follow(answer), changed()}
  constructor(api, model, on) {
    Object.assign(this, { api, model, on, known: null });
  }

  // A promise of the commands of the node: {usage, does}.
  all() {
    this.known ??= this.api.perform({ command: "help" }).then(({ reports }) => reports[0].commands).catch(() => {
      this.forget();
      return [];
    });
    return this.known;
  }

  forget() {
    this.known = null;
  }

  // Performs a command that was typed in a conversation. The answer is shown to this page alone, below the line as the node says that it may
  // be shown: without the key of a room. What a message or another row shows has no answer.
  // Gives the id of the conversation that the page shows then; null for a refused one.
  async perform(conversation, line) {
    const { model } = this;
    let [texts, isBad, shownLine] = [[], false, line.split(/\s/u, 1)[0]];
    try {
      const answer = await this.api.perform({ line, conversation: conversation.info.id });
      [texts, shownLine] = [answer.text, answer.line];
      this.on.follow(answer);
    } catch (error) {
      texts = [error instanceof Refusal ? error.message : phrase("notReached")];
      shownLine = error.line ?? shownLine;
      isBad = true;
    }
    const shown = model.conversations.get(conversation.info.id) ?? model.current;
    if (shown && texts.length > 0) {
      keepAnswer(shown, [`> ${shownLine}`, ...texts], isBad);
      this.on.changed();
    }
    return isBad ? null : model.active;
  }

  // A direct conversation was left, by whichever of the two.
  left({ conversationId, with: who }) {
    const conversation = this.model.conversations.get(conversationId);
    if (!conversation) return;
    keepAnswer(conversation, [phrase("leftTalk", who.displayName)], false);
    this.on.changed();
  }
}

// Keeps an answer behind the newest message.
// - texts: its lines.
export function keepAnswer({ messages }, texts, isBad) {
  const answers = messages.all.filter(({ kind }) => kind === "answer");
  if (answers.length === mostAnswers) messages.remove(answers[0].id);
  messages.add({ kind: "answer", id: crypto.randomUUID(), make: () => answerRow(texts, isBad) }, null);
}

function answerRow(texts, isBad) {
  const row = element("div", isBad ? "answer bad" : "answer");
  row.append(...texts.map((text) => {
    const line = element("p", "", text);
    line.dir = "auto";
    return line;
  }));
  return row;
}
