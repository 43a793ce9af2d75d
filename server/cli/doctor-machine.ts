import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { dataFolder } from "../../store/data-folder.ts";
import { type InspectedRecords, inspectRecords, newestTraceAt } from "../../store/inspect.ts";
import { hasNoRecords, lostRecords } from "../../store/lost-records.ts";
import { defaultSettings, loadSettings, type Settings } from "../../store/settings.ts";
import { loadConfig } from "../config.ts";
import { readSigningKey } from "../http/signed-urls.ts";
import { readCredentials } from "../identity/orgs.ts";
import { runningServer } from "../main.ts";
import { isServerAt } from "../platform/api-client.ts";
import { chooseBrowser } from "../platform/browser.ts";
import { systemClock, toIso } from "../platform/clock.ts";
import { isPortFree } from "../platform/ports.ts";
import { checkPublicUrl } from "./doctor-public-url.ts";
import type { Finding } from "./finding.ts";
import { bytes } from "./output.ts";

const LEAST_FREE_BYTES = 512 * 2 ** 20;
/** A clock before this program was written is not set. */
const EARLIEST = Date.UTC(2026, 0, 1);

/** Whether there is a store at all: without one, nothing else that is found whole means anything. */
export function checkPresence(dataDir: string): Finding {
  const name = "store";
  const paths = dataFolder(dataDir);
  if (!hasNoRecords(dataDir)) return { name, ok: true, detail: paths.database };
  const isThere = existsSync(paths.database);
  const none = `${dataDir} has no store: ${isThere ? "tracedeck.db is empty" : "there is no tracedeck.db"}; \`tracedeck serve\` makes one`;
  return { name, ok: false, detail: lostRecords(dataDir) ?? none };
}

/** What lies around the store: folder, settings, disk, clock, port, browser. */
export async function checkMachine(dataDir: string): Promise<Finding[]> {
  return [
    folder(dataDir),
    settings(dataDir),
    keys(dataDir),
    disk(dataDir),
    clock(dataDir),
    await port(dataDir),
    await checkPublicUrl(dataDir),
    browser(dataDir),
  ];
}

/** settings.json, or the defaults where it cannot be read: `checkMachine` says so. */
export function readableSettings(dataDir: string): Settings {
  try {
    return loadSettings(dataFolder(dataDir).settings);
  } catch {
    return defaultSettings();
  }
}

function folder(dataDir: string): Finding {
  const name = "data_folder";
  if (!existsSync(dataDir)) return { name, ok: true, detail: `${dataDir} is made by the first start` };
  if (!statSync(dataDir).isDirectory()) return { name, ok: false, detail: `${dataDir} is not a folder` };
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return { name, ok: false, detail: `${dataDir} cannot be read and written by this account` };
  }
  return { name, ok: true, detail: dataDir };
}

function settings(dataDir: string): Finding {
  const name = "settings";
  const path = dataFolder(dataDir).settings;
  try {
    loadSettings(path);
    return { name, ok: true, detail: existsSync(path) ? path : "defaults; there is no settings.json" };
  } catch (error) {
    return { name, ok: false, detail: messageOf(error) };
  }
}

/** The files that let somebody in: whole, and for nobody else to read. */
function keys(dataDir: string): Finding {
  const name = "keys";
  const { credentials, signingKey } = dataFolder(dataDir);
  const problems: string[] = [];
  const open = [credentials, signingKey].filter(isOpenToOthers);
  if (open.length > 0) problems.push(`other accounts may read ${open.join(", ")}: chmod 600 them`);
  if (existsSync(credentials) && !readCredentials(credentials))
    problems.push(`${credentials} is damaged; the next start makes a new key`);
  try {
    if (existsSync(signingKey)) readSigningKey(signingKey);
  } catch (error) {
    problems.push(messageOf(error));
  }
  const present = [credentials, signingKey].filter((path) => existsSync(path)).map((path) => basename(path));
  const whole =
    present.length > 0
      ? `${present.join(" and ")} ${present.length > 1 ? "are" : "is"} whole and private`
      : "there are none yet; the first start makes them";
  const detail = problems.join("; ") || whole;
  return { name, ok: problems.length === 0, detail };
}

function isOpenToOthers(path: string): boolean {
  return process.platform !== "win32" && existsSync(path) && (statSync(path).mode & 0o077) !== 0;
}

function disk(dataDir: string): Finding {
  const folder = [dataDir, dirname(dataDir), "."].find((path) => existsSync(path))!;
  const { bavail, bsize, blocks } = statfsSync(folder);
  const free = bavail * bsize;
  return {
    name: "disk",
    ok: free >= LEAST_FREE_BYTES,
    detail: `${bytes(free)} of ${bytes(blocks * bsize)} free${free < LEAST_FREE_BYTES ? "; less than 512 MiB is too little to work with" : ""}`,
  };
}

function clock(dataDir: string): Finding {
  const now = systemClock.now();
  const newest = newestRecord(dataDir);
  const isBehind = newest !== null && newest > now + 5 * 60_000;
  const detail = isBehind ? `${toIso(now)}, earlier than the newest trace (${toIso(newest)})` : toIso(now);
  return { name: "clock", ok: now >= EARLIEST && !isBehind, detail };
}

/** When the newest trace was made; null where there is none, or where the records cannot be read: `integrity` says that. */
function newestRecord(dataDir: string): number | null {
  try {
    return newestTraceAt(dataDir);
  } catch {
    return null;
  }
}

async function port(dataDir: string): Promise<Finding> {
  const name = "port";
  const server = runningServer(dataDir);
  if (server?.url) {
    const ok = await isServerAt(server.url);
    const verb = ok ? "answers" : "does not answer";
    return { name, ok, detail: `the server (process ${server.pid}) ${verb} at ${server.url}` };
  }
  const wanted = wantedPort(dataDir);
  if (await isPortFree(wanted)) return { name, ok: true, detail: `${wanted} is free` };
  const isOurs = await isServerAt(`http://localhost:${wanted}`);
  const by = isOurs ? "another tracedeck or web server" : "another program";
  return { name, ok: isOurs, detail: `${wanted} is used by ${by}; start with another --port` };
}

function wantedPort(dataDir: string): number {
  try {
    return loadConfig({ data: dataDir }).port;
  } catch {
    // Said under "settings".
    return 4173;
  }
}

function browser(dataDir: string): Finding {
  const found = chooseBrowser(readableSettings(dataDir).browser.executable);
  if (found.path !== null) return { name: "browser", ok: true, detail: found.path };
  const detail = found.isNamed ? found.missing : "none found; needed only for running scenarios here";
  return { name: "browser", ok: !found.isNamed, detail };
}

/** The records as SQLite itself sees them. They are opened without migrating or making anything. */
export function checkRecords(dataDir: string): { findings: Finding[]; canOpen: boolean } {
  // `checkPresence` says that there are none.
  if (hasNoRecords(dataDir)) return { findings: [], canOpen: false };
  try {
    const records = inspectRecords(dataDir);
    const findings = [schema(records), integrity(records), references(records)];
    return { findings, canOpen: findings.every(({ ok }) => ok) };
  } catch (error) {
    return { findings: [{ name: "integrity", ok: false, detail: messageOf(error) }], canOpen: false };
  }
}

function schema({ version, wanted }: InspectedRecords): Finding {
  const detail =
    version === wanted
      ? `version ${version}`
      : `version ${version}; this program has ${wanted}: ${
          version < wanted ? "the next start brings it up" : "start the newer tracedeck that wrote it"
        }`;
  return { name: "schema", ok: version === wanted, detail };
}

function integrity({ problems }: InspectedRecords): Finding {
  return {
    name: "integrity",
    ok: problems.length === 0,
    detail: problems.join("; ") || "SQLite finds the records whole",
  };
}

function references({ dangling: { count, pairs } }: InspectedRecords): Finding {
  const detail =
    count === 0 ? "every reference leads somewhere" : `${count} lead nowhere: ${pairs.join(", ")}`;
  return { name: "references", ok: count === 0, detail };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
