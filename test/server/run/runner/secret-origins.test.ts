import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { createSecretRules } from "../../../../server/run/runner/secret-origins.ts";
import { createValues } from "../../../../server/run/runner/values.ts";
import { openZip } from "../../../../store/archives/zip.ts";
import { findArtifact } from "../../../../store/records/artifacts.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

const SECRET = "s3cr3t & <more>";
const synthetic = { email: "a@example.invalid", name: "A", region: "r", shard: "1" };

/** A server whose pages tell it every key and every change, and what they were sent. */
function startSite() {
  const told: string[] = [];
  const TELL = `<script>
    const tell = (text) => { const xhr = new XMLHttpRequest(); xhr.open("POST", "/told", false); xhr.send(text); };
    addEventListener("input", ({ target }) => tell(target.value ?? target.textContent), true);
    addEventListener("change", ({ target }) => tell(target.value ?? ""), true);
    addEventListener("keydown", ({ key }) => tell("key " + key), true);
  </script>`;
  const FIELDS = `<label>Name <input id=name autofocus></label><label>Pass <input type=password></label><label>Day <input type=date></label>
    <label>Note <textarea></textarea></label><label>Rich <div contenteditable role=textbox aria-label=Rich>old</div></label>
    <select aria-label=Which><option>none</option><option>${SECRET.replace(/</g, "&lt;")}</option></select><p id=echo></p>`;
  const page = (body: string, headers = {}) =>
    new Response(`<!doctype html>${TELL}${body}`, { headers: { "content-type": "text/html", ...headers } });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const body = await request.text();
      told.push(`${request.method} ${decodeURIComponent(request.url)} ${body}`);
      const inside = searchParams.get("inside") ?? "";
      switch (pathname) {
        case "/frame":
          return page(`<h1>Around</h1><iframe src="${inside}"></iframe>`);
        case "/thief":
          return page(
            `<input id=evil><iframe id=f src="${inside}"></iframe><script>
              const steal = () => { f.blur(); window.focus(); evil.blur(); evil.focus(); };
              setInterval(steal, 1); onblur = steal;
            </script>`,
          );
        case "/sandboxed":
          return page(FIELDS, { "content-security-policy": "sandbox allow-scripts allow-forms" });
        case "/srcdoc":
          return page(`<iframe srcdoc="<label>Name <input></label>"></iframe>`);
        case "/blank":
          return page(
            `<iframe id=f></iframe><script>f.contentDocument.body.innerHTML = '<label>Name <input></label>'</script>`,
          );
        case "/goes-on":
          return page(
            `<label>Name <input onfocus="parent.postMessage(0, '*'); location = '${inside}'"></label>`,
          );
        case "/away":
          return new Response(null, { status: 307, headers: { location: inside } });
        case "/echo":
          return Response.json({ said: body });
        default:
          return page(FIELDS);
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    told,
    heard: (text: string) => told.some((line) => line.includes(text)),
    stop: () => server.stop(true),
  };
}

let lab: RunLab;
let shop: ReturnType<typeof startSite>;
let other: ReturnType<typeof startSite>;
beforeAll(async () => {
  lab = await runLab();
  shop = startSite();
  other = startSite();
});
beforeEach(() => {
  shop.told.length = 0;
  other.told.length = 0;
});
afterAll(async () => {
  await lab.close();
  await shop.stop();
  await other.stop();
});

/** Against the shop, which alone may have the secret A; B may go everywhere. */
const run = (steps: string[], secrets: Record<string, string> = { A: SECRET, B: "free-for-all" }) =>
  lab.run(steps, {
    baseUrl: shop.url,
    values: { secrets, secretOrigins: { A: [shop.url] }, synthetic },
  });
const within = (around: string, inside: string) => `${around}?inside=${encodeURIComponent(inside)}`;

describe("a secret with origins", () => {
  test("goes into every kind of field of a page that may have it, as any text does", async () => {
    const outcome = await run([
      'go to "/"',
      'fill field "Name" with "${secrets.A}"',
      'expect value "s3cr3t & <more>" in field "Name"',
      'fill field "Name" with "again ${secrets.A}!"',
      'expect value "again s3cr3t & <more>!" in field "Name"',
      'fill field "Pass" with "${secrets.A}"',
      'expect value "s3cr3t & <more>" in field "Pass"',
      'type "${secrets.A}" in field "Note"',
      'expect value "s3cr3t & <more>" in field "Note"',
      'press "Enter"',
      'type "${secrets.A}"',
      'expect value "s3cr3t & <more>\\ns3cr3t & <more>" in field "Note"',
      'fill textbox "Rich" with "${secrets.A}"',
      'expect text "s3cr3t & <more>" in textbox "Rich"',
      'select "${secrets.A}" in combobox "Which"',
      'expect value "s3cr3t & <more>" in combobox "Which"',
      'set told to "${secrets.A}"',
      'request GET "/?said=${vars.told}" status 200',
      'request POST "/" with "${secrets.A}" status 200',
      'go to "/?as=${secrets.A}"',
    ]);
    expect(outcome.error).toBeNull();
    expect(shop.heard("key <")).toBe(true);
  });

  test("is masked in the events and in the archive, which has the pages of the step", async () => {
    const plain = "plain5ecret";
    const steps = [
      'go to "/"',
      'fill field "Name" with "${secrets.A}"',
      'type "${secrets.A}" in field "Note"',
    ];
    const outcome = await run(steps, { A: plain });
    const events = await lab.events(outcome.traceId);
    const pages = events.filter(
      ({ kind, snapshot, step_id }) => kind === "dom.snapshot" && snapshot && step_id === "s2",
    );
    expect(pages.map(({ phase }) => phase)).toEqual(["before", "after"]);
    expect(JSON.stringify(events)).not.toContain(plain);
    const { records, layout } = lab.app.store;
    const artifact = await findArtifact(records, outcome.traceId, "playwright");
    const archive = await openZip(join(layout.root, artifact!.path));
    for (const member of archive.members)
      expect(Buffer.from(await archive.read(member)).toString("latin1")).not.toContain(plain);
    await archive.close();
  });

  const away = () => other.url;
  test.each<[string, () => string[]]>([
    ["fill", () => [`go to "${away()}/"`, 'fill field "Name" with "${secrets.A}"']],
    ["fill with more around it", () => [`go to "${away()}/"`, 'fill field "Note" with "x${secrets.A}y"']],
    ["type", () => [`go to "${away()}/"`, 'type "${secrets.A}" in field "Name"']],
    ["type at the focus", () => [`go to "${away()}/"`, 'click field "Name"', 'type "${secrets.A}"']],
    ["select", () => [`go to "${away()}/"`, 'select "${secrets.A}" in combobox "Which"']],
    [
      "a variable",
      () => [`go to "${away()}/"`, 'set x to "${secrets.A}"', 'fill field "Name" with "-${vars.x}-"'],
    ],
    [
      "a variable of a variable",
      () => [
        `go to "${away()}/"`,
        'set x to "${secrets.A}"',
        'set y to "a${vars.x}"',
        'type "${vars.y}" in field "Name"',
      ],
    ],
    [
      "what a page showed of it",
      () => [
        'go to "/"',
        'fill field "Name" with "${secrets.A}"',
        'set x to value of field "Name"',
        `go to "${away()}/"`,
        'fill field "Name" with "${vars.x}"',
      ],
    ],
    [
      "what an answer held of it",
      () => [
        'request POST "/echo" with "${secrets.A}"',
        'set x to response "/said"',
        `request POST "${away()}/" with "\${vars.x}"`,
      ],
    ],
    ["the body of a request", () => [`request POST "${away()}/" with "\${secrets.A}"`]],
    ["the address of a request", () => [`request GET "${away()}/?q=\${secrets.A}"`]],
    ["the user of an address", () => [`request GET "http://me:\${secrets.A}@${new URL(away()).host}/"`]],
    ["the host of an address", () => ['go to "http://${secrets.A}.example/"']],
    ["go to", () => [`go to "${away()}/#\${secrets.A}"`]],
    ["a data address", () => ['go to "data:text/html,${secrets.A}"']],
    [
      "a frame of another origin",
      () => [`go to "${within("/frame", `${away()}/`)}"`, 'fill field "Name" with "${secrets.A}"'],
    ],
    [
      "the focus in a frame of another origin",
      () => [`go to "${within("/frame", `${away()}/`)}"`, 'click field "Name"', 'type "${secrets.A}"'],
    ],
    ["a frame in a sandbox", () => ['go to "/sandboxed"', 'fill field "Name" with "${secrets.A}"']],
    ["a frame of its own text", () => ['go to "/srcdoc"', 'fill field "Name" with "${secrets.A}"']],
    ["an empty frame", () => ['go to "/blank"', 'fill field "Name" with "${secrets.A}"']],
  ])("does not go elsewhere by %s: the run is an error, and nothing was typed or sent", async (_, steps) => {
    const outcome = await run(steps());
    expect(outcome).toMatchObject({ status: "error", error: { reason: "secret_not_allowed" } });
    expect(outcome.error?.message).toMatch(
      /^The secret A may not go to .+; it may go to http:\/\/127\.0\.0\.1:\d+\.$/,
    );
    expect(outcome.error?.stepId).toBe(`s${steps().length}`);
    expect(other.told.join("\n")).not.toContain("s3cr3t");
    expect(shop.told.filter((line) => line.startsWith("POST")).join()).not.toMatch(/sandbox|srcdoc/);
  });

  test("goes by the frame that has the field, not by the page around it", async () => {
    const outcome = await run([
      `go to "${other.url}${within("/frame", `${shop.url}/`)}"`,
      'fill field "Name" with "${secrets.A}"',
      'expect value "s3cr3t & <more>" in field "Name"',
      'click field "Note"',
      'type "${secrets.A}"',
      'expect value "s3cr3t & <more>" in field "Note"',
    ]);
    expect(outcome.error).toBeNull();
    expect(other.told.join("\n")).not.toContain("s3cr3t");
  });

  test("does not fall to a page that takes the focus away from the field", async () => {
    const thief = `go to "${other.url}${within("/thief", `${shop.url}/`)}"`;
    const filled = await run([
      thief,
      'fill field "Name" with "${secrets.A}"',
      'expect value "s3cr3t & <more>" in field "Name"',
    ]);
    expect(filled.error).toBeNull();
    const typed = await run([
      thief,
      'type "${secrets.A}" in field "Note"',
      'expect value "s3cr3t & <more>" in field "Note"',
    ]);
    expect(typed.error).toBeNull();
    expect(other.told.filter((line) => line.startsWith("POST")).join("\n")).toBe("");
  });

  test("is not typed into the page that comes in the place of the one that may have it", async () => {
    const outcome = await run([
      `go to "${within("/goes-on", `${other.url}/`)}"`,
      'type "${secrets.A}" in field "Name" within 2s',
    ]);
    const told = other.told.filter((line) => line.startsWith("POST"));
    expect(told.join("\n")).toBe("");
    // Either it was typed before the page went on, or the step tells that its element has gone.
    expect(outcome.error?.message ?? "").toMatch(/^$|went away|closed|destroyed/);
  });

  test("does not follow a request's redirect", async () => {
    const outcome = await run([
      `request POST "${within("/away", `${other.url}/got`)}" with "\${secrets.A}" status 307`,
    ]);
    expect(outcome.status).toBe("passed");
    expect(other.told).toEqual([]);
  });

  test("keeps no other text and no other secret from going anywhere", async () => {
    const outcome = await run(
      [
        `go to "${other.url}/"`,
        'fill field "Name" with "${secrets.B}"',
        'expect value "free-for-all" in field "Name"',
        'type "4" in field "Note"',
        `request POST "${other.url}/" with "\${secrets.B}"`,
      ],
      { A: "4", B: "free-for-all" },
    );
    expect(outcome).toMatchObject({ status: "error", error: { reason: "secret_not_allowed", stepId: "s4" } });
    const short = await run([`go to "${other.url}/"`, 'type "1234" in field "Note"'], { A: "23" });
    expect(short.error).toBeNull();
    const named = await run(
      [`go to "${other.url}/"`, 'set x to "1${secrets.A}4"', 'type "${vars.x}" in field "Note"'],
      { A: "23" },
    );
    expect(named.error?.reason).toBe("secret_not_allowed");
  });
});

test("a bound secret is found in whatever a text makes of it", () => {
  const disguises: ((text: string) => string)[] = [
    (text) => text,
    (text) => JSON.stringify({ a: text }),
    encodeURIComponent,
    (text) => new URLSearchParams({ a: text }).toString(),
    (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  ];
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", minLength: 4 }).filter((text) => text.isWellFormed()),
      fc.string(),
      fc.string(),
      fc.constantFrom(...disguises),
      (secret, before, after, disguise) => {
        const sources = { secrets: { A: secret }, secretOrigins: { A: ["https://a.example"] }, synthetic };
        const rules = createSecretRules(sources, createValues({ ...sources, clones: {} }));
        const text = `${before.replaceAll("%", "")} ${disguise(secret)} ${after}`;
        expect(rules.boundIn([text]).map(({ name }) => name)).toEqual(["A"]);
        expect(rules.boundIn(["nothing of it"])).toHaveLength("nothing of it".includes(secret) ? 1 : 0);
      },
    ),
  );
});
