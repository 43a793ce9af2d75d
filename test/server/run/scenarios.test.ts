import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { uploadTrace } from "../../helpers/traces.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const file = (slug: string, step = 'go to "/"') => ({
  path: `${slug}.scenario.md`,
  text: `---\nslug: ${slug}\ntitle: Scenario ${slug}\nbase_url: http://localhost:1\ncovers: ["src/**"]\n---\n1. ${step}\n`,
});
async function sync(...files: { path: string; text: string }[]) {
  const response = await app.api("/v1/scenarios/sync", { method: "POST", body: JSON.stringify({ files }) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const read = async (path: string) => (await (await app.api(path)).json()) as Record<string, unknown>;

describe("scenarios", () => {
  test("are created, updated and left alone by a sync; one whose file is gone is marked and kept", async () => {
    expect((await sync(file("one"), file("two"))).body).toEqual({
      created: ["one", "two"],
      updated: [],
      unchanged: [],
      missing: [],
    });
    expect((await sync(file("one", 'go to "/new"'), file("two"))).body).toMatchObject({
      updated: ["one"],
      unchanged: ["two"],
    });
    expect((await sync(file("one", 'go to "/new"'))).body).toMatchObject({
      unchanged: ["one"],
      missing: ["two"],
    });
    expect(await read("/v1/scenarios/two")).toMatchObject({ slug: "two", missing: true });
    expect((await sync(file("one", 'go to "/new"'), file("two"))).body).toMatchObject({
      updated: ["two"],
      missing: [],
    });
    const one = await read("/v1/scenarios/one");
    expect(one).toMatchObject({
      title: "Scenario one",
      path: "one.scenario.md",
      missing: false,
      covers: ["src/**"],
      last_run: null,
    });
    expect(await read(`/v1/scenarios/${one.id}`)).toEqual(one);
  });

  test("of a folder change together or not at all", async () => {
    const { status, body } = await sync(file("three"), file("four", "nonsense"), {
      ...file("three"),
      path: "copy.scenario.md",
    });
    expect(status).toBe(422);
    expect(body.message).toContain("four.scenario.md:7:4: nonsense is no verb");
    expect(body.message).toContain(
      'copy.scenario.md:1:1: the slug "three" is that of three.scenario.md already',
    );
    expect((await app.api("/v1/scenarios/three")).status).toBe(404);
    expect((await sync({ path: "", text: "" })).status).toBe(422);
    const broken = await sync({ path: "x.scenario.md", text: "---\nslug: x\ntitle: *y\n---\n" });
    expect(broken.status).toBe(422);
    expect(broken.body.message).toStartWith('x.scenario.md:3:8: "*y" stands for what "&y" names');
  });

  test("lie in the folder that was sent: paths that lead out of it are refused, and each is named", async () => {
    const paths = [
      "../../etc/x.scenario.md",
      "a/../../x.scenario.md",
      "..",
      "/etc/x.scenario.md",
      "//host/x.scenario.md",
      "a//x.scenario.md",
      "./x.scenario.md",
      "a/",
      "..\\x.scenario.md",
      "\\\\host\\share\\x.scenario.md",
      "C:\\x.scenario.md",
      "c:/x.scenario.md",
      "D:x.scenario.md",
      "a\0.scenario.md",
      "a\n.scenario.md",
    ];
    for (const path of paths) {
      const asFile = await sync({ ...file("led-out"), path });
      const named = `"files.0.path", ${JSON.stringify(path)}, `;
      expect({ path, ...asFile }).toMatchObject({ path, status: 422, body: { error: "validation_failed" } });
      expect(asFile.body.message).toContain(named);
      const recordings = [{ path, text: "{}" }];
      const asRecording = await app.api("/v1/scenarios/sync", {
        method: "POST",
        body: JSON.stringify({ files: [file("led-out")], recordings }),
      });
      expect(asRecording.status).toBe(422);
      expect(await asRecording.text()).toContain("recordings.0.path");
    }
    const many = await sync(...Array.from({ length: 5000 }, () => ({ ...file("led-out"), path: "../x" })));
    expect(many.status).toBe(422);
    expect(String(many.body.message).split("\n")).toHaveLength(22);
    expect((await app.api("/v1/scenarios/led-out")).status).toBe(404);
    expect((await sync({ ...file("led-out"), path: "a/..b/led out.scenario.md" })).status).toBe(200);
  });

  test("name recorded answers of their own folder only", async () => {
    for (const har of ["../x.har", "/etc/passwd", "a/../../x.har", "C:/x.har", "a\\\\b.har"]) {
      const clones = `clones: [{ service: record, match: "**", har: "${har}" }]`;
      const { status, body } = await sync({
        path: "har.scenario.md",
        text: `---\nslug: har\ntitle: Har\n${clones}\n---\n1. go to "/"\n`,
      });
      expect({ har, status }).toEqual({ har, status: 422 });
      expect(body.message).toStartWith("har.scenario.md:4:");
      expect(body.message).toContain("har: a file of the scenario's folder was expected");
    }
  });

  test("are listed by slug, page by page, and found by part of slug or title", async () => {
    await sync(file("a-1"), file("a-2"), file("b_100".replace("_", "-")));
    const first = (await read("/v1/scenarios?limit=2")) as { items: { slug: string }[]; next_cursor: string };
    expect(first.items.map(({ slug }) => slug)).toEqual(["a-1", "a-2"]);
    const second = (await read(`/v1/scenarios?limit=2&cursor=${first.next_cursor}`)) as typeof first;
    expect(second.items[0]?.slug).toBe("b-100");
    expect(((await read("/v1/scenarios?q=A-2")) as typeof first).items.map(({ slug }) => slug)).toEqual([
      "a-2",
    ]);
    expect(((await read("/v1/scenarios?q=%25")) as typeof first).items).toEqual([]);
    expect((await app.api("/v1/scenarios?cursor=%20")).status).toBe(422);
  });

  test("are told apart by whether they have run", async () => {
    await sync(file("ran"), file("seen"), file("idle"));
    await app.api("/v1/runs/manual", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ scenarioId: "ran" }),
    });
    await uploadTrace(app, { slug: "seen" });
    const slugs = async (hasRun: string) => {
      const { items } = (await read(`/v1/scenarios?has_run=${hasRun}`)) as { items: { slug: string }[] };
      return items.map(({ slug }) => slug).filter((slug) => ["ran", "seen", "idle"].includes(slug));
    };
    expect(await slugs("false")).toEqual(["idle"]);
    expect(await slugs("true")).toEqual(["ran", "seen"]);
    expect((await app.api("/v1/scenarios?has_run=maybe")).status).toBe(422);
  });

  test("have a JSON Schema for their frontmatter", async () => {
    expect(await read("/v1/scenarios/frontmatter.schema.json")).toMatchObject({
      type: "object",
      required: ["slug", "title"],
      additionalProperties: false,
    });
  });
});
