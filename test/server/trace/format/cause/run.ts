import { findCause } from "../../../../../server/trace/format/cause/find-cause.ts";
import { type ActShots, actShots, passActShots } from "../../../../../server/trace/format/cause/page/acts.ts";
import { viewOfHtml } from "../../../../../server/trace/format/cause/page/page-view.ts";
import { withHeldAction } from "../../../../../server/trace/format/cause/run/held.ts";
import { inForms, sayMeant } from "../../../../../server/trace/format/cause/run/meant-answers.ts";
import { withReadValue } from "../../../../../server/trace/format/cause/run/read-values.ts";
import { createRunReader } from "../../../../../server/trace/format/cause/run/run-reader.ts";
import {
  earlierPages,
  failedOf,
  failurePage,
  pageBefore,
  passPage,
} from "../../../../../server/trace/format/cause/run/select.ts";
import { sharedCause } from "../../../../../server/trace/format/cause/shared.ts";
import type {
  Cause,
  Evidence,
  RunEvidence,
  TestFile,
} from "../../../../../server/trace/format/cause/types.ts";
import type { TraceEvent } from "../../../../../server/trace/format/event.ts";
import { createSummaryBuilder } from "../../../../../server/trace/format/summary-builder.ts";
import { meta } from "../summary-fixture.ts";

type Told = Record<string, unknown> & { kind: string };

const START = 1_000_000;
export const SITE = "http://shop.example";

/** Events numbered from 1; `ts` is ms since the run began and goes on by 10 where it is not said. */
export function run(...told: Told[]): TraceEvent[] {
  let ts = 0;
  return told.map((event, at) => {
    ts = typeof event.ts === "number" ? event.ts : ts + 10;
    return { ...event, seq: at + 1, ts: START + ts } as TraceEvent;
  });
}

export const click = (title: string, more: Record<string, unknown> = {}): Told => ({
  kind: "agent.action",
  step_id: title,
  name: "click",
  title,
  params: {},
  duration_ms: 20,
  ...more,
});

/** A click on the button “Save”, by its role. */
export const save = (more: Record<string, unknown> = {}): Told =>
  click("Click getByRole('button', { name: 'Save' })", {
    ts: 3_010,
    name: "page.click",
    step_id: "save",
    params: { selector: 'internal:role=button[name="Save"i]' },
    ...more,
  });

/** The same, which ran out of time. */
export const savedInVain = (more: Record<string, unknown> = {}): Told =>
  save({
    duration_ms: 4_100,
    error: { message: "TimeoutError: locator.click: Timeout 4000ms exceeded." },
    ...more,
  });

/** The assertion that fails, from 5 s on for 2 s unless it is said otherwise. */
export const failing = (more: Record<string, unknown> = {}): Told => ({
  kind: "assertion",
  ts: 5_000,
  step_id: "check",
  ok: false,
  name: "toHaveText",
  title: "Expect \"toHaveText\" getByRole('heading')",
  message: "expect(locator).toHaveText(expected) failed",
  expected: '"Thank you"',
  received: '"Checkout"',
  duration_ms: 2_000,
  ...more,
});

export const passing = (more: Record<string, unknown> = {}): Told => ({
  ...failing(more),
  ok: true,
  received: undefined,
});

/** The test waits for a response from 3 s on. */
export const waiting = (more: Record<string, unknown>): Told => ({
  kind: "agent.action",
  step_id: "wait",
  name: "page.__waitInfo__",
  title: 'Wait for event "response"',
  params: {},
  ts: 3_000,
  ...more,
});

export const waitedInVain = (more: Record<string, unknown> = {}): Told =>
  waiting({
    duration_ms: 4_000,
    ok: false,
    error: { message: 'Timeout 4000ms exceeded while waiting for event "response"' },
    ...more,
  });

let requests = 0;

/** A request and its answer. */
export function exchange(url: string, more: Record<string, unknown> = {}): Told[] {
  const id = `r${++requests}`;
  const {
    ts,
    method = "GET",
    resource_type = "fetch",
    request = {},
    ...answer
  } = more as Record<string, unknown> & { request?: object };
  const at = typeof ts === "number" ? { ts } : {};
  const shared = {
    request_id: id,
    method,
    url: url.startsWith("/") ? `${SITE}${url}` : url,
    resource_type,
  };
  return [
    { kind: "network.request", ...shared, headers: [], ...at, ...request },
    { kind: "network.response", ...shared, status: 200, headers: [], duration_ms: 5, ...answer },
  ];
}

export const page = (html: string, more: Record<string, unknown> = {}): Told => ({
  kind: "dom.snapshot",
  url: `${SITE}/checkout`,
  html,
  ts: 6_990,
  step_id: "check",
  ...more,
});

/** The cause that is found for a run, against passes, newest first. */
export const causeOf = (failed: TraceEvent[], ...passes: TraceEvent[][]): Cause =>
  causeIn([], failed, ...passes);

/** The same as whoever has the failed run alone is told it. */
export function sharedOf(failed: TraceEvent[], ...passes: TraceEvent[][]): Cause {
  const evidence = evidenceIn([], failed, ...passes);
  return sharedCause(findCause(evidence), evidence);
}

/** Its suspects in words, best first: `kind: title`. */
export const told = (...given: Parameters<typeof causeOf>): string[] =>
  causeOf(...given).suspects.map(({ kind, title }) => `${kind}: ${title}`);

/** The first of them. */
export const first = (...given: Parameters<typeof causeOf>): string | undefined => told(...given)[0];

/** The cause, as `causeOf` finds it; `environments` are those of the run and of each pass. */
export const causeIn = (...given: Parameters<typeof evidenceIn>): Cause => findCause(evidenceIn(...given));

/** The same with files of the test's own code that are others in the newest pass. */
export const causeWithFiles = (
  testFiles: TestFile[],
  failed: TraceEvent[],
  ...passes: TraceEvent[][]
): Cause => findCause({ ...evidenceIn([], failed, ...passes), testFiles });

/** The same with the test's own code, by the names that stacks have. */
export function causeWithSources(
  sources: Record<string, string>,
  failed: TraceEvent[],
  ...passes: TraceEvent[][]
): Cause {
  const evidence = evidenceIn([], failed, ...passes);
  evidence.run.sources = new Map(Object.entries(sources));
  return findCause(evidence);
}

/** What was read of a run, and of passes, as causes are found in. */
export function evidenceIn(
  environments: Record<string, unknown>[],
  failed: TraceEvent[],
  ...passes: TraceEvent[][]
): Evidence {
  const builder = createSummaryBuilder(meta({ claimedStatus: "failed" }));
  for (const event of failed) builder.add(event);
  const mine = factsOf(failed);
  const theirs = passes.map(factsOf);
  const chosen = withHeldAction(withReadValue(failedOf(builder.finish(), mine)!, mine, theirs), mine, theirs);
  const look = (shot: ReturnType<typeof failurePage>) =>
    shot && { shot, elements: viewOfHtml(shot.html ?? "") };
  const seen = (
    facts: RunEvidence["facts"],
    shot: ReturnType<typeof failurePage>,
    at: number,
  ): RunEvidence => ({
    facts,
    page: look(shot),
    bodies: new Map(),
    environment: environments[at] ?? {},
  });
  const shot = failurePage(mine, chosen);
  const acts = actShots(mine, chosen);
  const seenBy = (shots: readonly ActShots[]) =>
    shots.map(({ step, met, left }) => ({ step, met: look(met)!, left: look(left) }));
  return {
    failed: chosen,
    run: {
      ...seen(mine, shot, 0),
      earlier: (shot ? earlierPages(mine, chosen, shot) : []).map((one) => look(one)!),
      before: look(pageBefore(mine, chosen, shot)) ?? undefined,
      acts: seenBy(acts),
    },
    passes: passes.map((events, at) => {
      const facts = factsOf(events);
      return {
        ...seen(facts, passPage(mine, chosen, facts), at + 1),
        acts: seenBy(passActShots(mine, acts, facts)),
      };
    }),
  };
}

export function factsOf(events: TraceEvent[]) {
  const reader = createRunReader();
  for (const event of events) reader.add(event);
  const facts = reader.finish();
  for (const one of inForms(facts.exchanges)) sayMeant(one, one.body!);
  return facts;
}
