/** One figure against its target, as each bench file's `bench()` returns them. */
export interface BenchResult {
  name: string;
  ratio: number;
  /** What the ratio should be, in words: `≤ 2`, `≥ 0.6`. */
  target: string;
  ok: boolean;
  /** The two measurements behind the ratio. */
  detail: string;
  /** Figures of one group are one row of the documentation. */
  group?: string;
  /** A share of cases, which may be none of them. */
  isShare?: boolean;
}

/** What a bench may be asked for besides all that it measures. */
export interface BenchOptions {
  /** The cases to measure, by name; all when none is named. */
  only?: string[];
  /** As little as shows that it measures. */
  isSmall?: boolean;
}

export interface Bench {
  /** What it measures, in one line. */
  about: string;
  /** Programs that must be on the machine. */
  needs: readonly string[];
  /** The only system that it measures on. */
  system?: NodeJS.Platform;
  /** How the names of its figures begin: each figure has one of these, and each of these has a figure. */
  figures: readonly string[];
}

export const BENCHES = {
  credentials: {
    about: "finding out whose a credential is, against a bare lookup in the same table",
    needs: [],
    figures: ["credential check "],
  },
  startup: {
    about: "start to the first answer, against a bare compiled Bun server; memory of the idle server",
    needs: ["ps"],
    figures: ["start to first 200", "idle memory"],
  },
  events: {
    about: "pages out of a million events, against `zstdcat | jq` and against ten thousand events",
    needs: ["zstdcat"],
    figures: ["events by ", "events: size of the index"],
  },
  list: {
    about: "lists, filters and searches at a million traces, against the same at a thousand",
    needs: [],
    figures: ["list at ", "facets at ", "list requests per second"],
  },
  ingest: {
    about: "throughput of bundles, against zstd, tar and sha256sum; memory while many come at once",
    needs: ["zstd", "tar", "sha256sum"],
    system: "linux",
    figures: ["ingest: throughput", "ingest: peak memory"],
  },
  viewer: {
    about: "large Playwright archives until they can be read, against Playwright's own viewer",
    needs: ["node"],
    figures: ["recorded archive of ", "archive of many actions", "first screen of the recorded archive"],
  },
  "trace-page": {
    about: "first screen, keys, panels, search and memory of the trace page, on few and on many events",
    needs: ["node"],
    figures: [
      "first screen at ",
      "first screen beside ",
      "step change",
      "switch to ",
      "a key typed",
      "from the last key",
      "heap after ",
      "trace page: ",
      "list page: ",
    ],
  },
  alerts: {
    about: "deciding on an alert at a million results, against the same at ten thousand",
    needs: [],
    figures: ["alert decision at ", "alert decision in "],
  },
  grid: {
    about: "the grid of 500 scenarios in six regions, against its rows and its JSON alone",
    needs: [],
    figures: ["grid of "],
  },
  capture: {
    about: "recording a run of a scenario, against the same steps unrecorded and in plain Playwright",
    needs: [],
    figures: ["a recorded run", "the steps of such a run"],
  },
  fixture: {
    about:
      "a Playwright test with the fixture against one without it, with and without Playwright's own trace",
    needs: ["node"],
    figures: ["a Playwright test with the fixture"],
  },
  replays: {
    about: "how many of the sample scenarios end the same when they are replayed without edits",
    needs: [],
    figures: ["replays without edits"],
  },
  schedule: {
    about: "lag of the runs of thousands of checks that are due at once",
    needs: [],
    figures: ["lag of the last run of ", "runs of "],
  },
  mender: {
    about: "how many seeded changes of the sample shop are classified rightly and mended",
    needs: [],
    figures: ["mender: changes", "mender: faults", "mender: classified"],
  },
  cause: {
    about: "how often the cause of a seeded failure is told first, and beside Playwright's own viewer",
    needs: ["node", "openssl"],
    figures: ["seeded failures", "classes of failures", "get_cause for an agent"],
  },
} as const satisfies Record<string, Bench>;

export type BenchName = keyof typeof BENCHES;

/** What keeps a bench from running on this machine, in words; null when nothing does. */
export function obstacle({ needs, system }: Bench): string | null {
  if (system !== undefined && system !== process.platform) return `it measures on ${system} alone`;
  const missing = needs.filter((program) => Bun.which(program) === null);
  return missing.length > 0 ? `there is no ${missing.join(", no ")} here` : null;
}

/** What shows in words that a bench has not measured what it is there for; nothing when it has. */
export function complaintsAbout({ figures }: Bench, results: readonly BenchResult[]): string[] {
  const complaints = figures
    .filter((beginning) => !results.some(({ name }) => name.startsWith(beginning)))
    .map((beginning) => `no figure begins with "${beginning}"`);
  const names = new Set<string>();
  for (const { name, ratio, isShare } of results) {
    if (!figures.some((beginning) => name.startsWith(beginning)))
      complaints.push(`"${name}" is a figure that nobody expects`);
    if (names.has(name)) complaints.push(`"${name}" is there twice`);
    names.add(name);
    if (!Number.isFinite(ratio) || ratio < 0 || (ratio === 0 && !isShare))
      complaints.push(`"${name}" is ${ratio}`);
  }
  return complaints;
}
