import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import { pageTime } from "../browsers/page-time.ts";
import type { NetworkCapture } from "../capture/network.ts";
import type { Recorder } from "../capture/recorder.ts";
import type { CloneSet } from "../clones/set.ts";
import type { CompiledScenario, CompiledStep } from "../language/ast.ts";
import type { RedactionRules, Redactor } from "../redaction/redact.ts";
import { type CaughtUp, isSentAgain, type PastCall, splitPast, tellPast } from "./catch-up.ts";
import type { RecordedRun } from "./plan.ts";
import { type PlaybackNetwork, type PlaybackRequest, servePlayback } from "./serve.ts";
import { serveSockets } from "./sockets.ts";

/** What a replay goes on with when it goes live. */
export interface Present {
  context: BrowserContext;
  page(): Page;
  clones: CloneSet;
  signal: AbortSignal;
  /**
   * Sends a request as the page's browser would, and records it.
   * @param timeout ms
   * @throws when there is no answer in time
   */
  send(request: PlaybackRequest, timeout: number): Promise<unknown>;
}

/** What a run that begins in the past of another run is given, until it reaches its first live step. */
export interface Playback extends Omit<PlaybackNetwork, "goLive"> {
  /** Call it when the context is there, before its first page. */
  begin(context: BrowserContext, network: NetworkCapture): Promise<void>;
  /** Call it before each step: the first live one ends the past. */
  reach(step: CompiledStep, present: Present): Promise<void>;
}

/** What one request may take that brings the target up to date. */
const CATCH_UP_MS = 10_000;
/** So long clones are given to hear again what they had heard. */
const HEAR_OUT_MS = 2000;
const OF_THE_CONNECTION = /^(host|content-length|connection|accept-encoding|cookie|sec-.*)$/i;

/** Call it before the context is made. */
export async function openPlayback(
  browser: Browser,
  recorded: RecordedRun,
  options: {
    scenario: CompiledScenario;
    baseUrl: string | null;
    recorder: Recorder;
    redactor: Redactor;
    rules: RedactionRules;
    clock: Clock;
    onCaughtUp?: (caughtUp: CaughtUp) => void;
  },
): Promise<Playback> {
  const { scenario, redactor, recorder, clock } = options;
  const { plan } = recorded;
  const network = await servePlayback(browser, recorded, options);
  let closeSockets = async (): Promise<void> => {};
  let age = 0;

  /** The clock shows the present, unless the scenario had set it: then that is the time. */
  async function clockToPresent({ context, page }: Present): Promise<void> {
    const before = scenario.steps.slice(0, plan.fromStep - 1);
    if (before.some(({ action }) => action.verb === "set_clock")) return;
    // The page's own clock, which steps may have moved.
    const shown = await pageTime(page());
    await context.clock.setSystemTime(shown + age);
  }

  /** Sends what was sent before, so that the target has the session and state that the next steps need. */
  async function catchUp(present: Present, requests: readonly PlaybackRequest[]): Promise<void> {
    for (const { headers, ...request } of requests) {
      const own = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.test(name));
      try {
        await present.send({ ...request, headers: Object.fromEntries(own) }, CATCH_UP_MS);
      } catch (error) {
        const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
        const text = `${request.method} ${request.url} could not be sent again to the target: ${reason}`;
        recorder.note(redactor.url(text));
      }
    }
  }

  return {
    get isServing() {
      return network.isServing;
    },
    get failure() {
      return network.failure;
    },
    answer: network.answer,
    skip: network.skip,
    finish: network.finish,
    close: network.close,
    async begin(context, capture) {
      if (!network.isServing) return;
      const { planned } = plan;
      recorder.emit("agent.thought", { text: tellPast(plan.fromStep, planned), caught_up: planned });
      // Served pages have no address, so they count as public, and may not ask a target on this network. Browsers that
      // do not know the permission do not ask for it.
      await context.grantPermissions(["local-network-access"]).catch(() => {});
      closeSockets = await serveSockets(context, recorded.network.sockets, {
        isServing: () => network.isServing,
        redactor,
        network: capture,
      });
      age = clock.now() - plan.startedAt;
      await context.clock.install({ time: plan.startedAt });
    },
    async reach(step, present) {
      if (!network.isServing || step.index < plan.fromStep) return;
      const requests = await network.goLive();
      await closeSockets();
      await clockToPresent(present);
      const sent = requests.filter((request) => isSentAgain(request, plan.rule));
      const calls = requests.map(({ method, url }) => ({ method, url }));
      const { sent: told, left_out } = splitPast(calls, plan.rule);
      const masked = (all: PastCall[]) => all.map(({ method, url }) => ({ method, url: redactor.url(url) }));
      options.onCaughtUp?.(redactor.value({ sent: masked(told), left_out: masked(left_out) }));
      if (sent.length > 0) {
        await catchUp(present, sent);
        await hearOut(present, recorded.clones, clock);
      }
      // What the target has told them anew stays as it told it, as the code of a mail: it knows no other.
      for (const clone of present.clones.clones)
        clone.restore(
          { ...recorded.clones.get(clone.service), ...clone.state() },
          { isExpected: sent.length > 0 },
        );
    },
  };
}

/** Waits a little for what the target tells its third parties later than it answers: mails wait in queues. */
async function hearOut(
  { clones, signal }: Present,
  recorded: RecordedRun["clones"],
  clock: Clock,
): Promise<void> {
  const over = new AbortController();
  const isAllTold = () =>
    clones.clones.every((clone) => {
      const state = clone.state();
      return Object.keys(recorded.get(clone.service) ?? {}).every((key) => Object.hasOwn(state, key));
    });
  const listen = () => {
    if (isAllTold()) over.abort();
  };
  for (const clone of clones.clones) clone.onChange(listen);
  listen();
  await clock.sleep(HEAR_OUT_MS, AbortSignal.any([signal, over.signal]));
}
