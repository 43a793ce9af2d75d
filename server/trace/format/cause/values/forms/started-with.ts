import { isRecord, jsonOf } from "../json-leaves.ts";
import { ofComponentRows } from "./component-rows.ts";
import { givenIn } from "./literal.ts";
import { merged } from "./merged.ts";
import { ofTurboStream } from "./turbo-stream.ts";

/** What scripts with which frameworks start a page are known by: SvelteKit, React Router and Remix, Next, Nuxt. */
const STARTER =
  /\b(?:__sveltekit_\w{1,20}|__reactRouter(?:Context|Manifest|RouteModules)|__remix(?:Context|Manifest|RouteModules)|__next_[a-z]|__NUXT__)\b/;

/** Whether a framework starts the page with a script: it is made of the page's data and of the release, and is nobody's code. */
export const isStarter = (script: string): boolean => STARTER.test(script);

const LONGEST = 500_000;

/** The data of a page that its scripts start it with; undefined where they start it with none. */
export function startedWith(scripts: readonly string[]): unknown {
  const starters = scripts.filter((one) => one.length <= LONGEST && isStarter(one));
  if (starters.length === 0) return undefined;
  const text = starters.flatMap((one) => textsIn(one, ENQUEUED)).join("");
  if (text !== "") return ofState(ofTurboStream(text));
  const rows = starters.flatMap((one) => textsIn(one, PUSHED)).join("");
  if (rows !== "") return ofComponentRows(rows).page;
  for (const one of starters) {
    if (one.includes("node_ids")) return ofNodes(givenIn(one, "data"));
    const context = /\b__remixContext\s{0,9}=/.exec(one);
    if (context)
      return ofContext(jsonOf(one.slice(one.indexOf("{", context.index), one.lastIndexOf("}") + 1)));
  }
  return undefined;
}

/** React Router and Remix. */
const ENQUEUED = /\bstreamController\.enqueue\(("(?:[^"\\]|\\.)*")\)/g;
/** Next. */
const PUSHED = /\b__next_f\.push\(\[1,("(?:[^"\\]|\\.)*")\]\)/g;

const textsIn = (script: string, pattern: RegExp): string[] =>
  [...script.matchAll(pattern)].flatMap(([, text]) => {
    try {
      return [String(JSON.parse(text!))];
    } catch {
      return [];
    }
  });

/** What the routes of a page loaded (React Router, Remix). */
function ofState(state: unknown): unknown {
  if (!isRecord(state) || !isRecord(state.loaderData)) return undefined;
  return merged(Object.entries(state.loaderData));
}

const ofContext = (context: unknown): unknown => (isRecord(context) ? ofState(context.state) : undefined);

/** The data of a page and of the layouts around it (SvelteKit). */
const ofNodes = (nodes: unknown): unknown =>
  Array.isArray(nodes)
    ? merged(nodes.map((node) => ["", isRecord(node) && node.type === "data" ? node.data : null]))
    : undefined;
