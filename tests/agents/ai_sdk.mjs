// The AI SDK's part: `node ai_sdk.mjs SERVER_URL NODE_MODULES_PARENT TASK` prints one JSON object,
// by protocol what became of a chat, a stream, a task of two tools, and an object.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [server, packages, task] = process.argv.slice(2);
const { resolve } = createRequire(`${packages}/package.json`);
const load = (name) => import(pathToFileURL(resolve(name)).href);

const { generateObject, generateText, stepCountIs, streamText, tool } = await load("ai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const { createOpenAI } = await load("@ai-sdk/openai");
const { createAnthropic } = await load("@ai-sdk/anthropic");
const { z } = await load("zod");

const common = { baseURL: `${server}/v1`, apiKey: "none" };
const compatible = { ...common, name: "mlxsite", includeUsage: true };
const models = {
  chat: createOpenAICompatible({ ...compatible, supportsStructuredOutputs: true })("local"),
  responses: createOpenAI(common).responses("local"),
  messages: createAnthropic(common)("local"),
};

function noteTools(note) {
  const edit = z.object({ oldText: z.string(), newText: z.string() });
  return {
    read: tool({
      description: "Read a file",
      inputSchema: z.object({ path: z.string() }),
      execute: async () => note.text,
    }),
    edit: tool({
      description: "Edit a file",
      inputSchema: z.object({ path: z.string(), edits: z.array(edit) }),
      execute: async ({ edits }) => {
        for (const { oldText, newText } of edits) note.text = note.text.replace(oldText, newText);
        return "done";
      },
    }),
  };
}

async function chat(model) {
  const { text, finishReason, usage } = await generateText({ model, prompt: "hi" });
  return { text, finishReason, outputTokens: usage.outputTokens };
}

async function stream(model) {
  const { textStream, finishReason, usage } = streamText({ model, prompt: "hi" });
  const pieces = [];
  for await (const piece of textStream) pieces.push(piece);
  const { outputTokens } = await usage;
  return { text: pieces.join(""), finishReason: await finishReason, outputTokens };
}

async function tools(model) {
  const note = { text: "colour = red\n" };
  const asked = { model, tools: noteTools(note), prompt: task, stopWhen: stepCountIs(9) };
  const result = streamText(asked);
  const errors = [];
  for await (const part of result.fullStream) {
    if (part.type === "error") errors.push(String(part.error));
  }
  const steps = await result.steps;
  return {
    text: await result.text,
    thoughts: steps.map((step) => step.reasoningText ?? null),
    called: steps.flatMap((step) => step.toolCalls.map((call) => call.toolName)),
    note: note.text,
    errors,
  };
}

async function object(model) {
  const schema = z.object({ colour: z.string() });
  return (await generateObject({ model, schema, prompt: "Which colour is the sky?" })).object;
}

async function outcome(run) {
  try {
    return await run();
  } catch (error) {
    return { failed: String(error) };
  }
}

globalThis.AI_SDK_LOG_WARNINGS = false; // they would stand among the results

const results = {};
for (const [name, model] of Object.entries(models)) {
  results[name] = {};
  for (const part of [chat, stream, tools, object]) {
    results[name][part.name] = await outcome(() => part(model));
  }
}
console.log(JSON.stringify(results));
