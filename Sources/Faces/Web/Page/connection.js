// The WebSocket of events: it comes back by itself, and asks for what was missed.
import { phrase } from "/strings.js";

export class Connection {
  // on: {event(object), state(text, isLost), isStale()}
  // - reload: the code that is good while the page is connected, and shortly afterwards.
  // - view: the name of what the page shows.
  constructor({ token, reload, view }, on) {
    Object.assign(this, { token, reload, view, on, parts: [], last: null, tries: 0, timer: null });
    this.open();
  }

  // Asks for a new snapshot: the socket comes back without the place where it was.
  restart() {
    this.last = null;
    this.tries = 0;
    // Until it is closed, it would set the place anew.
    this.socket.onmessage = null;
    this.socket.onclose = () => this.open();
    this.socket.close();
  }

  // Tells the state, or the one of before in another language.
  // - words: the name of a phrase and its values.
  tell(words = this.words, isLost = this.isLost) {
    Object.assign(this, { words, isLost });
    this.on.state(phrase(...words), isLost);
  }

  open() {
    this.tell([this.tries ? "reconnecting" : "connecting"], this.tries > 0);
    const query = `?view=${this.view}${this.last ? `&last=${encodeURIComponent(this.last)}` : ""}`;
    const socket = new WebSocket(`ws://${location.host}/api/v1/socket${query}`, ["earshot.v1", `t.${this.token}`, `r.${this.reload}`]);
    socket.onmessage = (message) => this.received(JSON.parse(message.data));
    socket.onclose = () => this.lost();
    this.socket = socket;
  }

  received(message) {
    const event = message.event === "snapshot" ? this.whole(message) : message;
    if (!event) return;
    if (event.event === "snapshot" || event.event === "resumed") {
      this.tries = 0;
      this.tell(["connected"], false);
    }
    if (event.event === "wiped") this.tell(["wipedFor", event.seconds], false);
    if (event.seq) this.last = event.seq;
    this.on.event(event);
  }

  // The snapshot of all parts, once the last one is there: their lists one behind the other. A conversation that goes on in another
  // part has further messages there.
  whole(part) {
    if (part.part === 0) this.parts = [];
    this.parts.push(part);
    if (part.more) return null;
    const { parts } = this;
    this.parts = [];
    const lists = ["rooms", "people", "requests", "invitations", "colors", "cards"].map((name) => [name, parts.flatMap((each) => each[name])]);
    const conversations = new Map();
    for (const conversation of parts.flatMap((each) => each.conversations)) {
      const known = conversations.get(conversation.id);
      if (known) known.messages.push(...conversation.messages);
      else conversations.set(conversation.id, conversation);
    }
    return { ...part, ...Object.fromEntries(lists), conversations: [...conversations.values()] };
  }

  async lost() {
    this.wait();
    const socket = this.socket;
    // A WebSocket can not tell a node that refuses it from one that is not there.
    if (!(await this.on.isStale()) || socket !== this.socket) return;
    clearInterval(this.timer);
    this.tell(["stale"], true);
  }

  // 1, 2, 4 … 30 seconds, told second by second.
  wait() {
    this.tries += 1;
    let seconds = Math.min(30, 2 ** (this.tries - 1));
    const tell = () => this.tell(["reconnectingIn", seconds], true);
    tell();
    clearInterval(this.timer);
    this.timer = setInterval(() => {
      seconds -= 1;
      if (seconds > 0) return tell();
      clearInterval(this.timer);
      this.open();
    }, 1000);
  }
}
