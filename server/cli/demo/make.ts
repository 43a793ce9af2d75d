import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { planMonth } from "../../../fixtures/month/plan.ts";
import { samplesToday, suiteToday, type TodaySample } from "../../../fixtures/month/today.ts";
import { savedSearchesOf } from "../../../store/records/saved-searches.ts";
import type { Deps } from "../../deps.ts";
import { writeFileAtomic } from "../../platform/files.ts";
import { createRandom } from "../../platform/random.ts";
import { saveSearch } from "../../trace/searches/service.ts";
import { shareTrace } from "../../trace/share/service.ts";
import { setPinned } from "../../trace/traces/service.ts";
import { COPIES } from "./copy.ts";
import { sampler } from "./moment.ts";
import { type Maker, makeTraces, type Take } from "./month.ts";
import { makeSuites } from "./suites.ts";

/** What the data folder knows of its samples. */
interface Made {
  seed: string;
  /** The moment that the samples lead up to, epoch ms. */
  now: number;
  isDone: boolean;
}

const NOTE = "demo.json";

/** settings.json of a new folder: with these a month shows every tier. */
export const DEMO_SETTINGS = { retention: { hot_days: 21, warm_days: 27 } };

const SEARCHES = [
  { name: "Failed on main", query: "status:failed source:schedule" },
  { name: "The redesign of the checkout", query: "pr:482" },
  { name: "Checkout answered 500", query: "checkout 500" },
];

/**
 * Fills a data folder with the sample team's month, once in its life: whoever removed a trace meant it. What a start that was ended
 * left undone is done by the next.
 * @param given.seed what ids follow from; random unless they are to come out the same again
 * @returns how many traces were made; 0 when all was there
 */
export async function makeSamples(
  deps: Deps,
  orgId: string,
  given: { dataDir: string; base: string; signal: AbortSignal; seed?: string },
): Promise<number> {
  const { dataDir, base, signal } = given;
  const path = join(dataDir, NOTE);
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Made | string[]) : null;
  // A list is what the demo noted when it had single samples only: such a folder keeps them.
  if (Array.isArray(known) || known?.isDone) return 0;
  const made = known ?? { seed: given.seed ?? deps.ids.secret(24), now: deps.clock.now(), isDone: false };
  const note = (isDone: boolean) =>
    writeFileAtomic(path, JSON.stringify({ ...made, isDone }), { mode: 0o600 });
  note(false);
  await deps.store.work.sweep(COPIES);
  const maker: Maker = { deps, orgId, seed: made.seed, signal };
  const month = planMonth(made.now, createRandom(made.seed));
  const traces = await makeTraces(maker, month, samplesToday(made.now).map(toTake).reverse());
  await makeSuites(maker, [...month.suites, suiteToday(made.now)], traces);
  if (signal.aborted) return traces.size;
  await keepSome(maker, traces, base);
  note(true);
  return traces.size;
}

function toTake(sample: TodaySample): Take {
  const { key, path, at, scenarioSlug, title, source, prNumber, run, change } = sample;
  return {
    ...{ key, path, at, slug: scenarioSlug, title, source, region: null, pr: prNumber ?? null },
    env: change ? { branch: change.branch, commit: change.message, author: change.author } : {},
    commitSha: change?.sha ?? null,
    run: run ?? null,
  };
}

/** What people keep of it: searches, a link for everyone, a pass to compare with. */
async function keepSome({ deps, orgId }: Maker, traces: Map<string, string>, base: string): Promise<void> {
  const actor = sampler(orgId);
  if ((await savedSearchesOf(deps.store.records, orgId)).length === 0)
    for (const search of SEARCHES) await saveSearch(deps, actor, search);
  const [broken, pass] = [traces.get("guest-buys-a-kettle-5"), traces.get("member-buys-beans-7")];
  if (broken !== undefined)
    await shareTrace(deps, actor, broken, { visibility: "public-read", expires_days: 30 }, base);
  if (pass !== undefined) await setPinned(deps, actor, pass, true);
}
