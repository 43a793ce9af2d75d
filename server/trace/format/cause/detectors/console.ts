import { headline, oneLine } from "../../error-text.ts";
import { isBefore, isNew } from "../compare.ts";
import type { Line, RunFacts } from "../run-facts.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, addressOf, isTracker } from "../words.ts";

/** Whether a line was said in the page: what the test printed and what the runner says is no console. */
export function isConsole({ source }: Line): boolean {
  return source !== "stdout" && source !== "stderr" && source !== "runner";
}

/** What a line is called across runs. */
export function lineKey({ text, source }: Line, { normaliser }: RunFacts): string {
  return `${source === "page" ? "page " : ""}${normaliser.text(headline(text, 500))}`;
}

/** Uncaught errors of the page, and what it logged as errors and warnings. */
export function detectConsole(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  return facts.lines
    .filter(
      (line) =>
        isConsole(line) &&
        (line.level === "error" || line.level === "warning") &&
        isBefore(evidence, line.ts),
    )
    .slice(-1_000)
    .map((line) => findingOf(evidence, line));
}

function findingOf(evidence: Evidence, line: Line): Finding {
  const { facts } = evidence.run;
  const isUncaught = line.source === "page" || /^Uncaught\b/.test(line.text);
  const place = ownFrame(line);
  const said = oneLine(headline(line.text, 300)).replace(/^Uncaught (?:\(in promise\) )?/, "");
  const key = lineKey(line, facts);
  const isLoad = /^Failed to load resource/.test(line.text);
  return {
    kind: isUncaught ? (isChunk(line.text) ? "script_failed" : "page_error") : "console_error",
    title: isUncaught
      ? `The page threw ${said}${place ? ` at ${place}` : ""}`
      : `The page logged ${line.level === "warning" ? "the warning" : "the error"}: ${said}`,
    detail: line.stack || (line.text !== said ? line.text : null),
    step_id: line.step_id,
    events: [line.seq],
    ts: line.ts,
    is_new: isNew(evidence, (pass) =>
      pass.facts.lines.some((other) => isConsole(other) && lineKey(other, pass.facts) === key),
    ),
    weight: weightOf(line, isUncaught),
    about: isLoad && line.url !== null ? aboutUrl(line.url, facts) : `error ${echoKey(said, facts)}`,
    isOwn: line.url === null || !isTracker(line.url),
  };
}

/** Libraries print an error again with words of their own around it. */
function echoKey(said: string, { normaliser }: RunFacts): string {
  return normaliser.text(said.replace(/^(?:[A-Z]\w*Error|Error): /, "")).slice(0, 120);
}

const isChunk = (text: string) =>
  /ChunkLoadError|Loading (?:CSS )?chunk \S+ failed|dynamically imported module|Importing a module script failed/i.test(
    text,
  );

function weightOf({ text, level, source }: Line, isUncaught: boolean): number {
  if (isChunk(text)) return 0.92;
  if (/ResizeObserver loop|Non-Error promise rejection/i.test(text)) return 0.15;
  if (isUncaught || source === "page")
    return /NetworkError|Failed to fetch|Load failed|status code|HTTP/i.test(text) ? 0.8 : 0.88;
  if (/^Failed to load resource/.test(text)) return 0.3;
  if (level === "warning" || /^Warning:|deprecat|\[HMR\]|DevTools|act\(\.\.\.\)|unique "key"/i.test(text))
    return 0.25;
  // Error boundaries and handlers say in the console what they caught.
  return /\b(?:TypeError|ReferenceError|RangeError|SyntaxError|Hydration|hydrat|The above error|Invariant)\b/.test(
    text,
  )
    ? 0.82
    : 0.62;
}

const FOREIGN =
  /node_modules|\/vendors?[./~-]|chunk-vendors|react-dom|\/react[.@/-]|vue(?:\.|@)|angular|jquery|zone\.js|polyfill|webpack[/-]|\/runtime[.~-]|cdn\.|unpkg|jsdelivr|<anonymous>|^native|\(native/i;

/** The first place of a stack that is in the product's own code: `cart.js:42 (renderTotal)`. */
function ownFrame({ stack, url, place }: Line): string | null {
  const frames = stack.split("\n").flatMap((line) => {
    const at =
      /^\s*(?:at )?(?:(.*?)[ @]\(?)?((?:https?|file|webpack(?:-internal)?|app):\/{2,3}[^\s()]+?):(\d+)(?::(\d+))?\)?\s*$/.exec(
        line,
      );
    return at ? [{ name: at[1]?.trim() ?? "", file: at[2]!, line: at[3]! }] : [];
  });
  const own = frames.find(({ file }) => !FOREIGN.test(file)) ?? frames[0];
  if (own)
    return `${addressOf(own.file, { host: hostOf(own.file) })}:${own.line}${own.name && own.name !== "async" ? ` (${own.name})` : ""}`;
  return url !== null && place !== null
    ? `${addressOf(url, { host: hostOf(url) })}:${place.split(":")[0]}`
    : null;
}

const hostOf = (url: string) => URL.parse(url)?.hostname ?? null;
