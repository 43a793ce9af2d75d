import type { Action, CompiledStep, Text } from "../language/ast.ts";
import { showText } from "../language/compile.ts";
import type { Heal } from "./fingerprint.ts";
import { showTarget } from "./targets.ts";

/** What a step thinks while it is carried out; it is told when the step is over. */
export interface Thinking {
  /** How each element was found, in sentences. */
  found: string[];
  healed: Pick<Heal, "from" | "to" | "why"> | null;
}

/** The one thought of a step: how its element was found, or the address or condition that it is about. */
export function thoughtOf(
  step: CompiledStep,
  thinking: Thinking,
  baseUrl: string | null,
): { text: string; healed?: Thinking["healed"] } {
  const { found, healed } = thinking;
  const text = found.length > 0 ? found.join(" ") : about(step, baseUrl);
  return { text, ...(healed && { healed }) };
}

function about({ action, source }: CompiledStep, baseUrl: string | null): string {
  const address = (url: Text) => addressOf(showText(url), baseUrl);
  switch (action.verb) {
    case "go":
      return `The address is ${address(action.url)}.`;
    case "request":
      return `The address is ${address(action.url)}, asked by ${action.method}.`;
    case "expect":
      return `The condition is: ${source.replace(/^expect\s+/i, "")}.`;
    case "wait_for":
    case "wait_for_url":
    case "wait_for_request":
      return `It waits until this holds: ${source.replace(/^wait for\s+/i, "")}.`;
    case "wait":
      return `It waits ${action.duration_ms} ms, whatever the page does.`;
    case "advance_clock":
      return `The page's clock goes forward by ${action.by_ms} ms.`;
    case "set_clock":
      return `The page's clock is set to ${action.to}.`;
    case "inject_error":
      return `Requests to ${action.url} are answered with ${action.status}.`;
    case "inject_latency":
      return `Requests to ${action.url} wait ${action.ms} ms.`;
    case "clear_injections":
      return "Requests reach the network again as they are.";
    case "screenshot":
      return "The page is shown as it is now; no element is looked for.";
    default:
      return sought(action);
  }
}

function sought(action: Action): string {
  if (action.verb === "set") return `The value of ${action.name} needs no element.`;
  if (!("target" in action) || action.target === null)
    return "No element is named: the one that has the focus is meant.";
  return `Looking for ${showTarget(action.target)}, which was not found.`;
}

function addressOf(url: string, baseUrl: string | null): string {
  // With a reference in it, it is no address yet.
  if (baseUrl === null || url.includes("${")) return url;
  return URL.parse(url, baseUrl)?.href ?? url;
}
