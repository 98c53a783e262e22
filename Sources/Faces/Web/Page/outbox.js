// Texts that the user said and the node has not taken yet: none is lost or said twice, and those of a conversation keep their
// order. A text goes out when the one in front of it is taken or refused; sent again, it has the same Idempotency-Key.
import { Refusal } from "/api.js";

const longestPause = 30_000;
const made = (text, replyTo = null) => ({ key: crypto.randomUUID(), text, replyTo, state: "waiting", reason: null, candidates: new Set() });

export class Outbox {
  // on: {said(conversationId, message), changed()}
  constructor(api, on) {
    Object.assign(this, { api, on, texts: new Map(), busy: new Set(), pause: 1000, timer: null });
  }

  // The texts of a conversation: {key, text, replyTo, state: "waiting" | "sending" | "refused", reason, candidates}, and `line`, as it is
  // typed, of one that was for a conversation that has ended.
  of(id) {
    return this.texts.get(id) ?? [];
  }

  // Whether a message may be the one of a text whose answer has not come: the page does not show both.
  isCandidate(id, message) {
    return this.of(id).some(({ state, candidates }) => state === "sending" && candidates.has(message.id));
  }

  // An own message came, which may be ahead of the answer to its request.
  record(id, message) {
    this.of(id).find(({ text, state }) => state === "sending" && text === message.text)?.candidates.add(message.id);
  }

  add(id, text, replyTo) {
    this.texts.set(id, [...this.of(id), made(text, replyTo)]);
    this.send(id);
  }

  remove(text) {
    for (const [id, texts] of this.texts) this.texts.set(id, texts.filter((other) => other !== text));
    this.on.changed();
  }

  retry(id, text) {
    Object.assign(text, { state: "waiting", reason: null });
    this.send(id);
  }

  // Has the texts of a conversation that has ended in another one, and lines behind them.
  move(id, to, lines, change) {
    const texts = [...this.of(id), ...lines.map((line) => ({ ...made(line), line }))];
    texts.forEach(change);
    this.texts.delete(id);
    this.texts.set(to, [...this.of(to), ...texts]);
    this.on.changed();
  }

  forget() {
    this.texts.clear();
  }

  // Sends all that waits, now that the node is reached.
  sendAll() {
    clearTimeout(this.timer);
    this.timer = null;
    for (const id of this.texts.keys()) this.send(id);
  }

  async send(id) {
    this.on.changed();
    if (this.busy.has(id)) return;
    this.busy.add(id);
    for (let next; (next = this.of(id).find(({ state }) => state === "waiting")); ) {
      if (!(await this.post(id, next))) break;
    }
    this.busy.delete(id);
  }

  // False if the node was not reached: the text waits, and so do those behind it.
  async post(id, text) {
    text.state = "sending";
    try {
      const message = await this.api.say(id, text.text, text.key, text.replyTo);
      this.pause = 1000;
      this.remove(text);
      this.on.said(id, message);
      return true;
    } catch (error) {
      // It was said, and has gone since.
      if (error.code === "unknown_message") {
        this.remove(text);
        return true;
      }
      const isRefused = text.line !== undefined || (error instanceof Refusal && !error.isPassing);
      Object.assign(text, isRefused ? { state: "refused", reason: text.reason ?? error.message } : { state: "waiting" });
      if (!isRefused) this.sendLater();
      this.on.changed();
      return isRefused;
    }
  }

  sendLater() {
    if (this.timer !== null) return;
    this.timer = setTimeout(() => this.sendAll(), this.pause);
    this.pause = Math.min(2 * this.pause, longestPause);
  }
}
