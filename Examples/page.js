// Says hello over the API of --web and prints what is said, in a page or in Node.js 18 or later (Docs/Web.md, sections 3 and 4).
//
//     earshot --web &
//     TOKEN=$(tail -n 1 "$XDG_RUNTIME_DIR/earshot/control.web") node page.js [PORT]
//
// In a page of another program, the browser does not let it reach the node: the page has to be served by the node's own port.
"use strict";

const port = globalThis.process?.argv[2] ?? 4807;
const server = `http://127.0.0.1:${port}`;
const headers = { Authorization: `Bearer ${globalThis.process?.env.TOKEN ?? globalThis.token}` };

// Server-Sent Events, since EventSource sends no token.
async function* events() {
    const response = await fetch(`${server}/api/v1/events`, { headers });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const decoder = new TextDecoder();
    let unread = "";
    for await (const part of response.body) {
        unread += decoder.decode(part, { stream: true });
        const blocks = unread.split(/\r?\n\r?\n/);
        unread = blocks.pop();
        for (const block of blocks) {
            const fields = block.split(/\r?\n/).map((line) => /^(event|data): ?(.*)$/.exec(line)).filter(Boolean);
            const { event, data } = Object.fromEntries(fields.map(([, name, value]) => [name, value]));
            if (data) yield [event, JSON.parse(data)];
        }
    }
}

async function say(text, conversation = "r1") {
    const response = await fetch(`${server}/api/v1/conversations/${conversation}/messages`, {
        method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify({ text }),
    });
    if (!response.ok) throw new Error((await response.json()).detail);
}

(async () => {
    let hasBegun = false;
    for await (const [name, event] of events()) {
        // The snapshot comes first.
        if (!hasBegun) { hasBegun = true; await say("hello"); }
        if (name === "added" && event.event === "message" && !event.snapshot) console.log(event.from.displayName, event.text);
    }
})().catch((error) => { console.error(error.message); globalThis.process?.exit(1); });
