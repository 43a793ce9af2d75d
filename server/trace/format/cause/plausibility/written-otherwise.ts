import { requestBodyOf } from "../exchanges/sent.ts";
import { oncePer } from "../once.ts";
import type { Finding } from "../types.ts";
import { leavesOf } from "../values/json-leaves.ts";
import { askedByOldValue } from "./asked-old.ts";
import { isRefusedBefore, OF_CLIENT } from "./deeds.ts";
import { isBehind, isOfOneRecord, isOfOneThing, isOfRead } from "./one-thing.ts";
import { renamedField } from "./renamed.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";

/** Whether an answer before it had said something else than usual, which may have led to it. */
export const isAfterAnswer = ({ ts }: Finding, { news }: Scene, weight = SURE): boolean =>
  news.some(
    (one) =>
      one.kind === "answer_changed" &&
      one.weight >= weight &&
      !one.isAskedOtherwise &&
      one.ts !== null &&
      one.ts < (ts ?? 0),
  );

/** A place by its last name, however it is written: `/items/0/dueDate` and `due_date` are one. */
const nameOf = (place: string): string =>
  (place.split(/[/.]/).findLast((part) => !/^\d*$/.test(part)) ?? "").replace(/[^a-z\d]/gi, "").toLowerCase();

/** Below it an answer tells of nothing that the test or the page shows. */
const SHOWN = 0.6;
/** From here on what was sent explains a failure by itself. */
const SURE = 0.8;
/** Below it an answer names another release, or nothing at all. */
const FAINT = 0.45;
/** What tells how long something took, when it was, or how often it was tried; terms and rooms do not. */
const OF_TIMING =
  /(?:[dD]uration|[eE]lapsed|[lL]atency|[tT]iming|[tT]imestamp|[aA]ttempts?|[rR]etr(?:y|ies))$|(?:(?:^|[._])(?:took|ms|at|time)|[a-z](?:Took|Ms|At|Time))$/;

/** The names of all that a request was sent with. */
const namesSent = oncePer(({ evidence: { run } }: Scene, about: Finding["about"]): ReadonlySet<string> => {
  const sent = run.facts.exchanges.find(({ seq }) => about === `body ${seq}`);
  return new Set(sent ? leavesOf(requestBodyOf(sent, run)).map(({ path }) => nameOf(path)) : []);
});

/** Whether what is read of the same thing may follow from what was sent otherwise: nothing else had led to that, and no field of this name was sent as usual. */
const isOfSent = (sent: Finding, read: Finding, scene: Scene): boolean =>
  isOfRead(read) &&
  isOfOneThing(sent.title, read.title) &&
  !OF_CLIENT.test(sent.title) &&
  !OF_TIMING.test(sent.sentField!) &&
  !isAfterAnswer(sent, scene, FAINT) &&
  !namesSent(scene, sent.about).has(nameOf(read.place!)) &&
  !scene.news.some(
    ({ kind, events }) => kind === "request_repeated" && events.some((seq) => sent.about === `body ${seq}`),
  );

/** Whether what was sent otherwise is what an answer says otherwise afterwards. */
function isReadAs(sent: Finding, read: Finding, scene: Scene): boolean {
  if (read.is_new !== true || read.weight < SHOWN || sent === read || !isBehind(sent, read)) return false;
  if (sent.isUnmoved) return read.isReordered === true;
  if (sent.isUnasked) return isOfRead(read) && isOfOneThing(sent.title, read.title);
  if (read.place === undefined) return false;
  const { sentField, isNoId } = sent;
  if (sentField !== undefined && (nameOf(sentField) === nameOf(read.place) || isOfSent(sent, read, scene)))
    return true;
  return isNoId === true && (isOfOneThing(sent.title, read.title) || isOfOneRecord(sent.title, read.title));
}

/** Whether nothing before it made the page send it so: no answer, no refusal, no error, and not what the test gave. */
const isOwnDoing = (sent: Finding, scene: Scene): boolean =>
  !scene.isGivenOtherwise &&
  !isAfterAnswer(sent, scene) &&
  !isRefusedBefore(sent, scene) &&
  !scene.news.some((one) => one.kind === "page_error" && one.weight >= SHOWN && isBehind(one, sent));

/** The answer that said the same field otherwise before it was sent otherwise: the page sends what it was told. */
const giverOf = (sent: Finding, { news }: Scene): Finding | undefined =>
  sent.sentField === undefined
    ? undefined
    : news.find(
        (one) =>
          one.kind === "answer_changed" &&
          one.is_new === true &&
          one.place !== undefined &&
          one.ts !== null &&
          one.ts < (sent.ts ?? 0) &&
          nameOf(one.place) === nameOf(sent.sentField!),
      );

/** What was sent otherwise and comes back so, and what the answers are about in which it does; and what was sent as an answer had said. */
const readSo = oncePer((scene: Scene, _: "sent") => {
  const sent = new Set<Finding>();
  const read = new Set<string>();
  const given = new Set<Finding>();
  const givers = new Set<Finding>();
  for (const one of scene.news) {
    if (one.is_new !== true || !isRequest(one)) continue;
    const reads = scene.news.filter((other) => isReadAs(one, other, scene));
    const giver = giverOf(one, scene);
    if (giver) {
      given.add(one);
      if (reads.length > 0 || one.weight >= SURE) givers.add(giver);
    }
    if (giver || reads.length === 0 || !isOwnDoing(one, scene)) continue;
    sent.add(one);
    for (const { about } of reads) if (about !== undefined) read.add(about);
  }
  return { sent, read, given, givers };
});

const isRequest = ({ about }: Finding): boolean => about?.startsWith("body ") === true;

/** A field that was sent otherwise is what is read of it. */
const readAsSent: Rule = (finding, scene) => {
  const { sent, read, given, givers } = readSo(scene, "sent");
  if (isRequest(finding)) return sent.has(finding) ? atLeast(0.95) : given.has(finding) ? explained : null;
  if (givers.has(finding)) return atLeast(0.9);
  return finding.kind === "answer_changed" && read.has(finding.about ?? "") ? explained : null;
};

/** What a page asks with a value that an answer gave it comes of that answer, and so does what is answered to it. */
const askedAsGiven: Rule = (finding, { news }) => {
  if (finding.is_new !== true) return null;
  const isOf = ({ about, kind, events }: Finding, giver: Finding) => {
    const seq = GAVE.exec(giver.about ?? "")?.[1];
    return (
      seq !== undefined &&
      (about === `body ${seq}` ||
        (kind === "answer_changed" && about !== giver.about && String(events[0]) === seq))
    );
  };
  if (finding.kind === "answer_changed" && GAVE.test(finding.about ?? ""))
    return news.some((one) => one.weight >= SURE && isOf(one, finding)) ? atLeast(0.96) : null;
  if (finding.kind !== "answer_changed" && !isRequest(finding)) return null;
  return news.some((giver) => isOf(finding, giver)) ? explained : null;
};

const GAVE = /^gave (\d+)$/;

/** A click and what it sends. */
const AT_ONCE_MS = 2_000;
/** Recorders note the two by clocks of their own. */
const MARGIN_MS = 5;

const isWithin = (ts: number | null, from: number, to: number): boolean =>
  ts !== null && ts >= from && ts <= to;

/** What came of an element without the attribute by which its form was sent: the request first, then what was read of it. */
function ledTo(element: Finding, { news, settled }: Scene): Finding[] {
  const { lostName, isSubmitter, is_new } = element;
  // Of what was served it is the last action's.
  const pressed = element.isOfElement ? settled : element.ts;
  if (is_new !== true || (lostName === undefined && !isSubmitter)) return [];
  const isOfIt = (one: Finding): boolean => {
    if (one.is_new !== true || !isBehind(element, one)) return false;
    if (isSubmitter)
      return (
        isRequest(one) && pressed !== null && isWithin(one.ts, pressed - MARGIN_MS, pressed + AT_ONCE_MS)
      );
    const place = isRequest(one) ? one.sentField : one.weight >= SHOWN ? one.place : undefined;
    return place !== undefined && nameOf(place) === nameOf(lostName!);
  };
  const order = (one: Finding) => (isRequest(one) ? 0 : 1);
  return news.filter(isOfIt).toSorted((a, b) => order(a) - order(b) || (a.ts ?? 0) - (b.ts ?? 0));
}

/** The first that came of each such element, and what all of that is about. */
const ledSo = oncePer((scene: Scene, _: "led") => {
  const first = new Map<Finding, Finding>();
  const abouts = new Set<string>();
  for (const one of scene.news) {
    const led = ledTo(one, scene);
    if (led[0]) first.set(one, led[0]);
    for (const { about } of led) if (about !== undefined) abouts.add(about);
  }
  return { first, abouts };
});

/** A field without its name is not sent, and a button without its type sends its form: told as one, before what is read of it. */
const elementFirst: Rule = (finding, scene) => {
  const { first, abouts } = ledSo(scene, "led");
  const led = first.get(finding);
  if (led) return all(because(led), atLeast(0.97));
  const isAnswerToIt = finding.kind === "answer_changed" && abouts.has(`body ${finding.events[0]}`);
  return isAnswerToIt || abouts.has(finding.about ?? "") ? explained : null;
};

/** Rules of what was sent otherwise, of what made it so, and of what is read of it. */
export const WRITTEN_OTHERWISE: readonly Rule[] = [
  readAsSent,
  askedAsGiven,
  elementFirst,
  renamedField,
  askedByOldValue,
];
