import { stat } from "node:fs/promises";
import { dataFolder } from "../../../store/data-folder.ts";
import {
  bytesByDay,
  type DayOf,
  largestTraces,
  leavingByDay,
  oldestTraceAt,
  orphansByDay,
  scenariosById,
  storageTotals,
  type Total,
} from "../../../store/records/storage.ts";
import type { Deps } from "../../deps.ts";
import type { Actor } from "../../identity/actor.ts";
import { toIso } from "../../platform/clock.ts";
import { TIERS } from "../model.ts";
import { retention } from "../retention.ts";
import { BASIS_DAYS, forecast } from "./forecast.ts";
import type { DiskAnswer, StorageAnswer } from "./model.ts";

type StorageDeps = Pick<Deps, "store" | "clock" | "config" | "disk">;

const DAY_MS = 24 * 60 * 60_000;
const SHOWN_DAYS = 14;
const SHOWN_MOVES = 30;
const MOST = 20;

/** What the disk has left, and for how long at the present pace. */
export async function showDisk(deps: StorageDeps, actor: Pick<Actor, "orgId">): Promise<DiskAnswer> {
  const { records, files } = deps.store;
  const now = deps.clock.now();
  const days = await bytesByDay(records, actor.orgId, daysBefore(now, BASIS_DAYS));
  const disk = deps.disk(files.address.root);
  const oldest = await oldestTraceAt(records, actor.orgId);
  const told = forecast(disk, now, (day) => days.get(day)?.bytes ?? 0, oldest);
  return {
    state: told.state,
    free_bytes: disk.free,
    size_bytes: disk.size,
    bytes_per_day: told.bytesPerDay,
    basis_days: told.basisDays,
    full_in_days: told.fullInDays,
  };
}

/** What the org keeps, where, how it grows, and what moves or goes when. Counted by triggers and indexes. */
export async function showStorage(deps: StorageDeps, actor: Pick<Actor, "orgId">): Promise<StorageAnswer> {
  const { records, files } = deps.store;
  const { orgId } = actor;
  const now = deps.clock.now();
  const graceDays = deps.config.settings.retention.blob_grace_days;
  const { hotMs, warmMs, runsMs } = retention(deps.config);
  const [tiers, artifacts, blobs, scenarios] = await Promise.all([
    storageTotals(records, orgId, "tier", 10),
    storageTotals(records, orgId, "artifact", 100),
    storageTotals(records, "", "blobs", 1),
    storageTotals(records, orgId, "scenario", MOST),
  ]);
  const kinds = kindsOf(artifacts, blobs, await recordBytes(dataFolder(files.address.root).database));
  const named = sumOf(tiers);
  const shown = daysBefore(now, SHOWN_DAYS - 1).concat(Math.floor(now / DAY_MS));
  const byDay = await bytesByDay(records, orgId, shown);
  const names = await scenariosById(
    records,
    scenarios.map(({ value }) => value),
  );
  const moves = { now, most: SHOWN_MOVES };
  const toWarm = await leavingByDay(records, orgId, "hot", { ...moves, ageMs: hotMs });
  const toCold = await leavingByDay(records, orgId, "warm", { ...moves, ageMs: warmMs });
  const expiries = await leavingByDay(records, orgId, "clock", { ...moves, ageMs: runsMs });
  const removals = await orphansByDay(records, { ...moves, graceMs: graceDays * DAY_MS });
  const tierOf = (tier: string) => tiers.find(({ value }) => value === tier) ?? NOTHING;
  return {
    disk: await showDisk(deps, actor),
    cold_disk: coldDisk(deps),
    used_bytes: sumOf(kinds),
    shared_bytes: Math.max(0, named - sumOf(artifacts) - sumOf(blobs)),
    online: {
      bytes: sumOf(tiers.filter(({ value }) => !value.startsWith("cold"))),
      limit_bytes: deps.config.settings.retention.max_bytes,
    },
    retention: {
      hot_days: hotMs / DAY_MS,
      warm_days: warmMs / DAY_MS,
      blob_grace_days: graceDays,
      runs_days: runsMs / DAY_MS,
    },
    tiers: TIERS.map((tier) => {
      const [plain, pinned] = [tierOf(tier), tierOf(`${tier} pinned`)];
      return {
        tier,
        bytes: plain.bytes + pinned.bytes,
        count: plain.count + pinned.count,
        pinned_bytes: pinned.bytes,
        pinned_count: pinned.count,
      };
    }),
    kinds,
    scenarios: scenarios.flatMap(({ value, bytes, count }) => {
      const name = names.get(value);
      return name ? [{ ...name, bytes, count }] : [];
    }),
    days: shown.map((day) => {
      const { bytes, count } = byDay.get(day) ?? NOTHING;
      return { day: dayText(day), bytes, count };
    }),
    moves: [
      ...toWarm.map((move) => ({ ...dated(move), to: "warm" as const })),
      ...toCold.map((move) => ({ ...dated(move), to: "cold" as const })),
    ].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)),
    expiries: expiries.map(dated),
    removals: removals.map(dated),
    largest: (await largestTraces(records, orgId, MOST)).map((row) => ({
      ...row,
      pinned: row.pinned === 1,
      created_at: toIso(row.created_at),
    })),
  };
}

const NOTHING = { bytes: 0, count: 0 };
const sumOf = (parts: readonly { bytes: number }[]) => parts.reduce((sum, { bytes }) => sum + bytes, 0);
const dayText = (day: number) => toIso(day * DAY_MS).slice(0, 10);
const dated = ({ day, bytes, count }: DayOf) => ({ day: dayText(day), bytes, count });

/** So many days before today, the oldest first; whole days since 1970. */
function daysBefore(now: number, count: number): number[] {
  const today = Math.floor(now / DAY_MS);
  return Array.from({ length: count }, (_, index) => today - count + index);
}

/** The database and what it has not taken in from its log yet. */
async function recordBytes(path: string): Promise<number> {
  const sizes = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

type Kind = StorageAnswer["kinds"][number]["kind"];

const KIND_OF: Record<string, Kind> = {
  ndjson: "events",
  event_index: "events",
  playwright: "archives",
  snapshots: "pages",
  rrweb: "pages",
  video: "video",
  pack: "packs",
};

/** What artifacts are for, the largest first. */
function kindsOf(artifacts: Total[], blobs: Total[], records: number): StorageAnswer["kinds"] {
  const kinds = new Map<Kind, { bytes: number; count: number }>();
  const add = (kind: Kind, { bytes, count }: { bytes: number; count: number }) => {
    const known = kinds.get(kind) ?? NOTHING;
    kinds.set(kind, { bytes: known.bytes + bytes, count: known.count + count });
  };
  for (const artifact of artifacts) add(KIND_OF[artifact.value] ?? "others", artifact);
  for (const loose of blobs) add("blobs", loose);
  add("records", { bytes: records, count: 1 });
  return [...kinds].map(([kind, total]) => ({ kind, ...total })).sort((a, b) => b.bytes - a.bytes);
}

function coldDisk(deps: StorageDeps): StorageAnswer["cold_disk"] {
  const cold = deps.disk(deps.store.files.address.coldDir);
  if (cold.device === deps.disk(deps.store.files.address.root).device) return null;
  return { free_bytes: cold.free, size_bytes: cold.size };
}
