/** What a scenario file compiles to. JSON throughout; secrets and other values of a run stay references. */
export interface CompiledScenario {
  version: 1;
  slug: string;
  title: string;
  base_url: string | null;
  /** Globs of the source files whose change concerns this scenario. */
  covers: string[];
  schedule: { cron: string; timezone: string; regions: string[]; shadow_prod: boolean } | null;
  mender: { mode: "suggestive"; cache: "auto" | "never" } | null;
  clones: CloneUse[];
  /** Whether a run may be repeated without harm: shadow diff then sends more than GET. */
  idempotent: boolean;
  /** Of the whole run, ms. */
  timeout_ms: number;
  /** Names of the secrets that its steps refer to. */
  secrets: string[];
  steps: CompiledStep[];
}

export interface CloneUse {
  service: "email" | "payments" | "record";
  /** Glob of the addresses that the clone answers. */
  match: string;
  /** The recorded answers of a `record` clone, relative to the scenario file. */
  har?: string;
}

/** Where a step stands: lines from 1, columns in code points from 1. */
export interface Place {
  file: string;
  line: number;
  column: number;
}

export interface CompiledStep {
  /** `s1`, `s2`, …: stays the same as long as the steps before it do. */
  id: string;
  /** 1-based, in the order in which they run. */
  index: number;
  at: Place;
  /** The step as it was written, without its number. */
  source: string;
  /** The scenario that `use` took it from. */
  from: string | null;
  /** How long it may wait for what it needs, ms; null for the runner's 5 s. */
  within_ms: number | null;
  action: Action;
}

/** Text with references, which are resolved when the step runs. Text without any is plain. */
export type Text = string | { parts: (string | Reference)[] };

export interface Reference {
  /** `secrets.NAME`, `synthetic.email`, `clones.<service>.url`, `clones.email.smtp` or `vars.<name>` */
  ref: string;
}

export interface Target {
  by: "role" | "field" | "text" | "testid" | "css";
  /** The ARIA role of `by: "role"`. */
  role?: string;
  /** Name, label, text, test id or selector; a role may stand alone. */
  value?: Text;
  /** 1-based, among all that match. */
  nth?: number;
  in?: Target;
  near?: Target;
}

export type Action =
  | { verb: "go"; url: Text }
  | { verb: "click" | "double_click" | "check" | "uncheck" | "hover" | "scroll"; target: Target }
  | { verb: "fill"; target: Target; value: Text }
  | { verb: "type"; text: Text; target: Target | null }
  | { verb: "press"; key: string; target: Target | null }
  | { verb: "select"; option: Text; target: Target }
  | { verb: "upload"; files: Text[]; target: Target }
  | { verb: "drag"; target: Target; to: Target }
  | { verb: "wait"; duration_ms: number }
  | { verb: "wait_for"; target: Target; state: "visible" | "hidden" }
  | { verb: "wait_for_url"; url: Text }
  | { verb: "wait_for_request"; method: string | null; url: Text }
  | { verb: "expect"; expectation: Expectation; not: boolean }
  | { verb: "advance_clock"; by_ms: number }
  | { verb: "set_clock"; to: string }
  | { verb: "inject_error"; status: number; url: string; times: number | null }
  | { verb: "inject_latency"; ms: number; url: string; times: number | null }
  | { verb: "clear_injections" }
  | { verb: "screenshot"; name: string | null }
  | { verb: "request"; method: string; url: Text; body: Text | null; status: number | null }
  | { verb: "set"; name: string; from: ValueSource };

export type ValueSource =
  | { type: "text"; text: Text }
  | { type: "text_of" | "value_of"; target: Target }
  /** Of the JSON that the last `request` was answered with (RFC 6901). */
  | { type: "response"; pointer: string };

export type Expectation =
  | { type: "text"; text: Text; target: Target | null }
  | { type: "url" | "title"; text: Text }
  | { type: "count"; target: Target; count: number }
  | { type: "value"; target: Target; text: Text }
  | { type: "visible" | "hidden" | "enabled" | "checked"; target: Target }
  | { type: "request"; method: string | null; url: Text; status: number | null };
