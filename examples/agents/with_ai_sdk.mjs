// An agent made with Vercel's AI SDK, in JavaScript; run by Node (make agents).

import { createMCPClient } from "@ai-sdk/mcp";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { stepCountIs, ToolLoopAgent } from "ai";
import { createInterface } from "node:readline";

const endpoint = createOpenAICompatible({ name: "endpoint", baseURL: process.env.OPENAI_BASE_URL, apiKey: "none" });
const said = [];
let agent, client;

/** What was said before the first turn and the rules of the benchmark, in words. */
const written = ({ role, content, tool_calls: calls = [] }) =>
  `${role}: ${[content ?? "", ...calls.map((call) => `[${call.function.name} ${call.function.arguments}]`)].join(" ")}`;

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  if (line.type === "start") {
    client = await createMCPClient({ transport: { type: "http", url: line.mcp_url } });
    const instructions = line.history.map(written).join("\n") || undefined;
    const model = endpoint("scripted");
    agent = new ToolLoopAgent({ model, instructions, tools: await client.tools(), stopWhen: stepCountIs(20) });
  } else if (line.type === "user") {
    said.push({ role: "user", content: line.text });
    const result = await agent.generate({ messages: said });
    said.push(...result.response.messages);
    console.log(JSON.stringify({ type: "final", text: result.text }));
  }
}
await client.close();
