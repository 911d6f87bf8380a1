// A complete agent in JavaScript: one JSON line in, one JSON line out. It needs Node 18 and nothing else.
//
//     equipoise audit ipd --policy 'command:node examples/agent.mjs'
//
// Started with a port it answers the same questions over HTTP instead:
//
//     node examples/agent.mjs 8766
//     equipoise audit ipd --policy http://127.0.0.1:8766/

import { createServer } from "node:http";
import { createInterface } from "node:readline";

// Forgives once: defects only after two defections in a row. Elsewhere the first legal action.
function decide(question) {
  const { id, game, legal, info } = question;
  if (legal === null) return { id, text: "[none]" };
  if (game !== "ipd") return { id, action: legal[0] };
  const last = info.other.slice(-2);
  const provoked = last.length === 2 && last.every((action) => action === "DEFECT");
  return { id, action: provoked ? "DEFECT" : "COOPERATE" };
}

function serve(port) {
  createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(decide(JSON.parse(body))));
  }).listen(port, "127.0.0.1");
}

const port = process.argv[2];
if (port) {
  serve(Number(port));
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(decide(JSON.parse(line))) + "\n");
  }
}
