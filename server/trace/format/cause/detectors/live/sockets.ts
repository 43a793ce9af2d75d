import { oneLine } from "../../../error-text.ts";
import { hasOutlasted, isBefore, isNew } from "../../compare.ts";
import { isConsole, lineKey } from "../../run/keys.ts";
import type { Exchange, Line, RunFacts } from "../../run/run-facts.ts";
import { momentIn } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, addressOf, pathOf, quoted } from "../../words.ts";

const ORDERLY = new Set([1000, 1001, 1005]);

/** WebSockets that closed, with code and reason where they are told, or could not be opened. */
export function detectSockets(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  const findings: Finding[] = [];
  const told = new Set<Line>();
  // A pass closes its connections when it is over.
  const ends = new Map(
    evidence.passes.map((pass) => [pass, momentIn(pass.facts, facts, evidence.failed) ?? pass.facts.lastTs]),
  );
  for (const frame of facts.frames) {
    if (frame.opcode !== 8 || !isBefore(evidence, frame.ts)) continue;
    const [, code = "", reason = ""] = /^\s*(\d{4})?\s*(.*)$/s.exec(frame.text) ?? [];
    if (code !== "" && ORDERLY.has(Number(code))) continue;
    const own = facts.exchanges.find(({ request_id: id }) => id !== null && id === frame.request_id);
    if (own && hasOutlasted(evidence.failed, own.ts, frame.ts)) continue;
    if (code === "" && own && isLeft(facts, own.ts, frame.ts)) continue;
    const name = own ? ` ${addressOf(own.url, facts)}` : "";
    const line = code === "" && own ? saidOf(evidence, frame.ts) : undefined;
    if (line) told.add(line);
    const codeless = line
      ? ` while the page went on, which said ${quoted(line.text, 160)}`
      : " while the page went on; with what code was not recorded";
    findings.push({
      kind: "websocket_closed",
      title: `The WebSocket${name} closed${code ? ` with ${code}` : ""}${reason ? `: ${oneLine(reason)}` : ""}${code === "" && own ? codeless : ""}`,
      detail: null,
      step_id: frame.step_id,
      events: line ? [frame.seq, line.seq] : [frame.seq],
      ts: frame.ts,
      is_new: isNew(evidence, (pass) =>
        pass.facts.frames.some(
          ({ opcode, text, ts }) => opcode === 8 && text === frame.text && ts <= ends.get(pass)!,
        ),
      ),
      weight: 0.9,
      ...(code === "" && own && { withoutCode: line ? "told" : "untold" }),
    });
  }
  for (const one of facts.exchanges) {
    if (one.type !== "websocket" || one.error === null || !isBefore(evidence, one.end ?? one.ts)) continue;
    findings.push({
      kind: "websocket_closed",
      title: `The WebSocket ${addressOf(one.url, facts)} could not be opened: ${notOpened(one.error)}${openedIn(evidence, one)}`,
      detail: null,
      step_id: one.step_id,
      events: [one.seq],
      ts: one.end ?? one.ts,
      is_new: isNew(evidence, (pass) =>
        pass.facts.exchanges.some(({ type, error }) => type === "websocket" && error !== null),
      ),
      weight: 0.93,
      about: aboutUrl(one.url, facts),
    });
  }
  const hasSocket = facts.exchanges.some(({ type }) => type === "websocket");
  for (const line of facts.lines) {
    if (told.has(line) || !isConsole(line) || !isBefore(evidence, line.ts)) continue;
    const isSocket = /web ?socket|\bws(?:s)?:\/\/|socket/i.test(line.text);
    const isEnd = /clos(?:ed|ing)|disconnect|failed|error|lost|code\W{0,3}(?:1\d{3}|4\d{3})/i.test(line.text);
    if (!((isSocket && isEnd) || (hasSocket && CODED.test(line.text)))) continue;
    const url = /(wss?:\/\/[^\s'"]+)/.exec(line.text)?.[1];
    findings.push({
      kind: "websocket_closed",
      title: `The page's WebSocket ${CODED.test(line.text) ? "closed" : "broke"}: ${quoted(line.text, 200)}`,
      detail: line.text,
      step_id: line.step_id,
      events: [line.seq],
      ts: line.ts,
      is_new: isNew(evidence, (pass) => pass.facts.hasLine(lineKey(line, facts))),
      weight: 0.9,
      about: url ? aboutUrl(url, facts) : `error ${facts.normaliser.text(line.text).slice(0, 120)}`,
    });
  }
  return findings.slice(-50);
}

const SAID_WITHIN_MS = 1_000;

/** What the page logged of a connection that ended, right when it did. */
const saidOf = (evidence: Evidence, closed: number): Line | undefined =>
  evidence.run.facts.lines.find(
    (line) =>
      isConsole(line) &&
      isBefore(evidence, line.ts) &&
      Math.abs(line.ts - closed) <= SAID_WITHIN_MS &&
      CODED.test(line.text),
  );

const LEFT_WITHIN_MS = 1_500;

/** Whether another page was asked for after the socket was opened and right before it closed, or the page had gone to another address by itself: that ends it. */
function isLeft({ exchanges, pages }: RunFacts, opened: number, closed: number): boolean {
  const before = pages.find(({ ts, url }) => ts >= opened && /^http/.test(url));
  const after = pages.findLast(
    ({ ts, page }) => ts <= closed + LEFT_WITHIN_MS && ts >= (before?.ts ?? closed) && page === before?.page,
  );
  return (
    (before !== undefined && after !== undefined && pathOf(before.url) !== pathOf(after.url)) ||
    exchanges.some(
      ({ type, ts }) => type === "document" && ts > opened && ts <= closed && closed - ts <= LEFT_WITHIN_MS,
    )
  );
}

/** Pages log the end of their connection under a name of their own, with the code that it closed with. */
const CODED = /\b(?:stopped|closed|disconnected|lost|ended)\b.{0,40}\b(?:10(?:0[2-9]|1[0-5])|4\d{3})\b/i;

/** A handshake that failed, in words. */
function notOpened(error: string): string {
  const status = /Unexpected response code: (\d{3})/.exec(error)?.[1];
  return status === undefined ? oneLine(error) : `the server answered with ${status} instead of opening it`;
}

/** Where the passes opened theirs, when that was elsewhere. */
function openedIn({ run, passes }: Evidence, { url }: Exchange): string {
  const opened = passes[0]?.facts.exchanges.find(({ type, error }) => type === "websocket" && error === null);
  if (!opened || !passes[0]) return "";
  const [there, here] = [addressOf(opened.url, passes[0].facts), addressOf(url, run.facts)];
  return there === here ? "" : `; in the last pass it was ${there}`;
}
