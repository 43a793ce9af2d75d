import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strFromU8, strToU8, unzipSync } from "fflate";
import { redactArchive } from "../../../../server/run/capture/archive-redaction.ts";
import type { CaptureSink } from "../../../../server/run/capture/sink.ts";
import { createRedactor } from "../../../../server/run/redaction/redact.ts";
import { openZip } from "../../../../store/archives/zip.ts";
import { findArtifact } from "../../../../store/records/artifacts.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(() => lab.close());

/** Every member of the archive that a trace keeps, as text. */
async function archiveOf(traceId: string): Promise<Map<string, string>> {
  const { records, layout } = lab.app.store;
  const artifact = await findArtifact(records, traceId, "playwright");
  const archive = await openZip(join(layout.root, artifact!.path));
  const texts = new Map<string, string>();
  for (const member of archive.members)
    texts.set(member.name, Buffer.from(await archive.read(member)).toString("latin1"));
  await archive.close();
  return texts;
}

describe("the Playwright archive of a run", () => {
  test("shows the page before, during and after each step", async () => {
    const { traceId, status } = await lab.run([
      'go to "/"',
      'click testid "add-beans"',
      'expect text "Cart (1)"',
    ]);
    expect(status).toBe("passed");
    const pages = (await lab.events(traceId, "&kind=dom.snapshot")).filter(({ snapshot }) => snapshot);
    const of = (step: string) => pages.filter(({ step_id }) => step_id === step);
    expect(
      of("s2")
        .map(({ phase }) => String(phase))
        .sort(),
    ).toEqual(["action", "after", "before"]);
    const html = async (step: string, phase: string) => {
      const page = of(step).find((one) => one.phase === phase);
      const path = `/v1/traces/${traceId}/snapshots/${encodeURIComponent(String(page?.snapshot))}?page=${page?.page}`;
      const found = (await (await lab.app.api(path)).json()) as { html_url: string; phase: string };
      expect(found.phase).toBe(phase);
      const { pathname, search } = new URL(found.html_url);
      return (await lab.app.api(pathname + search)).text();
    };
    expect(await html("s2", "before")).toContain('<SPAN id="count">0</SPAN>');
    expect(await html("s2", "action")).toContain('data-testid="add-beans"');
    expect(await html("s3", "after")).toContain('<SPAN id="count">1</SPAN>');
    // Of a click it records the three pages that are shown, and not every question of the runner.
    const lines = (await archiveOf(traceId)).get("trace.trace")!.trim().split("\n");
    const [from, to] = ["click testid", "expect text"].map((title) =>
      lines.findIndex((line) => line.includes(`"title":"${title}`)),
    );
    const taken = lines.slice(from, to).filter((line) => line.startsWith('{"type":"frame-snapshot"'));
    expect(taken.length).toBe(3);
  });

  test("keeps no secret, no password, no cookie and nothing of a configured pattern", async () => {
    const secret = "m0rnings & <more>";
    const { traceId } = await lab.run(
      [
        'go to "/signin"',
        'fill field "Email" with "ada@example.com"',
        'fill field "Password" with "${secrets.PASSWORD}"',
        'click button "Sign in"',
        'go to "/?card=4111-1111"',
      ],
      {
        values: {
          secrets: { PASSWORD: secret },
          synthetic: { email: "a@example.invalid", name: "A", region: "r", shard: "1" },
        },
        redaction: { headers: ["x-synthetic-source"], patterns: ["\\d{4}-\\d{4}"] },
      },
    );
    const texts = [...(await archiveOf(traceId)).values()].join("\n");
    for (const hidden of [secret, encodeURIComponent(secret), "m0rnings", "shop_visitor=v", "4111-1111"])
      expect(texts).not.toContain(hidden);
    expect(texts).not.toMatch(/"name":"(?:cookie|set-cookie|x-synthetic-source)","value":"(?!\[redacted\])/i);
    expect(texts).toContain("[redacted]");
    const events = await lab.events(traceId, "&kind=dom.snapshot");
    expect(JSON.stringify(events)).not.toContain("4111-1111");
  });
});

test("the last events and the summary of a run go out beside its archive", async () => {
  const known = lab.sink((path, init) => lab.app.api(path, init));
  const summed = Promise.withResolvers<void>();
  const sink: CaptureSink = {
    ...known,
    async artifact(kind, bytes) {
      // An archive that arrives only after the summary, as a large one may.
      if (kind === "playwright") await summed.promise;
      await known.artifact(kind, bytes);
      if (kind === "summary") summed.resolve();
    },
  };
  const { status, traceId } = await lab.run(['go to "/"'], { sink });
  expect(status).toBe("passed");
  expect((await archiveOf(traceId)).get("trace.trace")).toContain("frame-snapshot");
});

test("a page that no scenario may open, and its file, are left out; all else stays", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-test-"));
  const shot = (frameUrl: string) => ({
    type: "frame-snapshot",
    snapshot: { frameUrl, html: ["HTML", {}, frameUrl] },
  });
  const answer = (url: string, file: string) => ({
    type: "resource-snapshot",
    snapshot: { request: { url, headers: [] }, response: { headers: [], content: { _sha1: file } } },
  });
  const lines = (all: object[]) => `${all.map((one) => JSON.stringify(one)).join("\n")}\n`;
  const members = {
    // Files come before the lines that name them.
    "resources/secret.html": "what nobody is to read",
    "resources/shop.html": "the shop",
    "trace.trace": lines([shot("http://shop.test/"), shot("file:///etc/secret.html")]),
    "trace.network": lines([
      answer("http://shop.test/", "shop.html"),
      answer("file:///etc/secret.html", "secret.html"),
    ]),
  };
  const to = join(folder, "to.zip");
  const raw = Object.entries(members).map(([name, text]) => ({ name, read: async () => strToU8(text) }));
  await redactArchive(raw, to, createRedactor({ secrets: {}, headers: [], patterns: [] }), () => {});
  const kept = Object.entries(unzipSync(readFileSync(to))).map(
    ([name, bytes]) => [name, strFromU8(bytes)] as const,
  );
  expect(kept.map(([name]) => name).sort()).toEqual(["resources/shop.html", "trace.network", "trace.trace"]);
  const text = kept.map(([, one]) => one).join("");
  expect(text).not.toMatch(/secret|nobody/);
  expect(text).toContain("the shop");
  expect(text.match(/shop\.test/g)?.length).toBe(3);
  rmSync(folder, { recursive: true });
});
