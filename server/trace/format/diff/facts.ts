import { cut, headline, plainText } from "../error-text.ts";
import { isErrorEvent, type TraceEvent } from "../event.ts";
import { createBeginning, weightOf } from "../kept-list.ts";
import { messageOf, titleOf } from "../summary-steps.ts";
import { createNormaliser, hostOf, type Normaliser } from "./normalise.ts";

/** Where an event is, as items tell it. */
export interface Fact {
  seq: number;
  ts: number;
  step_id: string | null;
  /** Place among the steps of the one it belongs to; -1 before the first. */
  step: number;
}

export interface StepFact extends Fact {
  kind: string;
  name: string;
  title: string;
  /** What it acts on: a selector, an address, else its title. */
  target: string;
  params: unknown;
  /** Set-up and clean-up of the test runner. */
  isMachinery: boolean;
  isFailed: boolean;
  error: string | null;
  expected: string | null;
  received: string | null;
  duration_ms: number | null;
  parent_step_id: string | null;
}

export interface ExchangeFact extends Fact {
  method: string;
  url: string;
  /** Null when no response was recorded. */
  status: number | null;
  error: string | null;
  resource_type: string | null;
  duration_ms: number | null;
  requestBody: string | null;
  responseBody: string | null;
  isFailed: boolean;
}

export interface ConsoleFact extends Fact {
  kind: string;
  text: string;
  location: string | null;
}

/** A change in the simulated world: state of a clone, a moved clock, an injected fault. */
export interface WorldFact extends Fact {
  kind: string;
  subject: string;
  before: unknown;
  after: unknown;
}

/** A page as it was: `html` is text or a reference, `snapshot` a name in the Playwright archive. */
export interface PageFact extends Fact {
  url: string;
  html: string | null;
  snapshot: string | null;
  page: string | null;
  frame: string | null;
}

export interface MutationFact extends Fact {
  target: string;
  change: unknown;
}

/** Of one trace, what is compared. */
export interface TraceFacts {
  normaliser: Normaliser;
  firstTs: number;
  steps: StepFact[];
  exchanges: ExchangeFact[];
  consoles: ConsoleFact[];
  world: WorldFact[];
  pages: PageFact[];
  mutations: MutationFact[];
  /** The lists whose end was too much to be compared. */
  cut: Set<ComparedList>;
}

export type ComparedList = "steps" | "exchanges" | "consoles" | "world" | "pages" | "mutations";

const MAX_KEPT = 2_048;
const MAX_BODY = 65_536;
const MAX_PAGE = 1_048_576;
/** Characters of bodies, pages and values of one trace that are kept; of what comes later only its beginning. */
const MOST_KEPT = 32 * 1_048_576;
/** Of each list of one trace. */
const MOST_FACTS = 50_000;
/** Bytes of each list of one trace, bodies, pages and values apart. */
const MOST_BYTES: Record<ComparedList, number> = {
  steps: 16 * 1_048_576,
  exchanges: 16 * 1_048_576,
  consoles: 12 * 1_048_576,
  world: 4 * 1_048_576,
  pages: 4 * 1_048_576,
  mutations: 4 * 1_048_576,
};
/** Of an error of an answer for whose whole text there is no room. */
const SHORT = 80;
const WORLD = new Set(["clone.state", "clock.advance", "error_injection", "latency_injection"]);

/**
 * Folds the events of a trace, in order, into what is compared. Bounded in bytes, whatever the events hold: of what is too much the
 * beginning is compared, for there traces part.
 */
export function createFactReader() {
  let room = MOST_KEPT;
  const listOf = <Fact>(list: ComparedList) =>
    createBeginning<Fact>({ entries: MOST_FACTS, bytes: MOST_BYTES[list] });
  const steps = listOf<StepFact>("steps");
  const stepOf = new Map<string, number>();
  const exchanges = listOf<ExchangeFact>("exchanges");
  const open = new Map<string, ExchangeFact>();
  const consoles = listOf<ConsoleFact>("consoles");
  const world = listOf<WorldFact>("world");
  const pages = listOf<PageFact>("pages");
  const mutations = listOf<MutationFact>("mutations");
  const lists = { steps, exchanges, consoles, world, pages, mutations };
  let host: string | null = null;
  let firstTs: number | null = null;

  function hasRoom(length: number, most: number): boolean {
    if (length > most || length > room) return false;
    room -= length;
    return true;
  }

  /** A body, or a reference to one; null for one that is too long to be compared. */
  function bodyOf(value: unknown, most = MAX_BODY): string | null {
    return typeof value === "string" && hasRoom(value.length, most) ? value : null;
  }

  /** A JSON value, or what it begins with when it is a long one. */
  function bounded(value: unknown): unknown {
    if (value === null || typeof value !== "object")
      return typeof value === "string" ? cut(value, MAX_KEPT) : value;
    const text = JSON.stringify(value);
    return hasRoom(Math.ceil(weightOf(value) / 2), 2 * MAX_BODY) ? value : headline(text, MAX_KEPT);
  }

  function placeOf(event: TraceEvent): Fact {
    const { seq, ts } = event;
    return { seq, ts, step_id: textOf(event.step_id), step: steps.entries.length - 1 };
  }

  function addStep(event: TraceEvent) {
    const title = titleOf(event);
    const params = typeof event.params === "object" && event.params !== null ? event.params : {};
    const { selector, url } = params as Record<string, unknown>;
    const isFailed = isErrorEvent(event);
    const place = placeOf(event);
    const step = steps.entries.length;
    const isKept = steps.push({
      ...place,
      step,
      kind: event.kind,
      name: textOf(event.name) ?? "",
      title,
      target: textOf(selector) ?? textOf(url) ?? title,
      params: bounded(params),
      isMachinery: event.category === "hook" || event.category === "fixture" || event.category === "pw:api",
      isFailed,
      error: isFailed ? cut(messageOf(event), MAX_KEPT) : null,
      expected: textOf(event.expected),
      received: textOf(event.received),
      duration_ms: numberOf(event.duration_ms),
      parent_step_id: textOf(event.parent_step_id),
    });
    if (isKept && place.step_id !== null && !stepOf.has(place.step_id)) stepOf.set(place.step_id, step);
  }

  function addRequest(event: TraceEvent) {
    const url = textOf(event.url) ?? "";
    if (host === null) host = hostOf(url);
    const exchange: ExchangeFact = {
      ...placeOf(event),
      method: (textOf(event.method) ?? "GET").toUpperCase(),
      url,
      status: null,
      error: null,
      resource_type: textOf(event.resource_type),
      duration_ms: null,
      requestBody: null,
      responseBody: null,
      isFailed: false,
    };
    const id = textOf(event.request_id);
    // One that is not kept waits for no answer.
    if (!exchanges.push(exchange, weightOf(exchange) + weightOf(id))) return exchange;
    exchange.requestBody = bodyOf(event.body);
    if (id !== null) open.set(id, exchange);
    return exchange;
  }

  function addResponse(event: TraceEvent) {
    const id = textOf(event.request_id);
    const exchange = (id === null ? undefined : open.get(id)) ?? addRequest({ ...event, body: undefined });
    if (id !== null) open.delete(id);
    exchange.status = numberOf(event.status);
    const error = textOf(event.error);
    exchange.error = error !== null && !exchanges.grow(weightOf(error)) ? cut(error, SHORT) : error;
    exchange.resource_type ??= textOf(event.resource_type);
    exchange.duration_ms = numberOf(event.duration_ms);
    exchange.responseBody = bodyOf(event.body);
    exchange.isFailed = isErrorEvent(event);
  }

  function addConsole(event: TraceEvent) {
    const location = event.location as { url?: unknown; line?: unknown; column?: unknown } | null | undefined;
    const url = textOf(location?.url);
    consoles.push({
      ...placeOf(event),
      kind: event.kind,
      text: cut(plainText(textOf(event.text) ?? "", MAX_KEPT), MAX_KEPT),
      location: url === null ? null : `${url}:${numberOf(location?.line)}:${numberOf(location?.column)}`,
    });
  }

  function addWorld(event: TraceEvent) {
    const { kind } = event;
    const isClone = kind === "clone.state";
    world.push({
      ...placeOf(event),
      kind,
      subject: isClone
        ? `${textOf(event.service) ?? ""} ${textOf(event.key) ?? ""}`
        : (textOf(event.url) ?? ""),
      before: isClone ? bounded(event.before ?? null) : null,
      after: isClone ? bounded(event.after ?? null) : numberOf(event.by_ms ?? event.status ?? event.ms),
    });
  }

  function addPage(event: TraceEvent) {
    if (event.is_main_frame === false) return;
    const url = textOf(event.url) ?? "";
    if (host === null) host = hostOf(url);
    const page: PageFact = {
      ...placeOf(event),
      url,
      html: null,
      snapshot: textOf(event.snapshot),
      page: textOf(event.page),
      frame: textOf(event.frame),
    };
    if (pages.push(page)) page.html = bodyOf(event.html, MAX_PAGE);
  }

  function addMutation(event: TraceEvent) {
    const { adds, removes, attributes, text } = event;
    mutations.push({
      ...placeOf(event),
      target: textOf(event.target) ?? "",
      change: bounded({ adds, removes, attributes, text }),
    });
  }

  return {
    add(event: TraceEvent): void {
      firstTs ??= event.ts;
      const { kind } = event;
      if (kind === "agent.action" || kind === "assertion") addStep(event);
      else if (kind === "network.request") addRequest(event);
      else if (kind === "network.response") addResponse(event);
      else if (kind.startsWith("console.")) addConsole(event);
      else if (WORLD.has(kind)) addWorld(event);
      else if (kind === "dom.snapshot") addPage(event);
      else if (kind === "dom.mutation") addMutation(event);
    },
    finish(): TraceFacts {
      // An action may be told when it ends, after what happened within it.
      for (const { entries } of [exchanges, consoles, world, pages, mutations])
        for (const fact of entries)
          if (fact.step_id !== null) fact.step = stepOf.get(fact.step_id) ?? fact.step;
      const normaliser = createNormaliser(host);
      const cutOff = (Object.keys(lists) as ComparedList[]).filter((list) => lists[list].isCut());
      return {
        normaliser,
        firstTs: firstTs ?? 0,
        steps: steps.entries,
        exchanges: exchanges.entries,
        consoles: consoles.entries,
        world: world.entries,
        pages: pages.entries,
        mutations: mutations.entries,
        cut: new Set(cutOff),
      };
    },
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? cut(value, MAX_KEPT) : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
