import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CaptureSink } from "../../../../server/run/capture/sink.ts";
import { describe as describeProgress } from "../../../../server/run/pool/log-lines.ts";
import { createRedactor, MASK } from "../../../../server/run/redaction/redact.ts";
import { createTypedValues } from "../../../../server/run/redaction/typed.ts";
import { openZip } from "../../../../store/archives/zip.ts";
import { scratchFolder } from "../../../helpers/program.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(60_000);

const scratch = scratchFolder();
let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(async () => {
  await lab.close();
  scratch.remove();
});

/** Fields of every kind that say what was typed in all the ways that pages have. */
const PAGE = `<!doctype html><title>Fields</title>
<label>Kennwort <input type="password" id="a"></label>
<label>Nummer <input autocomplete="section-one cc-number" id="b"></label>
<label>Zahl <input autocomplete="cc-csc" id="c"></label>
<label>Wort <input autocomplete="one-time-code" id="d"></label>
<label>Name <input id="e"></label><button>Send</button>
<script>
document.querySelector("button").addEventListener("click", async () => {
  const values = [...document.querySelectorAll("input")].map(({ value }) => value);
  console.log("typed " + values.join(" "));
  await fetch("/take?q=" + encodeURIComponent(values[0]), { method: "POST", body: JSON.stringify({ values }) });
  document.querySelector("#a").type = "text";
  document.body.append("Sent: " + values.slice(0, 2).join(", "));
});
</script>`;

/** Keeps what a run records, as texts. */
function textSink() {
  const texts: string[] = [];
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
  const sink: CaptureSink = {
    pace: { eventsMs: 50, blobsMs: 50 },
    begin: async () => ({ traceId: "t", shortId: "s" }),
    chunk: async (_, bytes) => void texts.push(text(await Bun.zstdDecompress(bytes))),
    blobs: async (blobs) => void texts.push(...blobs.map(({ bytes }) => text(bytes))),
    async artifact(kind, blob) {
      const bytes = await blob.bytes();
      if (kind === "rrweb") texts.push(text(await Bun.zstdDecompress(bytes)));
      else if (kind === "playwright") {
        await Bun.write(scratch.at("archive.zip"), bytes);
        const archive = await openZip(scratch.at("archive.zip"));
        for (const member of archive.members) texts.push(text(await archive.read(member)));
        await archive.close();
      } else texts.push(text(bytes));
    },
    end: async () => {},
  };
  return { sink, texts };
}

describe("what is typed where nobody is to read it", () => {
  test("is in nothing that a run records, however its field is called, and everything else is", async () => {
    const site = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) =>
        request.method === "POST"
          ? new Response(`You sent ${await request.text()}`)
          : new Response(PAGE, { headers: { "content-type": "text/html" } }),
    });
    const { sink, texts } = textSink();
    const logged: string[] = [];
    try {
      const { status } = await lab.run(
        [
          `go to "${site.url.href}"`,
          'fill field "Kennwort" with "gute nacht"',
          'type "4000 0012 3456 7899" in field "Nummer"',
          'fill field "Zahl" with "737"',
          'click field "Wort"',
          'type "9f8e7d"',
          'fill field "Name" with "Ada L."',
          'click button "Send"',
          'expect text "Sent: "',
          `request POST "${site.url.href}" with "{\\"password\\":\\"abend-rot\\",\\"name\\":\\"Grace\\"}"`,
          'fill field "API key" with "k-e-y-1" within 100ms',
        ],
        {
          sink,
          onProgress: (progress) => void logged.push(describeProgress(progress)?.message ?? ""),
        },
      );
      expect(status).toBe("failed");
    } finally {
      await site.stop(true);
    }
    const all = [...texts, ...logged].join("\n");
    const found = (needles: string[]) => needles.filter((needle) => all.includes(needle));
    const hidden = ["gute nacht", "gute%20nacht", "4000 0012", "9f8e7d", "abend-rot", "k-e-y-1"];
    expect(found([...hidden, '"737', '"737\\"'])).toEqual([]);
    const kept = [
      `"title":"fill field \\"Kennwort\\" with \\"${MASK}\\""`,
      `"title":"type \\"${MASK}\\" in field \\"Nummer\\""`,
      'fill field \\"Name\\" with \\"Ada L.\\"',
      `Sent: ${MASK}`,
      "Grace",
    ];
    expect(found(kept)).toEqual(kept);
    expect(logged).toContain('fill field "Kennwort" with …');
    const { redaction_count } = JSON.parse(texts.find((one) => one.includes("redaction_count")) ?? "{}");
    expect(redaction_count).toBeGreaterThan(10);
  });

  test("is masked as a word of its own, and not where pages are made of it", () => {
    const typed = createTypedValues();
    const redactor = createRedactor({ secrets: {}, headers: [], patterns: [], typed });
    const page = '<input type="password" style="color:#000000;width:12340px">0000001 x000000';
    expect(redactor.concerns('"000000"')).toBe(false);
    for (const value of ["000000", "1234", "password", "737"]) typed.add(value);
    expect(redactor.text(page)).toBe(page);
    expect(redactor.body('{"code":"000000","n":"1234"} is 1234.')).toBe(
      `{"code":"${MASK}","n":"${MASK}"} is ${MASK}.`,
    );
    const short = ["737", "737 cups", '["737"]', "csc=737"].map(redactor.text);
    expect(short).toEqual([MASK, "737 cups", `["${MASK}"]`, `csc=${MASK}`]);
    expect(redactor.isTyped("password")).toBe(true);
    expect(redactor.count).toBe(6);
  });
});
