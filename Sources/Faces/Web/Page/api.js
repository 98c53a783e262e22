// The API of the node that serves the page.
import { given } from "/code.js";
import { languageOf, phrase } from "/strings.js";
import { lineOf } from "/text.js";

// The node's refusal of a request.
export class Refusal extends Error {
  constructor(problem) {
    // To a page that was let in, another run of the node says so: only its own link helps.
    super(problem.status === 401 ? phrase("stale") : problem.detail);
    this.code = problem.code;
    this.status = problem.status;
    // The line of input that was refused, as it may be shown; none of another request.
    this.line = problem.line;
  }

  // Whether the same request may be taken later: the node is busy or leaves, or too much is said.
  get isPassing() {
    return this.status === 503 || this.status === 429;
  }
}

// The code of the link and that of an earlier load are exchanged for the token, which stays in memory alone: a browser writes addresses
// and the storage of a tab to its files. The first code is used up then, the second one soon after the tab closed.
// {token, reload, shown}, with the id of the conversation that the tab showed before a reload; {problem} for a page that is not let in:
// "none" without a link, "used", or "lost" if the node is not reached.
export async function enter() {
  for (const code of [given, stored.get()]) {
    if (!code) continue;
    try {
      return await admit(code);
    } catch (error) {
      if (!(error instanceof Refusal) || error.isPassing) return { problem: "lost" };
    }
  }
  return { problem: given ? "used" : "none" };
}

// Exchanges a code for {token, reload, shown}.
export async function admit(code) {
  const admission = await new API("").ask("POST", "session", { code });
  stored.set(admission.reload);
  return admission;
}

// A browser that keeps nothing of pages refuses it: such a page can not be loaded again.
const stored = {
  get() {
    try {
      return sessionStorage.getItem("reload");
    } catch {
      return null;
    }
  },

  set(code) {
    try {
      sessionStorage.setItem("reload", code);
    } catch {
      // The page works without it.
    }
  },
};

export class API {
  constructor(token) {
    this.token = token;
    // The name of the view of this page.
    this.view = crypto.randomUUID();
  }

  // Throws a Refusal, or a TypeError if the node is not reached.
  async ask(method, path, body = undefined, headers = {}) {
    const options = { method, headers: { Authorization: `Bearer ${this.token}`, "Accept-Language": languageOf(), ...headers } };
    if (body !== undefined) {
      options.body = JSON.stringify(body);
      options.headers["Content-Type"] = "application/json";
    }
    const response = await fetch(`/api/v1/${path}`, options);
    if (response.status === 204) return null;
    if (response.headers.get("content-type") === "image/svg+xml") return response.text();
    const answer = await response.json();
    if (!response.ok) throw new Refusal(answer);
    return answer;
  }

  // - replyTo: the id of the message that the text answers, if it does.
  say(conversation, text, key, replyTo) {
    return this.ask("POST", `conversations/${conversation}/messages`, { text: lineOf(text), ...(replyTo && { replyTo }) }, { "Idempotency-Key": key });
  }

  // - line: as it is typed.
  edit(conversation, message, line) {
    return this.ask("PATCH", `conversations/${conversation}/messages/${message}`, { text: line });
  }

  delete(conversation, message) {
    return this.ask("DELETE", `conversations/${conversation}/messages/${message}`);
  }

  // Sets or removes a mark of a peer.
  mark({ roomId, who }, name, isOn) {
    return this.ask(isOn ? "PUT" : "DELETE", `rooms/${roomId}/people/${who.key}/${name}`);
  }

  // Shows a conversation in the view of this page.
  async show(conversation) {
    if (conversation) await this.ask("PUT", `conversations/${conversation}/active`, { active: true, view: this.view });
  }

  // Performs a line of input in a conversation, or a command with its operands, in which nothing is read as a line, in a room, by default
  // the open one: {reports, text, shown}, what it caused as `--json` has it, its answer as lines for people, and the conversation that it
  // opened in the view of this page.
  perform(body) {
    return this.ask("POST", "commands", { ...body, view: this.view });
  }

  // Whether the node answers, but does not know the token: another run of it has the port.
  async isStale() {
    try {
      await this.ask("GET", "me");
      return false;
    } catch (error) {
      return error instanceof Refusal && error.status === 401;
    }
  }
}
