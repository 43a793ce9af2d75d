import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { setSearchText } from "../../../store/records/search.ts";
import { searchTerms } from "../../../store/records/search-text.ts";
import { listTraces } from "../../../store/records/trace-list.ts";
import { removeTrace, traceOrd } from "../../../store/records/traces.ts";
import { type TestRecords, testRecords } from "../../helpers/records.ts";

setDefaultTimeout(120_000);

let store: TestRecords;
beforeAll(async () => {
  store = await testRecords();
});
afterAll(() => store.close());

const NOTHING = {
  title: "",
  failure: "",
  console: "",
  requests: "",
  assertions: "",
  thoughts: "",
  steps: "",
  kinds: [],
};

async function find(text: string): Promise<string[]> {
  const words = searchTerms(text);
  if (words === null) return [];
  const { traces: found } = await listTraces(store.records, { orgId: store.orgId, words, limit: 200 });
  return found.map(({ id }) => id);
}

async function indexed(text: Partial<typeof NOTHING>): Promise<string> {
  const id = await store.trace(store.orgId, { scenario_title: "x" });
  await setSearchText(store.records, traceOrd(id), { ...NOTHING, ...text });
  return id;
}

describe("searching traces", () => {
  test("whatever is typed, the search answers", async () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.string({
        unit: fc.constantFrom(..."\"*^:(){}-+'`;,.\\ aORNEAR|&<>\u0301\uE000\uFDD0"),
        maxLength: 30,
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        hostile.map((text) => text.replaceAll("\0", "")),
        async (text) => expect(await find(text)).toBeArray(),
      ),
      { numRuns: 1000 },
    );
  });

  test("words, phrases and beginnings find what reading the text finds", async () => {
    const word = fc.constantFrom("alpha", "alps", "beta", "Betamax", "gamma", "ÜBER");
    const text = fc.array(word, { maxLength: 6 });
    const term = fc.oneof(
      word.map((one) => ({ typed: one, words: [one], isPrefix: false })),
      word.map((one) => ({ typed: `${one.slice(0, 3)}*`, words: [one.slice(0, 3)], isPrefix: true })),
      fc
        .array(word, { minLength: 1, maxLength: 3 })
        .map((words) => ({ typed: `"${words.join(", ")}"`, words, isPrefix: false })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 4 }),
        fc.array(term, { minLength: 1, maxLength: 3 }),
        async (texts, terms) => {
          const ids: string[] = [];
          for (const words of texts) ids.push(await indexed({ console: words.join(" / ") }));
          const found = await find(terms.map(({ typed }) => typed).join(" "));
          const expected = ids.filter((_, index) => terms.every((one) => contains(texts[index]!, one)));
          expect(found).toEqual(expected.reverse());
          for (const id of ids) await removeTrace(store.records, id);
        },
      ),
      { numRuns: 150 },
    );
  });

  function contains(text: string[], term: { words: string[]; isPrefix: boolean }): boolean {
    const have = text.map((word) => word.toLowerCase());
    const want = term.words.map((word) => word.toLowerCase());
    return have.some((_, at) =>
      want.every((word, index) => {
        const candidate = have[at + index];
        const isLast = index === want.length - 1;
        return term.isPrefix && isLast ? candidate?.startsWith(word) : candidate === word;
      }),
    );
  }

  test.each([
    ["C++ runtime", "c++"],
    ["mail user@x.io bounced", "user@x.io"],
    ["GET https://playwright.dev/docs?a=1", "playwright.dev"],
    ["GET https://playwright.dev/docs?a=1", '"dev docs"'],
    ["Größe fehlt", "größe"],
    ["Café geschlossen", "cafe"],
    ["-foo bar", "-foo"],
    ["not near or and", "NOT NEAR"],
    ["checkout-page", "check*"],
  ])("%j is found by %j", async (text, typed) => {
    const id = await indexed({ failure: text });
    expect(await find(typed)).toEqual([id]);
    await removeTrace(store.records, id);
  });

  test.each([["***"], ['"'], ["- + ("], ["\uE000\uE001"]])(
    "punctuation alone, %j, finds nothing",
    (typed) => {
      expect(searchTerms(typed)).toBeNull();
    },
  );

  test("each of the six texts is searched, and a new text takes the place of the old", async () => {
    const text = {
      title: "aa1",
      failure: "bb2",
      console: "cc3",
      requests: "dd4",
      assertions: "ee5",
      thoughts: "ff6",
    };
    const id = await indexed(text);
    for (const word of Object.values(text)) expect(await find(word)).toEqual([id]);
    await setSearchText(store.records, traceOrd(id), { ...NOTHING, title: "gg7" });
    expect(await find("aa1")).toEqual([]);
    expect(await find("gg7")).toEqual([id]);
    await removeTrace(store.records, id);
    expect(await find("gg7")).toEqual([]);
  });
});
