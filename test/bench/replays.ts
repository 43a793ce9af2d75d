import { basename } from "node:path";
import { startShop } from "../../fixtures/app/shop.ts";
import { readFolder } from "../../server/run/scenarios/files.ts";
import { testApp } from "../helpers/app.ts";
import { replayLab } from "../helpers/replays.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";

const FOLDER = `${import.meta.dir}/../../fixtures/scenarios`;
const AT_LEAST = 1;

/** How many of the sample scenarios end the same when they are replayed without edits from their middle; at a small size, of one. */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const app = await testApp();
  const shop = startShop();
  const lab = replayLab(app);
  const other: string[] = [];
  let count = 0;
  try {
    const files = (await readFolder(FOLDER)).map(({ name, text }) => ({ path: basename(name), text }));
    const synced = await lab.post("/v1/scenarios/sync", { files });
    if (!synced.ok) throw new Error(await synced.text());
    const { created }: { created: string[] } = await synced.json();
    for (const slug of isSmall ? created.slice(0, 1) : created) {
      const trace = await lab.record(slug, shop.url);
      const { steps }: { steps: number } = await lab.json(`/v1/traces/${trace}/replays`);
      const replay = await lab.replay(trace, { from_step: Math.ceil((steps + 1) / 2) });
      const endOf = async (id: string | null) => {
        const end: Record<string, unknown> = await lab.json(`/v1/traces/${id}`);
        return `${end.status} ${end.failure_signature}`;
      };
      count += 1;
      const [then, now] = [await endOf(trace), await endOf(replay.replay_trace_id)];
      const { reason = "", message = "" } = replay.error ?? {};
      if (then !== now) other.push(`${slug}: ${then} → ${now} ${reason} ${message}`.trimEnd());
    }
  } finally {
    await app.close();
    await shop.stop();
  }
  const ratio = (count - other.length) / count;
  return [
    {
      name: "replays without edits that end the same",
      ratio,
      isShare: true,
      target: `≥ ${AT_LEAST}`,
      ok: ratio >= AT_LEAST,
      detail: [`${count - other.length} of ${count} scenarios`, ...other].join("; "),
    },
  ];
}
