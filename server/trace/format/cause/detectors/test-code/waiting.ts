import { foundBy } from "../../page/acts.ts";
import { aroundOf } from "../../page/within.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { GESTURES_AND_OPENINGS } from "../../run/select.ts";
import { namedIn, statementAt } from "../../test-code/statements.ts";
import type { CauseKind, Evidence, Failed, Finding, RunEvidence } from "../../types.ts";
import { addressOf, headerOf, isTracker, lapse, quoted, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

const WAITED = /wait(?:ing)? for event "(\w+)"/i;

const WORDS: Record<string, { kind: CauseKind; words: string }> = {
  popup: { kind: "popup", words: "The popup never opened: no new window or tab came" },
  page: { kind: "popup", words: "The popup never opened: no new page, window or tab came" },
  download: { kind: "download", words: "The download never started" },
  dialog: { kind: "dialog", words: "The dialog never opened" },
  filechooser: { kind: "dialog", words: "The file chooser never opened" },
  request: { kind: "request_pending", words: "The request that the test waits for was never sent" },
  response: { kind: "request_pending", words: "The response that the test waits for never came" },
  websocket: { kind: "websocket_closed", words: "The WebSocket that the test waits for was never opened" },
  framesent: {
    kind: "websocket_closed",
    words: "The page never sent the WebSocket message that the test waits for",
  },
  framereceived: {
    kind: "websocket_closed",
    words: "The WebSocket message that the test waits for never came",
  },
};

/** The event that the failed step waited for, in small letters; none where the action failed that was to bring it about. */
export const waitedFor = ({ step, message, waited }: Failed): string | undefined =>
  waited
    ? undefined
    : WAITED.exec(`${message} ${step?.title ?? ""} ${step?.log.join(" ") ?? ""}`)?.[1]?.toLowerCase();

/** A step that waited for something to happen which never did. */
export function detectWaiting({ failed, run, passes }: Evidence): Finding[] {
  const { step } = failed;
  const name = waitedFor(failed);
  const waited = name === undefined ? undefined : WORDS[name];
  const seq = step?.seq ?? run.facts.lastSeq;
  if (!waited || seq === null) return [];
  const early = cameBefore(name!, { run, failed });
  if (early)
    return [
      {
        kind: "test_code",
        title: `The ${name} that the test waits for had ${name === "request" ? "been sent" : "come"} ${lapse(early.before)} before it began to wait: ${requestOf(early.one, run.facts)}${early.one.status === null ? "" : `, answered with ${early.one.status}`}`,
        detail: null,
        step_id: step?.step_id ?? null,
        events: [seq, early.one.seq],
        ts: early.one.end ?? early.one.ts,
        is_new: passes.length === 0 ? null : true,
        weight: 0.94,
        about: `waited ${seq}`,
      },
    ];
  const missed = happenedBefore(name!, { run, failed });
  if (missed)
    return [
      {
        kind: "test_code",
        title: `The ${name} that the test waits for had come ${lapse(failed.from - missed.ts)} before it began to wait, after ${quoted(missed.after, 100)}: a wait sees only what comes later`,
        detail: null,
        step_id: step?.step_id ?? null,
        events: [seq, missed.seq],
        ts: missed.ts,
        is_new: passes.length === 0 ? null : true,
        weight: 0.94,
        about: `waited ${seq}`,
      },
    ];
  const instead = insteadOf(name!, { run, failed });
  // What a changed script no longer does brings nothing about.
  const script = passes.length === 0 || instead !== null ? null : changedScript({ failed, run, passes });
  return [
    {
      kind: waited.kind,
      title: `${waited.words}${instead ?? ""}${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: step?.step_id ?? null,
      events: script === null ? [seq] : [seq, script.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: instead === null ? 0.52 : instead.includes(TARGETLESS) ? 0.86 : 0.72,
    },
  ];
}

/** Before which a wait may have been meant to begin. */
const SHORTLY_MS = 10_000;
/** Of the parts of an address by which it is known. */
const SHORTEST = 4;

/** What the step waited for by the address that its own line names, where it came shortly before the wait and not again. */
export function cameBefore(
  name: string,
  { run: { facts, sources }, failed }: Pick<Evidence, "run" | "failed">,
): { one: Exchange; before: number } | null {
  const frame = failed.step?.stack.find(({ file }) => sources?.has(file));
  const statement = frame && statementAt(sources!.get(frame.file)!.split("\n"), frame.line);
  if (!statement || !/^re(?:quest|sponse)$/.test(name)) return null;
  const named = namedIn(statement);
  const method = named.find(([only]) => /^(?:GET|POST|PUT|PATCH|DELETE)$/.test(only ?? ""))?.[0];
  const addresses = named.filter((parts) =>
    parts.some((part) => part.length >= SHORTEST && part.includes("/")),
  );
  if (addresses.length === 0) return null;
  const isMeant = (one: Exchange) =>
    (method === undefined || one.method === method) &&
    addresses.every((parts) => parts.every((part) => one.url.includes(part)));
  const momentOf = (one: Exchange) => (name === "request" ? one.ts : one.end);
  const came = facts.exchanges.filter((one) => isMeant(one) && momentOf(one) !== null);
  const one = came.findLast((found) => momentOf(found)! < failed.from);
  const isAgain = came.some((found) => momentOf(found)! >= failed.from && momentOf(found)! <= failed.to);
  const acts = facts.steps.filter(
    ({ kind, name: called }) => kind === "agent.action" && GESTURES_AND_OPENINGS.test(called),
  );
  const cause = acts.findLast(({ ts }) => ts < failed.from);
  // What an action after the beginning of the wait was to bring about did not come; nor is it what came before the last one.
  const isToCome = acts.some(({ ts }) => ts >= failed.from && ts <= failed.to);
  if (!one || isAgain || !cause || isToCome || one.ts < cause.ts) return null;
  // A refused one may be just what the wait was not to end with.
  if ((one.status ?? 0) >= 400) return null;
  const before = failed.from - momentOf(one)!;
  return before <= SHORTLY_MS ? { one, before } : null;
}

/** A download, a popup or a dialog that the last action before the wait brought about, where none came since. */
function happenedBefore(
  name: string,
  { run: { facts }, failed }: Pick<Evidence, "run" | "failed">,
): { ts: number; seq: number; after: string } | null {
  const what = name === "page" ? "popup" : name;
  const all = facts.happenings.filter((one) => one.what === what && one.ts <= failed.to);
  const last = all.at(-1);
  const acts = facts.steps.filter(
    ({ kind, name: called }) => kind === "agent.action" && GESTURES_AND_OPENINGS.test(called),
  );
  const cause = acts.findLast(({ ts }) => ts < failed.from);
  const isToCome = acts.some(({ ts }) => ts >= failed.from && ts <= failed.to);
  if (!last || !cause || isToCome || last.ts < cause.ts || last.ts >= failed.from) return null;
  return { ts: last.ts, seq: last.seq, after: cause.title };
}

const MOST_MEANWHILE = 3;

/** What happened while the step waited, of the kind that it waited for; null where nothing like it did. */
function insteadOf(name: string, { run, failed }: Pick<Evidence, "run" | "failed">): string | null {
  const { facts, page } = run;
  if (name === "request" || name === "response") {
    const meanwhile = facts.exchanges.filter(
      (one) => one.ts >= failed.from && one.ts <= failed.to && one.method !== "GET" && !isTracker(one.url),
    );
    if (meanwhile.length === 0) return null;
    const told = meanwhile
      .slice(0, MOST_MEANWHILE)
      .map((one) => `${requestOf(one, facts)}${one.status === null ? "" : `, answered with ${one.status}`}`);
    return `; what was sent meanwhile is another: ${told.join("; ")}`;
  }
  if (name !== "popup" && name !== "page" && name !== "download") return null;
  const before = facts.pages.findLast(({ ts, page: of }) => ts <= failed.from && of === page?.shot.page);
  return before && page && before.url !== page.shot.url
    ? `; the page itself went to ${addressOf(page.shot.url, facts)}${name === "download" ? opened(run, failed) : targetless(run, failed)}`
    : null;
}

/** Of the answer that the page went to, that nothing makes browsers save it (RFC 6266, 4.2). */
function opened({ facts, page }: RunEvidence, { from }: Failed): string {
  const one = facts.exchanges.findLast(
    ({ url, type, ts, headers }) =>
      url === page?.shot.url && type === "document" && ts >= from && headers.length > 0,
  );
  const disposition = one ? (headerOf(one.headers, "content-disposition") ?? "") : "attachment";
  if (/^\s*attachment/i.test(disposition)) return "";
  const told = disposition === "" ? "" : ` (it has ${quoted(disposition, 60)})`;
  return `, which came without Content-Disposition: attachment${told}, so that the browser opens it`;
}

const TARGETLESS = "names no target";

/** Of the link that was pressed meanwhile, that it opens no other page. */
function targetless({ acts }: RunEvidence, { from }: Failed): string {
  const act = acts?.findLast(({ step }) => step.ts >= from);
  const found = act && foundBy(act);
  if (!found) return "";
  const link = [found, ...aroundOf(act.met.elements, found)].find(({ tag }) => tag === "a");
  const target = link?.attributes.target ?? "";
  return link && /^(?:_self|_parent|_top)?$/.test(target)
    ? `: the link ${quoted(link.name, 80)} ${TARGETLESS}`
    : "";
}
