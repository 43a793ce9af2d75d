import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { TraceEvent } from "../../../../server/trace/format/event.ts";
import { openZip } from "../../../../store/archives/zip.ts";
import { artifactsOf } from "../../../../store/records/artifacts.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(() => lab.close());

const STEPS = [
  'go to "/"',
  'click testid "add-beans"',
  'expect text "Cart (1)"',
  'click link "Cart"',
  'click link "Go to checkout"',
  'fill field "Email" with "synthetic@example.invalid"',
  'fill field "Card number" with "4242424242424242"',
  'press "Tab"',
  'wait for request POST "/payments/tokens"',
  'click button "Pay now"',
  'expect text "Your order number is"',
];

/** What a step says of itself. Which step a page's own doings come in is a matter of time. */
const OF_STEPS = ["agent.action", "agent.thought", "assertion"];
/** Of these not even what they show. */
const FILM = ["screenshot", "dom.mutation"];
const VOLATILE = ["seq", "ts", "duration_ms", "request_id", "page", "frame", "timing", "snapshot"];

/** An event without what differs from run to run: a name of each field, with its value where that tells something. */
function said({ kind, step_id, ...fields }: TraceEvent): string {
  const told = Object.entries(fields)
    .filter(([name]) => !VOLATILE.includes(name))
    .map(([name, value]) => `${name}=${shortly(value)}`)
    .sort()
    .join(" ");
  return `${OF_STEPS.includes(kind) ? step_id : "-"} ${kind} ${FILM.includes(kind) ? "" : told}`.trimEnd();
}

/** Headers in which each version of a browser describes itself in its own way. */
const OF_BROWSERS = /^(?:sec-.*|user-agent|upgrade-insecure-requests|priority)$/;

function shortly(value: unknown): string {
  if (Array.isArray(value)) {
    const some = value.map(shortly).filter((one) => !OF_BROWSERS.test(one));
    return `[${some.join(",")}]`;
  }
  if (value !== null && typeof value === "object") {
    const { name, url, id, file } = value as Record<string, unknown>;
    // Of headers and the like what they are called, of others what they have.
    return shortly(name ?? url ?? id ?? file ?? Object.keys(value).sort());
  }
  return String(value)
    .replace(/sha256:[0-9a-f]{64}/g, "(blob)")
    .replace(/127\.0\.0\.1:\d+|localhost:\d+/g, "(host)")
    .replace(/\b(?:tok|pm|ord|order|pi)_?-?\w*\d\w*/gi, "(id)")
    .replace(/\d{3,}/g, "(number)")
    .replace(/\s+/g, " ")
    .slice(0, 80);
}

/** The calls and pages of Playwright's archive, and what kinds of files stand beside them. */
async function archiveSays(traceId: string): Promise<string[]> {
  const { records, layout } = lab.app.store;
  const artifacts = await artifactsOf(records, traceId);
  const archive = await openZip(join(layout.root, artifacts.find(({ kind }) => kind === "playwright")!.path));
  const lines: string[] = [];
  const read = async (name: string) => Buffer.from(await archive.read(archive.get(name)!)).toString();
  const calls = new Map<string, string>();
  for (const line of (await read("trace.trace")).trim().split("\n")) {
    const one = JSON.parse(line);
    if (one.type === "before") calls.set(one.callId, `${one.class}.${one.method} ${one.title ?? ""}`.trim());
    if (one.type === "before") lines.push(`call ${calls.get(one.callId)}`);
    if (one.type === "frame-snapshot" && one.snapshot.isMainFrame)
      lines.push(`page ${one.snapshot.phase} of ${calls.get(one.snapshot.callId)}`);
  }
  for (const line of (await read("trace.network")).trim().split("\n"))
    lines.push(`answer ${shortly(JSON.parse(line).snapshot.request.url)}`);
  const kinds = archive.members.map(({ name }) => name.replace(/[0-9a-f]{20,}/, "(sha)"));
  await archive.close();
  return [...lines, ...kinds.map((name) => `member ${name}`), ...artifacts.map(({ kind }) => `file ${kind}`)];
}

// `whole-trace.txt` was recorded before the recording was made cheaper: what makes it cheaper may leave nothing out.
test("a trace has all that it is known for, event by event", async () => {
  const { traceId, status } = await lab.run(STEPS, { clones: null });
  expect(status).toBe("passed");
  const events = await lab.events(traceId);
  const lines = [...events.map(said), ...(await archiveSays(traceId))];
  const told = `${[...new Set(lines)].sort().join("\n")}\n`;
  expect(told).toBe(await Bun.file(join(import.meta.dir, "whole-trace.txt")).text());
});
