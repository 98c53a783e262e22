// The API of the node that serves the page.

// The node's refusal of a request.
export class Refusal extends Error {
  constructor(problem) {
    super(problem.detail ?? "refused");
    this.code = problem.code;
    this.status = problem.status;
  }

  // Whether the same request may be taken later: the node is busy or leaves, or too much is said.
  get isPassing() {
    return this.status === 503 || this.status === 429;
  }
}

// The token is in the link of the page, behind #; it is moved where no history and no Referer has it.
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("t");
  if (given) {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", location.pathname);
  }
  return given ?? sessionStorage.getItem("token") ?? "";
}

export class API {
  constructor(token) {
    this.token = token;
  }

  // Throws a Refusal, or a TypeError if the node is not reached.
  async ask(method, path, body = undefined, headers = {}) {
    const options = { method, headers: { Authorization: `Bearer ${this.token}`, ...headers } };
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

  say(conversation, text, key) {
    return this.ask("POST", `conversations/${conversation}/messages`, { text }, { "Idempotency-Key": key });
  }

  edit(conversation, message, text) {
    return this.ask("PATCH", `conversations/${conversation}/messages/${message}`, { text });
  }

  delete(conversation, message) {
    return this.ask("DELETE", `conversations/${conversation}/messages/${message}`);
  }

  before(conversation, message, limit = 50) {
    return this.ask("GET", `conversations/${conversation}/messages?before=${message}&limit=${limit}`);
  }

  // Performs a line of input; the reports of `--json` that it caused.
  async command(line, room = undefined) {
    return (await this.ask("POST", "commands", room === undefined ? { line } : { line, room })).reports;
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
