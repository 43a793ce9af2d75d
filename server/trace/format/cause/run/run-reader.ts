import { hostOf } from "../../diff/normalise.ts";
import { cut, plainText } from "../../error-text.ts";
import { isErrorEvent, numberIn, type TraceEvent } from "../../event.ts";
import { createKeptList, weightOf } from "../../kept-list.ts";
import { ownTestIdAttribute } from "../../playwright/locator.ts";
import { messageOf, titleOf } from "../../summary-steps.ts";
import { type Called, called } from "./called.ts";
import {
  fieldsOf,
  frameOf,
  headersOf,
  LONGEST_NAME,
  listOf,
  MAX_TEXT,
  numberOf,
  recordOf,
  textOf,
} from "./event-fields.ts";
import { isRouteDiscovery, withoutOwnParameters } from "./of-framework.ts";
import { operationIn } from "./operations.ts";
import { answeredByCalls } from "./own-calls.ts";
import type {
  Exchange,
  Happening,
  Interference,
  Line,
  PageShot,
  RunFacts,
  SocketFrame,
  Step,
  Stored,
} from "./run-facts.ts";
import { siteLedTo } from "./site.ts";
import { createSocketCalls } from "./socket-calls.ts";

const MAX_INLINE = 65_536;
const MAX_PAGE = 1_048_576;
/** Of each list; a longer run is known by its beginning and its end. */
const MOST = 20_000;
/** Characters of bodies and pages of one run that are kept. */
const MOST_KEPT = 16 * 1_048_576;
/** Bytes of each list, bodies and pages apart. A cause is looked for in four runs at once. */
const MOST_BYTES = {
  steps: 8 * 1_048_576,
  exchanges: 12 * 1_048_576,
  lines: 6 * 1_048_576,
  pages: 2 * 1_048_576,
  frames: 4 * 1_048_576,
  stored: 2 * 1_048_576,
  happenings: 1_048_576,
  interferences: 1_048_576,
};
const LOG_LINES = 120;
const MOST_PICKED = 20;
/** Messages of one WebSocket that are kept whole, and their characters. */
const MOST_SAID = 60;
/** Messages that a page sends over one WebSocket: it says first what it wants to hear of. */
const MOST_SPOKEN = 40;
const LONGEST_SAID = 16_384;
const MOST_ENTRIES = 1_000;
const LONGEST_ID = 1_024;

/**
 * Folds the events of a run, in order, into what a cause is looked for in. Bounded in bytes, whatever the events hold; what is too
 * long is cut, and of what is too much the middle leaves.
 */
export function createRunReader() {
  const open = new Map<string, Exchange>();
  const lastFrame = new Map<string, number>();
  const calls = createSocketCalls({
    hasRoom: (frame) => hasFrameRoom(frame),
    keep: (text) => kept(text, LONGEST_SAID),
  });
  const steps = createKeptList<Step>({ entries: MOST, bytes: MOST_BYTES.steps });
  const exchanges = createKeptList<Exchange>({ entries: MOST, bytes: MOST_BYTES.exchanges }, (exchange) => {
    const { request_id: id } = exchange;
    if (id !== null && open.get(id) === exchange) open.delete(id);
  });
  const lines = createKeptList<Line>({ entries: MOST, bytes: MOST_BYTES.lines });
  const pages = createKeptList<PageShot>({ entries: MOST, bytes: MOST_BYTES.pages });
  const stored = createKeptList<Stored>({ entries: MOST, bytes: MOST_BYTES.stored });
  const happenings = createKeptList<Happening>({ entries: MOST, bytes: MOST_BYTES.happenings });
  const interferences = createKeptList<Interference>({ entries: MOST, bytes: MOST_BYTES.interferences });
  const facts: Omit<RunFacts, keyof Called> = {
    firstTs: Number.POSITIVE_INFINITY,
    lastTs: Number.NEGATIVE_INFINITY,
    lastSeq: null,
    host: null,
    authority: null,
    steps: steps.entries,
    exchanges: exchanges.entries,
    lines: lines.entries,
    pages: pages.entries,
    frames: [],
    heard: new Map(),
    spoken: new Map(),
    calls: calls.list,
    stored: stored.entries,
    happenings: happenings.entries,
    interferences: interferences.entries,
  };
  let room = MOST_KEPT;
  let frameRoom = MOST_BYTES.frames;
  let hasDocument = false;

  const momentOf = ({ seq, ts, step_id, page }: TraceEvent) => ({
    seq,
    ts,
    step_id: textOf(step_id),
    page: textOf(page),
  });

  function kept(value: unknown, most = MAX_INLINE): string | null {
    if (typeof value !== "string" || value === "" || value.length > most || value.length > room) return null;
    room -= value.length;
    return value;
  }

  function addStep(event: TraceEvent) {
    const isFailed = isErrorEvent(event);
    const duration = Math.max(0, numberIn(event.duration_ms) || 0);
    const step: Step = {
      ...momentOf(event),
      kind: event.kind,
      name: textOf(event.name) ?? "",
      title: titleOf(event),
      end: event.ts + duration,
      params: fieldsOf(recordOf(event.params)),
      isFailed,
      message: isFailed ? cut(messageOf(event), MAX_TEXT) : "",
      expected: textOf(event.expected),
      received: textOf(event.received),
      log: listOf(event.log)
        .filter((line) => typeof line === "string")
        .slice(-LOG_LINES)
        .map((line) => cut(line, 2_000)),
      parent: textOf(event.parent_step_id),
      category: textOf(event.category),
      stack: listOf(event.stack).slice(0, 20).flatMap(frameOf),
      errorStack: textOf(recordOf(event.error).stack) ?? "",
      returned: returnedBy(event.returned),
      isUnfinished: event.is_unfinished === true,
    };
    const picked = listOf(event.picked).filter((value) => typeof value === "string");
    if (picked.length > 0) step.picked = picked.slice(0, MOST_PICKED).map((value) => cut(value, MAX_TEXT));
    const attribute = textOf(event.test_id_attribute) ?? ownTestIdAttribute(step.params.selector);
    if (attribute) step.testIdAttribute = attribute;
    steps.push(step);
  }

  function addRequest(event: TraceEvent): Exchange {
    const url = withoutOwnParameters(textOf(event.url) ?? "");
    const requestBody = kept(event.kind === "network.request" ? event.body : null);
    const exchange: Exchange = {
      ...momentOf(event),
      requestSeq: event.kind === "network.request" ? event.seq : null,
      request_id: textOf(event.request_id),
      method: (textOf(event.method) ?? "GET").toUpperCase(),
      url,
      operation: requestBody === null ? null : operationIn(requestBody, url),
      type: textOf(event.resource_type),
      status: null,
      statusText: "",
      error: null,
      end: null,
      requestBody,
      body: null,
      mediaType: "",
      size: null,
      requestHeaders: event.kind === "network.request" ? headersOf(event.headers) : [],
      headers: [],
      handled: textOf(event.handled),
      fromNetwork: null,
    };
    // The first page is the site's; what was asked for before it may be anyone's.
    if (exchange.type === "document" && !hasDocument) {
      hasDocument = true;
      facts.host = hostOf(url) ?? facts.host;
      facts.authority = URL.parse(url)?.host ?? facts.authority;
    } else if (exchange.type !== "api") {
      facts.host ??= hostOf(url);
      facts.authority ??= URL.parse(url)?.host ?? null;
    }
    exchanges.push(exchange, weightOfExchange(exchange));
    const id = textOf(event.request_id);
    if (id !== null) open.set(id, exchange);
    return exchange;
  }

  function addResponse(event: TraceEvent) {
    const id = textOf(event.request_id);
    const known = id === null ? undefined : open.get(id);
    const exchange = known ?? addRequest(event);
    if (id !== null && exchange.type !== "websocket") open.delete(id);
    const before = weightOfExchange(exchange);
    const duration = numberIn(event.duration_ms);
    if (!known && duration > 0) exchange.ts = event.ts - duration;
    const status = numberIn(event.status);
    Object.assign(exchange, {
      seq: event.seq,
      end: event.ts,
      status: status > 0 ? status : null,
      statusText: textOf(event.status_text) ?? "",
      error: textOf(event.error),
      body: kept(event.body),
      mediaType: (textOf(event.media_type) ?? "").toLowerCase(),
      size: numberOf(event.body_size),
      headers: headersOf(event.headers),
      type: exchange.type ?? textOf(event.resource_type),
      handled: exchange.handled ?? textOf(event.handled),
      fromNetwork: fromNetwork(event),
    } satisfies Partial<Exchange>);
    exchanges.grow(exchange, weightOfExchange(exchange) - before);
  }

  function addLine(event: TraceEvent) {
    const location = recordOf(event.location);
    const line: Line = {
      ...momentOf(event),
      level: event.kind.slice("console.".length),
      text: plainText(textOf(event.text) ?? "", MAX_TEXT),
      source: textOf(event.source),
      url: textOf(location.url),
      place:
        numberIn(location.line) > 0 ? `${numberIn(location.line)}:${numberIn(location.column) || 1}` : null,
      stack: textOf(event.stack) ?? "",
    };
    lines.push(line);
  }

  /** Whether a message may be kept, in the place of another or beside the others; then its bytes are taken. */
  function hasFrameRoom(frame: SocketFrame, instead?: SocketFrame): boolean {
    const more = weightOf(frame) - (instead ? weightOf(instead) : 0);
    if (more > frameRoom) return false;
    frameRoom -= more;
    return true;
  }

  /** What a WebSocket has said, with another message where there is room; of many the middle leaves. */
  function saidWith(said: SocketFrame[], frame: SocketFrame, whole: unknown): SocketFrame[] {
    const text = kept(whole, LONGEST_SAID);
    if (text !== null && hasFrameRoom(frame)) said.push({ ...frame, text });
    const [gone] = said.length > MOST_SAID ? said.splice(MOST_SAID / 2, 1) : [];
    if (gone) {
      room += gone.text.length;
      frameRoom += weightOf({ ...gone, text: cut(gone.text, 500) });
    }
    return said;
  }

  function addFrame(event: TraceEvent) {
    const id = cut(textOf(event.request_id) ?? "", LONGEST_ID);
    const frame: SocketFrame = {
      ...momentOf(event),
      request_id: id,
      opcode: numberIn(event.opcode) || 0,
      direction: textOf(event.direction) ?? "",
      text: cut(textOf(event.text) ?? "", 500),
    };
    if (frame.opcode < 8 && typeof event.text === "string") calls.add(frame, event.text);
    if (frame.opcode < 8 && frame.direction === "received") {
      const before = facts.heard.get(id);
      const mayBegin = before !== undefined || facts.heard.size < MOST;
      if (mayBegin && hasFrameRoom(frame, before?.last))
        facts.heard.set(id, {
          count: (before?.count ?? 0) + 1,
          last: frame,
          said: saidWith(before?.said ?? [], frame, event.text),
        });
    }
    if (frame.opcode < 8 && frame.direction === "sent") {
      const before = facts.spoken.get(id) ?? [];
      const mayBegin = before.length > 0 || facts.spoken.size < MOST;
      if (mayBegin && before.length < MOST_SPOKEN && hasFrameRoom(frame))
        facts.spoken.set(id, [...before, frame]);
    }
    // What is said in between is not looked at: the last message of a connection is, and its end.
    const before = lastFrame.get(id);
    const last = before === undefined ? undefined : facts.frames[before];
    if (last && last.opcode < 8) {
      if (hasFrameRoom(frame, last)) facts.frames[before!] = frame;
    } else {
      if (facts.frames.length >= MOST || !hasFrameRoom(frame)) return;
      lastFrame.set(id, facts.frames.length);
      facts.frames.push(frame);
    }
  }

  function addPage(event: TraceEvent) {
    if (event.is_main_frame === false) return;
    const shot: PageShot = {
      ...momentOf(event),
      url: textOf(event.url) ?? "",
      html: kept(event.html, MAX_PAGE),
      snapshot: textOf(event.snapshot),
      phase: textOf(event.phase),
      frame: textOf(event.frame),
    };
    pages.push(shot, weightOf({ ...shot, html: null }));
  }

  function addStored(event: TraceEvent) {
    stored.push({
      ...momentOf(event),
      cookies: listOf(event.cookies)
        .slice(0, 300)
        .map(recordOf)
        .map((cookie) => ({
          name: cut(textOf(cookie.name) ?? "", LONGEST_NAME),
          domain: cut(textOf(cookie.domain) ?? "", LONGEST_NAME),
          expires: Number.isFinite(cookie.expires) ? Number(cookie.expires) : null,
        })),
      keys: listOf(event.origins)
        .slice(0, MOST_ENTRIES)
        .map(recordOf)
        .flatMap((origin) =>
          listOf(origin.local_storage)
            .slice(0, 300)
            .map((item) =>
              [origin.origin, recordOf(item).name]
                .map((part) => cut(textOf(part) ?? "", LONGEST_NAME))
                .join(" "),
            ),
        )
        .slice(0, MOST_ENTRIES),
    });
  }

  return {
    add(event: TraceEvent): void {
      const { kind, ts } = event;
      facts.firstTs = Math.min(facts.firstTs, ts);
      facts.lastTs = Math.max(facts.lastTs, ts);
      facts.lastSeq = event.seq;
      if (kind === "agent.action" || kind === "assertion") addStep(event);
      else if (kind === "network.request") addRequest(event);
      else if (kind === "network.response") addResponse(event);
      else if (kind === "network.websocket_frame") addFrame(event);
      else if (kind.startsWith("console.")) addLine(event);
      else if (kind === "dom.snapshot") addPage(event);
      else if (kind === "storage.state") addStored(event);
      else if (kind.startsWith("page.")) {
        const { seq: _seq, ts: _ts, kind: _kind, step_id: _step, page: _page, ...fields } = event;
        happenings.push({
          ...momentOf(event),
          what: kind.slice("page.".length),
          fields: fieldsOf(fields),
        });
      } else if (kind.endsWith("_injection") || kind === "clock.advance")
        interferences.push({
          ...momentOf(event),
          kind,
          url: textOf(event.url),
          value: numberOf(event.by_ms ?? event.ms ?? event.status),
        });
    },
    finish(): RunFacts {
      if (!Number.isFinite(facts.firstTs)) facts.firstTs = facts.lastTs = 0;
      // Of a run that came to no page the site is the server that it asked.
      const asked = facts.host === null ? facts.exchanges[0]?.url : undefined;
      if (asked !== undefined) {
        facts.host = hostOf(asked);
        facts.authority = URL.parse(asked)?.host ?? null;
      }
      Object.assign(facts, siteLedTo(facts));
      const own = facts.exchanges.filter((one) => !isRouteDiscovery(one));
      facts.exchanges = answeredByCalls(own, facts.steps);
      return called(facts, []);
    },
  };
}

const returnedBy = (value: unknown): string | null =>
  value === "" || typeof value === "number" || typeof value === "boolean" ? String(value) : textOf(value);

/** Bodies are counted apart. */
const weightOfExchange = (exchange: Exchange): number =>
  weightOf(exchange) - weightOf(exchange.body) - weightOf(exchange.requestBody);

/** Playwright names the server's address of every answer but those of service workers, caches and the test itself, and of what broke off. */
function fromNetwork({
  server_ip: address,
  http_version: version,
  handled,
  status,
  error,
}: TraceEvent): boolean | null {
  if (handled !== undefined || error !== undefined || typeof version !== "string" || !(numberIn(status) > 0))
    return null;
  return typeof address === "string" && address !== "";
}
