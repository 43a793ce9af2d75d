import type { Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";

/** How Playwright sends to the browser what a test wants to see of its requests. */
const ROUTES = /(?:^|\.)setNetworkInterceptionPatterns$/;
const HANDLES = /^route\.(?:continue|fulfill|abort)$/i;
/** Who looks at every request watches, or blocks what does not come. */
const EVERYTHING = /^\*[*/]*$/;

/** A route of the test's own that answered none of the requests that it met: each was left to whoever comes next. */
export function detectIdleRoute({ run: { facts }, failed }: Evidence): Finding[] {
  const steps = facts.steps.filter(({ ts }) => ts <= failed.to);
  const routed = steps.filter(({ name }) => ROUTES.test(name));
  const handled = steps.filter(({ name }) => HANDLES.test(name));
  const globs = new Set(routed.flatMap(globsOf));
  const [glob] = globs;
  const [route] = routed;
  const isPassedOn = ({ name, params }: Step) =>
    name.toLowerCase() === "route.continue" && params.isFallback === true;
  if (!route || glob === undefined || globs.size > 1 || EVERYTHING.test(glob)) return [];
  if (handled.length === 0 || !handled.every(isPassedOn)) return [];
  return [
    {
      kind: "test_code",
      title: `The test's own route for ${quoted(glob, 80)} answered none of the requests that it met: it passed ${handled.length === 1 ? "the one" : `all ${handled.length}`} on to the server`,
      detail: null,
      step_id: route.step_id,
      events: [route.seq, handled.at(-1)!.seq],
      ts: handled.at(-1)!.ts,
      is_new: null,
      weight: 0.58,
    },
  ];
}

function globsOf({ params }: Step): string[] {
  const patterns = Array.isArray(params.patterns) ? params.patterns : [];
  return patterns.flatMap((one: { glob?: unknown; regexSource?: unknown } | null) => {
    const pattern = one?.glob ?? one?.regexSource;
    return typeof pattern === "string" ? [pattern] : [];
  });
}
