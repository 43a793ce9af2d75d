import type { StepSummary } from "./summary.ts";

/** What a runner or an agent's browser does for itself: hooks, fixtures, what only reads the page. */
const NOISE = new RegExp(
  `^(?:${[
    "(?:Before Hooks|After Hooks|Worker Cleanup|(?:before|after)(?:Each|All) hook)\\b",
    'Fixture "',
    'Attach "error-context"',
    "(?:Set overlay visibility|Launch browser|(?:Create|Open a|Close) (?:context|page|browser))$",
    "Get (?:text content|inner text|inner HTML|attribute|input value|URL|title|count)\\b",
    "Is (?:visible|hidden|enabled|disabled|checked|editable)\\b",
    "(?:Start|Stop) tracing\\b",
    "Set (?:extra HTTP headers|default)\\b",
    // As `playwright/title.ts` calls what has no title of its own.
    "Read the (?:page's (?:title|errors|HTML)|console|requests|accessibility tree(?: of .+)?)$",
    'Read (?:the (?:text|HTML|value)|attribute ".*") of .',
    "Whether .+ is (?:checked|enabled|visible)$",
    "Count (?:locator|getBy)",
    // Between any two calls of an agent, Playwright's MCP server.
    "Evaluate (?:function collectToolsInPage\\b|\\(ms\\) => new Promise\\(\\(f\\) => set)",
  ].join("|")})`,
  "i",
);

/** Whether a step's title says that it tells little about what was tested. */
export const isNoise = (title: string): boolean => NOISE.test(title);

/** Steps in their order, and each by its id. */
export interface StepList extends Iterable<StepSummary> {
  byId(id: string): StepSummary | undefined;
}

/**
 * Steps that tell little about the scenario: those a test runner makes for itself and all within them. Never one that
 * failed, has an error or a bad request, or such a step within it.
 */
export function noiseOf(steps: StepList): ReadonlySet<string> {
  const kept = new Set<string>();
  for (const step of steps) {
    const matters = step.status === "failed" || step.console_errors > 0 || step.bad_requests > 0;
    let at: StepSummary | undefined = matters ? step : undefined;
    while (at && !kept.has(at.step_id)) {
      kept.add(at.step_id);
      at = at.parent_step_id ? steps.byId(at.parent_step_id) : undefined;
    }
  }
  const noise = new Set<string>();
  for (const step of steps) {
    if (kept.has(step.step_id)) continue;
    const isWithin = step.parent_step_id !== null && noise.has(step.parent_step_id);
    if (isWithin || isNoise(step.title)) noise.add(step.step_id);
  }
  return noise;
}
