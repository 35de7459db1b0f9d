// mlxsite as a provider of pi, written by `manage.py harness_pi`, which writes it anew each time.
// `manage.py harness_pi --remove` takes it away.
//
// pi runs this file at every start, and waits for it. So `mlxsite/local` is whatever model the
// server has by then; the server answers with that one under any name.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

interface ServedModel {
  id: string;
  owned_by: string;
  context_window: number;
  reasoning: boolean;
  vision: boolean;
}

const BASE_URL = "@BASE_URL@";
// What was served when this file was written, for a start while the server is down.
const STORED: ServedModel[] = "@STORED@";

const PATIENCE = 2000; // milliseconds that the server gets to answer
const LONGEST_ANSWER = 32_000; // tokens

// The variable that the server reads; without keys any text will do.
const KEYS = (process.env.MLXSITE_API_KEYS ?? "").split(",").map((key) => key.trim());
const KEY = KEYS.find((key) => key !== "") ?? "none";

async function served(): Promise<ServedModel[]> {
  try {
    const response = await fetch(`${BASE_URL}/models`, {
      headers: { authorization: `Bearer ${KEY}` },
      signal: AbortSignal.timeout(PATIENCE),
    });
    const { data } = (await response.json()) as { data?: ServedModel[] };
    const ours = (data ?? []).filter((model) => model.owned_by === "mlxsite");
    return ours.length ? ours : STORED;
  } catch {
    return STORED; // nothing listens there, or it does not speak JSON
  }
}

export default async function (pi: ExtensionAPI): Promise<void> {
  const [model] = await served();
  if (!model) return;
  pi.registerProvider("mlxsite", {
    name: "mlxsite",
    baseUrl: BASE_URL,
    apiKey: KEY,
    api: "openai-completions",
    models: [
      {
        id: "local",
        name: model.id,
        reasoning: model.reasoning,
        thinkingLevelMap: { off: "none" }, // or pi would say nothing, and the model might think
        input: model.vision ? ["text", "image"] : ["text"],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: model.context_window,
        maxTokens: Math.min(LONGEST_ANSWER, model.context_window),
        // Marks that chat templates would only repeat to the model.
        compat: { supportsDeveloperRole: false, supportsStrictMode: false, supportsStore: false },
      },
    ],
  });
}
