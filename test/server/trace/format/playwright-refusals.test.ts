import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { PlaywrightRefusal } from "../../../../server/trace/format/playwright/source.ts";
import { openZip } from "../../../../store/archives/zip.ts";
import { after, before, lines, options, read } from "./playwright-harness.ts";

const refusal = (files: Record<string, string>) =>
  read(files).then(
    () => null,
    (error: unknown) => error as PlaywrightRefusal,
  );

describe("refusals", () => {
  test("a newer version is refused, naming both versions and the place", async () => {
    const error = await refusal({ "trace.trace": lines({ ...options, version: 11 }) });
    expect(error?.kind).toBe("bundle_unreadable");
    expect(error?.message).toContain("trace.trace, line 1");
    expect(error?.message).toContain("format version 11");
    expect(error?.message).toContain("up to 10");
  });

  test.each([
    [{}, "is empty"],
    [{ "a.png": "", "b.txt": "" }, 'only "a.png", "b.txt"'],
    [{ "index.html": "", "data/x.png": "" }, "HTML report"],
    [{ "report.jsonl": "" }, "blob report"],
    [{ "run/trace.zip": "" }, "other archives"],
  ])("an archive without a trace file (%j) is refused, saying what it looks like", async (files, words) => {
    const error = await refusal(files);
    expect(error).toBeInstanceOf(PlaywrightRefusal);
    expect(error?.message).toContain(words);
  });

  test("a trace file that is no JSON at all is refused, naming file and line", async () => {
    const error = await refusal({ "trace.trace": "PNG\u0000\n" });
    expect(error?.kind).toBe("bundle_unreadable");
    expect(error?.message).toContain("trace.trace, line 1");
  });

  test.each([["10"], [1.5], [-1], [null], [{}]])("the version %j is refused", async (version) => {
    expect((await refusal({ "trace.trace": lines({ ...options, version }) }))?.kind).toBe(
      "bundle_unreadable",
    );
  });
});

describe("salvage", () => {
  test("a last line that was cut is left out and told", async () => {
    const whole = lines(options, before("c@1", 1100), after("c@1", 1200));
    const { events, warnings } = await read({ "trace.trace": `${whole}{"type":"console","te` });
    expect(events.length).toBe(1);
    expect(warnings).toEqual(["trace.trace ends inside line 4; it was read up to the line before."]);
  });

  test("broken lines in the middle are left out and counted", async () => {
    const text = `${lines(options)}{"a\n[1]\n${lines(before("c@1", 1100), after("c@1", 1200))}`;
    const { events, warnings } = await read({ "trace.trace": text });
    expect(events.length).toBe(1);
    expect(warnings).toEqual(["trace.trace: 2 lines are unreadable and left out, the first is line 2."]);
  });

  test("unreadable stacks cost only the stacks", async () => {
    const { events, warnings } = await read({
      "trace.trace": lines(options, before("c@1", 1100), after("c@1", 1200)),
      "trace.stacks": '{"files":',
    });
    expect(events.length).toBe(1);
    expect(warnings).toEqual(["trace.stacks is unreadable: calls come without their stacks."]);
  });
});

describe("hostile lines", () => {
  const deep = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as unknown;

  test("values of any depth can be serialised again", async () => {
    const text = `${lines(options)}${JSON.stringify(before("c@1", 1100)).replace('"#pay"', "[".repeat(50_000) + "]".repeat(50_000))}\n`;
    const { events } = await read({ "trace.trace": text });
    expect(JSON.stringify(events).length).toBeLessThan(5_000);
  });

  test("__proto__ changes nothing", async () => {
    const text = `${lines(options)}{"type":"before","callId":"c@1","startTime":1100,"class":"Frame","method":"__proto__","params":{"__proto__":{"polluted":true},"constructor":{"a":1}}}\n`;
    const { events } = await read({ "trace.trace": text });
    expect(events[0]?.name).toBe("page.__proto__");
    expect(JSON.stringify(events[0]?.params)).toBe('{"constructor":{"a":1}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("an endless number of actions is refused before it fills the memory", async () => {
    const endless = Array.from({ length: 300_002 }, (_, i) => `{"type":"before","callId":"${i}"}`);
    const error = await refusal({ "trace.trace": `${lines(options)}${endless.join("\n")}\n` });
    expect(error?.message).toContain("more events than can be shown");
  });

  test("steps that are each other's parents make no ring", async () => {
    const { events } = await read({
      "trace.trace": lines(
        options,
        before("a", 1100, { parentId: "b" }),
        before("b", 1100, { parentId: "a" }),
      ),
    });
    expect(events.map(({ step_id, parent_step_id }) => [step_id, parent_step_id])).toEqual([
      ["a", undefined],
      ["b", "a"],
    ]);
  });

  test("times beyond every clock are bounded", async () => {
    const { events, result } = await read({
      "trace.trace": lines(
        { ...options, wallTime: 8e15, monotonicTime: -1e300 },
        before("c@1", 1e300),
        after("c@1", -1e300),
        { type: "console", text: "x", time: 1e308 },
      ),
    });
    expect(events.every(({ ts }) => Number.isSafeInteger(ts) && ts >= 0)).toBe(true);
    expect(Number.isSafeInteger(result.endedAt)).toBe(true);
  });

  test("any JSON in any field is read without a crash", async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constant(deep(200)),
      fc.constantFrom(1e308, -1, "", "\ud800", "__proto__"),
    );
    const type = fc.constantFrom(
      ..."context-options before input after log action object event console stdout stderr error screencast-frame".split(
        " ",
      ),
      ..."screenshot frame-snapshot resource-snapshot anything".split(" "),
    );
    const key = fc.constantFrom(
      ..."callId startTime endTime class method apiName title params parentId stepId wallTime metadata snapshot time".split(
        " ",
      ),
      ..."text location error message stack point log attachments timestamp file sha1 base64 pageId options guid".split(
        " ",
      ),
    );
    const line = fc
      .tuple(type, fc.dictionary(key, value, { maxKeys: 8 }))
      .map(([kind, fields]) => ({ ...fields, type: kind }));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 10 }),
        fc.array(line, { maxLength: 12 }),
        async (version, found) => {
          const { events } = await read({ "trace.trace": lines({ ...options, version }, ...found) });
          for (const event of events) {
            expect(Number.isSafeInteger(event.ts)).toBe(true);
            expect(JSON.parse(JSON.stringify(event))).toBeObject();
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

test("no mutation of a real trace crashes the reader", async () => {
  const fixtures = join(import.meta.dir, "../../../../fixtures/playwright");
  const texts: Record<string, string>[] = [];
  for (const name of ["v1-passing", "v3-failing", "v4-passing", "v8-runner-failing", "v10-runner-failing"]) {
    const archive = await openZip(join(fixtures, name, "trace.zip"));
    const files = archive.members.filter((member) => /\.(trace|network|stacks)$/.test(member.name));
    texts.push(
      Object.fromEntries(
        await Promise.all(
          files.map(async (file) => [file.name, new TextDecoder().decode(await archive.read(file))]),
        ),
      ),
    );
    await archive.close();
  }
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat({ max: 200 }),
    insert: fc.constantFrom("", "\n", '"', "{", "}", "null", "1e999", "\u0000", ',"x":{}', "[[[["),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...texts),
      fc.array(edit, { minLength: 1, maxLength: 6 }),
      async (files, edits) => {
        const names = Object.keys(files);
        const mutated = { ...files };
        for (const { at, remove, insert } of edits) {
          const name = names[Math.floor(at * 7919) % names.length]!;
          const position = Math.floor(at * mutated[name]!.length);
          mutated[name] =
            mutated[name]!.slice(0, position) + insert + mutated[name]!.slice(position + remove);
        }
        const outcome = await read(mutated).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(PlaywrightRefusal);
      },
    ),
    { numRuns: 150 },
  );
}, 120_000);
