import type { CauseKind } from "../../format/cause/types.ts";
import { codeSpan, text } from "../../format/markdown.ts";
import type { Summary } from "../../format/summary.ts";
import type { Looks } from "../look.ts";
import type { ToldRequest } from "../tools/requests.ts";

/** What the tools answer, as far as the analyst reads it. */
export interface Seen {
  get_cause: {
    status: string;
    headline: string | null;
    failed_step: { step_id: string; title: string } | null;
    error: string | null;
    suspects: {
      kind: CauseKind;
      title: string;
      detail: string | null;
      confidence: number;
      is_new: boolean | null;
      step_id: string | null;
      events: number[];
    }[];
    also_when_passing: { title: string; count: number }[];
    has_earlier_pass: boolean;
    page_url: string | null;
    divergence: string | null;
    pending_requests: string[];
  };
  list_steps: {
    total: number;
    duration_ms: number;
    failed_step: number | null;
    slowest: { step: number; title: string; duration_ms: number }[];
    steps: { step: number; title: string; status: string; duration_ms: number; is_part_of_another?: true }[];
  };
  get_step: {
    step: number;
    seq: number;
    title: string;
    status: string;
    duration_ms: number;
    error: string | null;
    call_log: string[];
    before: { step: number; title: string }[];
    after: { step: number; title: string; status: string }[];
    requests: ToldRequest[];
    requests_total: number;
    console: { seq: number; level: string; text: string }[];
    console_total: number;
  };
  get_page: { step: number; title: string; url: string; tree: string[]; lines: number };
  list_requests: {
    answered: number;
    without_answer: number;
    found: number;
    /** Only there where not all were looked at. */
    note?: string;
    requests: ToldRequest[];
  };
  get_request: ToldRequest & { sent: string | null; answer: string | null };
  get_console: {
    total: number;
    lines: { seq: number; level: string; text: string; step_id: string | null }[];
  };
  search: {
    events_total: number;
    hits: { seq: number; kind: string; step_id: string | null; found_in: string; excerpt: string }[];
  };
  compare_with_last_pass: {
    pass_id: string;
    summary: { added: number; removed: number; changed: number; same: number };
    first_divergence: Difference | null;
    differing: number;
    items: Difference[];
  };
  get_history: {
    scenario: {
      slug: string;
      test: { file: string; title_path: string[]; project: string | null } | null;
      path: string | null;
    };
    runs: {
      is_this: boolean;
      status: string;
      at: string;
      commit: string | null;
      is_same_failure: boolean | null;
    }[];
    statistics: {
      passed: number;
      failed: number;
      pass_rate: number | null;
      flakiness: { score: number | null; flips: number; pairs: number; flaky_commits: number };
      streak: { status: "passed" | "failed"; count: number } | null;
    };
    regression: {
      last_green: { code_sha: string | null; created_at: string } | null;
      first_red: { code_sha: string | null; created_at: string };
    } | null;
  };
  get_source: { places: { file: string; line: number; column: number }[]; source: string | null };
  get_environment: {
    commit: string | null;
    region: string | null;
    pull_request: number | null;
    started_at: string | null;
    created_at: string;
    duration_ms: number;
    environment: Record<string, unknown>;
    warnings: string[];
  };
}

export interface Difference {
  words?: string;
  dimension?: string;
  key: string;
  change: string;
  a?: { seq?: number };
  b?: { seq?: number };
  detail?: { differences?: { path: string; a?: unknown; b?: unknown }[] };
}

/** What a tool said; where it could not, the sentence in which it says so. */
export type Answered<Name extends keyof Seen> = { seen: Seen[Name] } | { seen: null; why: string };

/** The analyst's eyes: the tools, and the numbers of steps for its links. */
export interface Eyes {
  see<Name extends keyof Seen>(name: Name, args?: object): Promise<Answered<Name>>;
  /** A link to a step; its words alone where the summary does not list it. */
  step(stepId: string | null): string;
}

export function createEyes(looks: Pick<Looks, "look">, summary: Summary | null): Eyes {
  return {
    async see<Name extends keyof Seen>(name: Name, args: object = {}): Promise<Answered<Name>> {
      const looked = await looks.look(name, args);
      return looked.ok
        ? { seen: looked.result as unknown as Seen[Name] }
        : { seen: null, why: looked.message };
    },
    step(stepId) {
      const found = summary?.steps.find(({ step_id }) => step_id === stepId);
      return found ? numbered(found.index, found.title) : stepId === null ? "no step" : codeSpan(stepId);
    },
  };
}

export const numbered = (index: number, title: string): string =>
  `[step ${index}](step:${index}) (“${text(title)}”)`;
export const evented = (label: string, seq: number | undefined): string =>
  seq === undefined ? text(label) : `[${text(label)}](event:${seq})`;

/** A request on a line, with a link to its answer. */
export function requestLine({ seq, method, url, status, duration_ms, error }: ToldRequest): string {
  const outcome = error ?? (status === null ? "no answer" : String(status));
  const took = duration_ms === null ? "" : ` after ${seconds(duration_ms)}`;
  return `${evented(`${method} ${pathOf(url)}`.trim(), seq)}: **${text(outcome)}**${took}`;
}

export function pathOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol)
    ? `${parsed.host}${parsed.pathname}${parsed.search}`
    : url;
}

export const seconds = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);
/** `3 runs`, `1 run`. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;
export const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join("\n");
export const dayOf = (iso: string): string => iso.slice(0, 16).replace("T", " ");
