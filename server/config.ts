import { resolve } from "node:path";
import { version } from "../package.json" with { type: "json" };
import { dataFolder } from "../store/data-folder.ts";
import { loadSettings, type Settings } from "../store/settings.ts";
import { SECRET_NAME } from "../store/settings-schema.ts";
import { webOrigin } from "../store/web-origin.ts";
import { ENVIRONMENT } from "./environment.ts";
import { defaultDataDir } from "./platform/data-dir.ts";

/** Everything that flags, environment and settings.json decide, read once and frozen. */
export interface Config {
  version: string;
  dataDir: string;
  host: string;
  /** 0 takes a free port. */
  port: number;
  publicUrl: string | null;
  trustOrgHeader: boolean;
  /** Whether every request comes by one reverse proxy, which says in `X-Forwarded-For` from where. */
  trustProxy: boolean;
  logLevel: "debug" | "info" | "warn" | "error";
  settings: Settings;
  limits: PlanLimits;
  /** Secrets by name: `TRACEDECK_SECRET_NAME`, else `secrets` of settings.json. They are the first org's only. */
  secrets: Readonly<Record<string, ConfiguredSecret>>;
}

export interface ConfiguredSecret {
  value: string;
  /** Where it may go, as browsers write origins; null for anywhere. */
  origins: readonly string[] | null;
  source: "environment" | "settings";
}

export interface PlanLimits {
  hotDays: number;
  warmDays: number;
  uploadCapBytes: number;
  /** Replays of one org that run at once; more wait. */
  replaysAtOnce: number;
  /** Runs of scheduled checks of one org that go on at once; more wait. */
  scheduledAtOnce: number;
  /** How many of the hosted regions a run may name, in the order of their list. */
  regions: number;
  /** The shortest time between two fires of a schedule, minutes. */
  leastMinutes: number;
}

/** What the command line may say; it wins over the environment, which wins over settings.json. */
export interface Flags {
  data?: string | undefined;
  host?: string | undefined;
  port?: string | number | undefined;
  publicUrl?: string | undefined;
  trustOrgHeader?: boolean | undefined;
  trustProxy?: boolean | undefined;
  logLevel?: string | undefined;
}

/** A flag or an environment variable that cannot be used; the message names it. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

const GIB = 1024 ** 3;

/** Retention, upload cap, replays, scheduled runs, regions and cadence of each plan (decisions, section 3). */
export const PLANS: Record<Settings["plan"], PlanLimits> = {
  free: {
    hotDays: 7,
    warmDays: 30,
    uploadCapBytes: 100 * 1024 ** 2,
    replaysAtOnce: 2,
    scheduledAtOnce: 2,
    regions: 1,
    leastMinutes: 5,
  },
  team: {
    hotDays: 30,
    warmDays: 90,
    uploadCapBytes: GIB,
    replaysAtOnce: 10,
    scheduledAtOnce: 8,
    regions: 3,
    leastMinutes: 1,
  },
  business: {
    hotDays: 90,
    warmDays: 365,
    uploadCapBytes: 4 * GIB,
    replaysAtOnce: 10,
    scheduledAtOnce: 8,
    regions: 6,
    leastMinutes: 1,
  },
  enterprise: {
    hotDays: 180,
    warmDays: 730,
    uploadCapBytes: 16 * GIB,
    replaysAtOnce: 10,
    scheduledAtOnce: 32,
    regions: 6,
    leastMinutes: 1,
  },
};

const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
type Environment = Record<string, string | undefined>;

/**
 * Reads flags, `TRACEDECK_*` and `<data>/settings.json`.
 * @throws ConfigError or SettingsError, whose messages are meant for the person who started the program.
 */
export function loadConfig(flags: Flags = {}, env: Environment = process.env): Config {
  const dataDir = resolveDataDir(flags, env);
  const settings = loadSettings(dataFolder(dataDir).settings);
  const host = flags.host ?? (env.TRACEDECK_HOST || ENVIRONMENT.TRACEDECK_HOST.usual);
  const trustOrgHeader = flags.trustOrgHeader ?? false;
  if (trustOrgHeader && !isLoopbackName(host)) {
    throw new ConfigError(
      `--trust-org-header lets anyone who reaches the server in, so it needs a loopback --host; "${host}" is none.`,
    );
  }
  const publicUrl = flags.publicUrl ?? (env.TRACEDECK_PUBLIC_URL || settings.public_url);
  return freeze({
    version,
    dataDir,
    host,
    port: readPort(flags.port ?? (env.TRACEDECK_PORT || ENVIRONMENT.TRACEDECK_PORT.usual)),
    publicUrl: publicUrl === null ? null : readPublicUrl(publicUrl),
    trustOrgHeader,
    trustProxy: flags.trustProxy ?? false,
    logLevel: readLogLevel(
      flags.logLevel ?? (env.TRACEDECK_LOG_LEVEL || ENVIRONMENT.TRACEDECK_LOG_LEVEL.usual),
    ),
    settings,
    limits: planLimits(settings),
    secrets: configuredSecrets(settings, env),
  });
}

const SECRET = "TRACEDECK_SECRET_";

/** The environment's value of a secret goes where settings.json lets its name go: it has no other way to say so. */
function configuredSecrets(settings: Settings, env: Environment): Record<string, ConfiguredSecret> {
  const secrets = new Map<string, ConfiguredSecret>();
  for (const [name, given] of Object.entries(settings.secrets)) {
    const { value, origins } = typeof given === "string" ? { value: given, origins: undefined } : given;
    const normal = origins?.map((origin) => webOrigin(origin)!) ?? null;
    secrets.set(name, { value, origins: normal, source: "settings" });
  }
  for (const [key, value] of Object.entries(env)) {
    if (!key.startsWith(SECRET) || value === undefined || value === "") continue;
    const name = key.slice(SECRET.length);
    if (!new RegExp(SECRET_NAME).test(name)) continue;
    secrets.set(name, { value, origins: secrets.get(name)?.origins ?? null, source: "environment" });
  }
  return Object.fromEntries(secrets);
}

/** The data folder that flags and environment mean, whatever its settings say. */
export function resolveDataDir(flags: Pick<Flags, "data"> = {}, env: Environment = process.env): string {
  return resolve(flags.data ?? (env.TRACEDECK_DATA || defaultDataDir(env)));
}

/** The data folder of `demo`: the one that is named, else one of its own beside the usual one, and another without samples. */
export function resolveDemoDir(
  flags: Pick<Flags, "data">,
  { isEmpty }: { isEmpty: boolean },
  env: Environment = process.env,
): string {
  const isNamed = flags.data !== undefined || Boolean(env.TRACEDECK_DATA);
  return isNamed ? resolveDataDir(flags, env) : `${defaultDataDir(env)}-demo${isEmpty ? "-empty" : ""}`;
}

/** What the plan grants, with what settings.json says of it in its place. */
export function planLimits(settings: Settings): PlanLimits {
  const plan = PLANS[settings.plan];
  return {
    hotDays: settings.retention.hot_days ?? plan.hotDays,
    warmDays: settings.retention.warm_days ?? plan.warmDays,
    uploadCapBytes: settings.upload_cap_bytes ?? plan.uploadCapBytes,
    replaysAtOnce: plan.replaysAtOnce,
    scheduledAtOnce: plan.scheduledAtOnce,
    regions: plan.regions,
    leastMinutes: plan.leastMinutes,
  };
}

/** Names under which only this machine reaches itself. */
export function isLoopbackName(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

function readPort(value: string | number): number {
  const port = typeof value === "number" ? value : /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ConfigError(`The port must be a whole number from 0 to 65535; "${value}" is not.`);
}

function readPublicUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isOrigin =
    url && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search + url.hash === "";
  if (isOrigin && url.username + url.password === "")
    // With a dot at its end it is the same name, and another one to browsers.
    return url.origin.replace(/\.(?=:\d+$|$)/, "");
  throw new ConfigError(
    `The public URL must be an http(s) address without a path, like https://traces.example.com; "${value}" is not.`,
  );
}

function readLogLevel(value: string): Config["logLevel"] {
  const level = LOG_LEVELS.find((known) => known === value);
  if (level) return level;
  throw new ConfigError(`The log level must be one of ${LOG_LEVELS.join(", ")}; "${value}" is not.`);
}

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value))
    if (member !== null && typeof member === "object") freeze(member);
  return Object.freeze(value);
}
