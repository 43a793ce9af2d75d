import type { Browser, BrowserContext, Request } from "playwright-core";
import { systemClock } from "../../server/platform/clock.ts";
import { openContext } from "../../server/run/browsers/context.ts";
import type { NetworkCapture } from "../../server/run/capture/network.ts";
import { watchPages } from "../../server/run/capture/pages.ts";
import { createRecorder } from "../../server/run/capture/recorder.ts";
import type { SeenRequest } from "../../server/run/capture/requests.ts";
import type { Keeping } from "../../server/run/capture/sink.ts";
import { NO_CLONES } from "../../server/run/clones/set.ts";
import type { CompiledScenario } from "../../server/run/language/ast.ts";
import { createRedactor } from "../../server/run/redaction/redact.ts";
import { createTypedValues } from "../../server/run/redaction/typed.ts";
import type { Environment } from "../../server/run/runner/environment.ts";
import type { Execution, Progress } from "../../server/run/runner/execution.ts";
import { createElements } from "../../server/run/runner/heal.ts";
import { createInjections } from "../../server/run/runner/injections.ts";
import { EVERYWHERE } from "../../server/run/runner/reach.ts";
import { createSecretRules } from "../../server/run/runner/secret-origins.ts";
import { createValues } from "../../server/run/runner/values.ts";
import { walk } from "../../server/run/runner/walk.ts";
import { NOWHERE } from "../helpers/nowhere.ts";

const nothing: Keeping = { recorded: [], kept: [] };

/**
 * The bare scenario: the runner finds, acts and expects as ever, and nothing is recorded. No program has such a run; here it is
 * what a recorded one is held against.
 * @throws when it does not pass
 */
export async function runUnrecorded(
  browser: Browser,
  scenario: CompiledScenario,
  options: { baseUrl: string; email: string; onProgress: (progress: Progress) => void },
): Promise<void> {
  const clock = systemClock;
  const { signal } = new AbortController();
  const context = await openContext(browser, { region: {}, excludeOrigins: [] });
  const typed = createTypedValues();
  const redactor = createRedactor({ headers: [], patterns: [], secrets: {}, typed });
  const recorder = createRecorder({ sink: NOWHERE, clock, redactor });
  const pages = watchPages(context, recorder);
  await context.newPage();
  const synthetic = { email: options.email, name: "Synthetic 1", region: "r", shard: "1" };
  const sources = { secrets: {}, synthetic };
  const values = createValues({ ...sources, clones: NO_CLONES.addresses });
  const environment: Environment = {
    context,
    page: pages.current,
    values,
    secretRules: createSecretRules(sources, values),
    recorder,
    redactor,
    typed,
    hiddenSteps: new Set(),
    network: watchRequests(context),
    clones: NO_CLONES,
    reach: EVERYWHERE,
    elements: createElements({}, true),
    thinking: { found: [], healed: null },
    injections: createInjections(context, { recorder, clock, signal, onAnswered: async () => {} }),
    playback: null,
    clock,
    excludeOrigins: new Set(),
    proxy: null,
    baseUrl: options.baseUrl,
    filesFolder: null,
    signal,
    lastResponse: null,
  };
  const execution = { scenario, clock, onProgress: options.onProgress } as Execution;
  const failed = await walk(execution, environment, {
    capture: { look: async () => {}, finish: async () => nothing },
    archive: { enter: async () => {}, leave: async () => {}, stop: async () => () => nothing },
  });
  if (failed) throw new Error(`The run was ${failed.status}: ${failed.error?.message}`);
  await Promise.all([context.close(), recorder.close()]);
}

/** What steps may ask about, and no more of it. */
function watchRequests(context: BrowserContext): NetworkCapture {
  const seen: SeenRequest[] = [];
  const byRequest = new Map<Request, SeenRequest>();
  let changed = Promise.withResolvers<void>();
  const tell = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  context.on("request", (request) => {
    const entry = { method: request.method(), url: request.url(), status: null };
    byRequest.set(request, entry);
    seen.push(entry);
    tell();
  });
  context.on("response", (response) => {
    const entry = byRequest.get(response.request());
    if (entry) entry.status = response.status();
    tell();
  });
  return { seen, change: () => changed.promise, socket: () => () => {}, settle: async () => {} };
}
