// The API of the node that serves the page.

export class Refusal extends Error {
  constructor(problem) {
    super(problem.detail ?? "refused");
    this.code = problem.code;
    this.status = problem.status;
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
  async ask(method, path, body, headers = {}) {
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

  before(conversation, id, limit = 50) {
    return this.ask("GET", `conversations/${conversation}/messages?before=${id}&limit=${limit}`);
  }

  async command(line, room) {
    return (await this.ask("POST", "commands", room === undefined ? { line } : { line, room })).reports;
  }
}
