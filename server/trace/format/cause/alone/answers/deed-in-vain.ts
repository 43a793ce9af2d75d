import { isDeepStrictEqual } from "node:util";
import { isState } from "../../detectors/requests/job-state.ts";
import { answeredWith, isRead, isStoring } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { listsIn } from "../../values/lists.ts";
import { bareOf, isForeign, pathOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST = 40;
/** A page needs no longer to draw what came. */
const DRAWN_MS = 500;
const SHORTEST = 4;

/** A deed on one thing that was answered well with the thing as it had been before, or with it changed while the page never took that over. */
export function detectDeedInVain(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const write = answersBefore(
    evidence,
    MOST,
    (one) => action !== null && one.ts >= action.ts && isStoring(one, run) && isOfPage(one, evidence),
  ).at(-1);
  const deed = write ? deedOf(write) : null;
  if (!write || deed === null || isRefusedBy(write, run) || (write.end ?? failed.to) > failed.to - DRAWN_MS)
    return [];
  const thing = thingIn(answeredWith(write, run));
  if (!thing || !isLookedAt(thing, evidence)) return [];
  const reads = answersBefore(evidence, MOST, (one) => isRead(one, run) && isOfPage(one, evidence));
  const known = reads
    .filter(({ ts }) => ts < write.ts)
    .flatMap((one) => thingsIn(answeredWith(one, run)).map((before) => ({ one, before })))
    .findLast(({ before }) => before.id === thing.id);
  if (
    !known ||
    reads.some(
      (one) => one.ts >= write.ts && thingsIn(answeredWith(one, run)).some(({ id }) => id === thing.id),
    )
  )
    return [];
  const [was, is] = [known.before, thing];
  const names = Object.keys(is).filter((name) => !PASSING.test(name) && Object.hasOwn(was, name));
  const changed = names.filter((name) => !isDeepStrictEqual(was[name], is[name]));
  const isOfDeed = (name: string) => isPlain(is[name]) && (name === deed || isState(name));
  const said = `${requestOf(write, run.facts)} was answered with ${write.status}`;
  const told = (name: string) => `${quoted(String(is[name]), 40)} for ${quoted(name, 40)}`;
  const state = names.find(isOfDeed);
  const field = changed.find((name) => isOfDeed(name) || typeof is[name] === "boolean");
  if (field === undefined && (state === undefined || changed.length > 0)) return [];
  return [
    {
      kind: field === undefined ? "answer_changed" : "page_changed",
      title:
        field === undefined
          ? `${said} and had no effect: it still answered ${told(state!)}, as ${requestOf(known.one, run.facts)} had before`
          : `${said} and ${told(field)}, which was ${quoted(String(was[field]), 40)} before, and the page still shows ${quoted(bareOf(failed.received ?? ""), 60)}: it was not updated by that, and nothing was asked for again`,
      detail: null,
      step_id: write.step_id,
      events: [write.seq, known.one.seq],
      ts: write.end ?? write.ts,
      is_new: null,
      weight: field === undefined ? 0.92 : 0.84,
      about: `deed ${write.seq}`,
    },
  ];
}

const isOfPage = (one: Exchange, { run }: Evidence): boolean =>
  /^(?:xhr|fetch)$/.test(one.type ?? "") && !isBeside(one) && !isForeign(one.url, run.facts);

/** What an address does with one thing: `/lessons/5019/cancel`; null of any other. */
const deedOf = (one: Exchange): string | null => {
  const [id = "", deed = ""] = pathOf(one.url).split("/").slice(-2);
  return /\d/.test(id) && /^[a-z]{3,20}$/i.test(deed) ? deed.toLowerCase() : null;
};

/** What changes with each write, or with time. */
const PASSING = /(?:^|[a-z_])(?:at|version|updated|time|date|revision|etag)$|_at$/i;

type Thing = Record<string, unknown> & { id: string | number };

const isThing = (value: unknown): value is Thing =>
  isRecord(value) && (typeof value.id === "string" || typeof value.id === "number");

const isPlain = (value: unknown): boolean =>
  value === null || /^(?:string|number|boolean)$/.test(typeof value);

/** The one thing that an answer is, or has. */
const thingIn = (data: unknown): Thing | undefined =>
  isThing(data) ? data : isRecord(data) ? Object.values(data).find(isThing) : undefined;

function thingsIn(data: unknown): Thing[] {
  const one = thingIn(data);
  return [...(one ? [one] : []), ...listsIn(data).flatMap(({ items }) => items.filter(isThing))];
}

/** Whether the step looks at the thing: by one of its texts, in its locator or in what was found. */
function isLookedAt(thing: Thing, evidence: Evidence): boolean {
  const looked = `${targetOf(evidence)} ${evidence.failed.received ?? ""}`;
  return Object.values(thing).some(
    (value) => typeof value === "string" && value.length >= SHORTEST && looked.includes(value),
  );
}
