/** What a person may set, for the reporter in the config's `reporter` line, for the fixture as `use: { tracedeck }`. */
export interface KitOptions {
  /** Address of the server; else TRACEDECK_URL, else the one that runs on this machine's data folder. */
  server?: string;
  /** Key with the scope `traces:write`; else TRACEDECK_KEY, else the local server's. */
  apiKey?: string;
  /** Template of the scenario's slug; default `{project}-{file}-{title}-{hash}`. */
  scenario?: string;
  /** `pr`, `schedule` or `manual`; else what the CI's variables say. */
  source?: string;
  /** Else the CI's variables, else git. */
  commit?: string;
  pr?: number;
  /** What the attempts of this run have in common; default: new for every run. */
  runId?: string;
}

export interface ReporterOptions extends KitOptions {
  /** Uploads attempts that did not end as expected, and what came after them, only. */
  onlyFailed?: boolean;
  /** Folder of what could not be sent yet; default `.tracedeck-outbox` beside the config. */
  outbox?: string;
  /** Uploads at the same time; default 3. */
  concurrency?: number;
  /** What the test run is called: it tells the runs of several configs in one CI run apart. */
  name?: string;
  /** How long the end of the run waits for uploads; default 15. */
  patienceSeconds?: number;
}

export interface FixtureOptions extends KitOptions {
  /** Switches the capture off; default true. */
  isEnabled?: boolean;
  /** Names of further headers that are masked before anything leaves this process. */
  redactHeaders?: string[];
  /** Regular expressions of what is masked. */
  redactPatterns?: string[];
}

export type Environment = Record<string, string | undefined>;
