import { describe, expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";

const met = { expected: '"Harbour Gate"', received: '"Halifax"' };
const list = (...names: string[]) => page(`<ul>${names.map((name) => `<li>${name}</li>`).join("")}</ul>`);

/** Two questions of which the first is answered last. */
const twoAsked = (
  body: (asked: string) => object,
  answer: (name: string) => object,
  [older, newer] = ["ha", "harbour"],
) => {
  const one = (asked: string, name: string, ts: number) =>
    exchange("/rpc", {
      ts,
      method: "POST",
      media_type: "application/json",
      request: { body: JSON.stringify(body(asked)) },
      body: JSON.stringify(answer(name)),
    });
  const [asked, late] = one(older!, "Halifax", 4_000);
  const [askedLater, soon] = one(newer!, "Harbour Gate", 4_100);
  return [asked!, askedLater!, { ...soon!, ts: 4_200 }, { ...late!, ts: 4_900 }];
};

const graph = (more: object = {}, ...asked: [string, string][]) =>
  twoAsked(
    (term) => ({ operationName: "Ports", variables: { term }, ...more }),
    (name) => ({ data: { ports: [{ name }] } }),
    ...asked,
  );

describe("an older answer of one operation that came after a newer one", () => {
  const said =
    "out_of_order: The answer to POST /rpc (Ports) with “ha” for “variables.term” came 700 ms after that to POST /rpc (Ports) with “harbour” for “variables.term”, which was asked later: the page shows “Halifax”, which only the older answer has";

  test("is told by what was asked, with passes and without", () => {
    const failed = run(...graph(), list("Halifax"), failing(met));
    expect(first(failed)).toBe(said);
    const usual = run(...graph(), list("Harbour Gate"), passing(met));
    expect(first(failed, usual, usual)).toBe(said);
  });

  test("is told of JSON-RPC, whose questions are numbered", () => {
    let id = 0;
    const asked = twoAsked(
      (term) => ({ jsonrpc: "2.0", id: ++id, method: "ports.find", params: { term } }),
      (name) => ({ jsonrpc: "2.0", id, result: [{ name }] }),
    );
    expect(first(run(...asked, list("Halifax"), failing(met)))).toStartWith(
      "out_of_order: The answer to POST /rpc (ports.find) with “ha” for “params.term” came 700 ms after that to POST /rpc (ports.find) with “harbour”",
    );
  });

  test("says nothing where both answers are shown, where the newer one is, or where things were changed", () => {
    const isTold = (asked: ReturnType<typeof graph>, ...names: string[]) =>
      told(run(...asked, list(...names), failing(met)))
        .join()
        .includes("out_of_order");
    expect(isTold(graph(), "Halifax", "Harbour Gate")).toBeFalse();
    expect(isTold(graph(), "Harbour Gate")).toBeFalse();
    expect(isTold(graph({ query: "mutation Ports { a }" }), "Halifax")).toBeFalse();
    expect(isTold(graph({}, ["ha", "ha"]), "Halifax")).toBeFalse();
  });
});

test("what was asked for between an answer that came last and the newest one is no cause beside it", () => {
  const earlier = (term: string, name: string) =>
    exchange("/rpc", {
      ts: 3_900,
      method: "POST",
      media_type: "application/json",
      request: { body: JSON.stringify({ operationName: "Ports", variables: { term } }) },
      body: JSON.stringify({ data: { ports: [{ name }] } }),
    });
  const usual = run(...earlier("", "Aden"), ...graph(), list("Harbour Gate"), passing(met));
  expect(
    first(run(...earlier("h", "Hamburg"), ...graph(), list("Halifax"), failing(met)), usual, usual),
  ).toStartWith("out_of_order: ");
});

describe("an older part of a page that came after a newer one", () => {
  const found = (asked: string, name: string, ts: number, took: number) => {
    const [sent, got] = exchange(`/members?q=${asked}`, {
      ts,
      media_type: "text/html; charset=utf-8",
      body: `<ul><li>${name}</li></ul>`,
    });
    return [sent!, { ...got!, ts: ts + took }];
  };

  test("is not known by a figure on a page whose elements the test counts", () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ name: `Line ${at}`, seats: 2 }));
    const asked = (term: string, ts: number, took: number, count: number) => {
      const [sent, got] = exchange(`/lines?q=${term}`, { ts, body: JSON.stringify(rows(count)) });
      return [sent!, { ...got!, ts: ts + took }];
    };
    const count = { name: "toHaveCount", expected: "1", received: "2" };
    const cause = (html: string) =>
      told(
        run(...asked("ha", 4_000, 900, 2), ...asked("har", 4_100, 100, 0), page(html), failing(count)),
        run(...asked("ha", 4_000, 50, 2), ...asked("har", 4_100, 50, 0), page(""), passing(count)),
      );
    expect(cause("<ul><li>Harbour</li><li>2</li></ul>")[0]).not.toContain("only the older answer has");
    expect(cause("<ul><li>Line 0</li><li>Line 1</li></ul>")[0]).toContain("out_of_order");
  });

  test("is told, and what its question was answered with is no cause beside it", () => {
    const usual = run(
      ...found("ha", "Halifax", 4_000, 50),
      ...found("harbour", "Harbour Gate", 4_100, 50),
      list("Harbour Gate"),
      passing(met),
    );
    const failed = run(
      ...found("ha", "Halifax", 4_000, 900),
      ...found("harbour", "Harbour Gate", 4_100, 100),
      list("Halifax"),
      failing(met),
    );
    expect(first(failed, usual, usual)).toBe(
      "out_of_order: The answer to GET /members?q=ha came 700 ms after that to GET /members?q=harbour, which was asked later: the page shows “Halifax”, which only the older answer has",
    );
  });
});

test("an older answer of ids alone is known by how many things the page counts, in the words of every pass", () => {
  const asked = (term: string, ids: string[], ts: number, took: number) => {
    const [sent, got] = exchange(`/dishes?q=${term}`, { ts, body: JSON.stringify({ ids }) });
    return [sent!, { ...got!, ts: ts + took }];
  };
  const search = () => [...asked("c", ["a", "b", "c", "d"], 4_000, 900), ...asked("ch", ["d"], 4_100, 100)];
  const counting = (text: string) => page(`<p>${text}</p>`);
  const cause = (now: string, usually: string) =>
    told(
      run(...search(), counting(now), failing(met)),
      run(...search(), counting(usually), passing(met)),
    ).join("\n");
  expect(cause("4 dishes", "1 dish")).toStartWith(
    "out_of_order: The answer to GET /dishes?q=c came 700 ms after that to GET /dishes?q=ch, which was asked later: the page says “4 dishes”, as many as only the older answer has",
  );
  // The right count, the same in passes, another one, or in other words.
  for (const [now, usually] of [
    ["1 dish", "1 dish"],
    ["4 dishes", "4 dishes"],
    ["5 dishes", "1 dish"],
    ["Table 4", "1 dish"],
  ])
    expect(cause(now!, usually!)).not.toContain("out_of_order");
});

test("that a locator fits several elements comes of the older answer where the page shows that one", () => {
  const found = (term: string, names: string[], ts: number, took: number) => {
    const [asked, answer] = exchange(`/members?q=${term}`, {
      ts,
      media_type: "application/json",
      body: JSON.stringify(names.map((name) => ({ name }))),
    });
    return [asked!, { ...answer!, ts: ts + took }];
  };
  const ambiguous = failing({
    expected: '"Harbour Gate"',
    received: undefined,
    message: "Error: strict mode violation: locator('li') resolved to 2 elements:\n    1) <li>…</li>",
  });
  const usual = run(
    ...found("ha", ["Halifax", "Hanoi"], 4_000, 50),
    ...found("harbour", ["Harbour Gate"], 4_100, 50),
    list("Harbour Gate"),
    passing(met),
  );
  const failed = (took: number) =>
    run(
      ...found("ha", ["Halifax", "Hanoi"], 4_000, took),
      ...found("harbour", ["Harbour Gate"], 4_100, 100),
      list("Halifax", "Hanoi"),
      ambiguous,
    );
  expect(first(failed(900), usual)).toStartWith("out_of_order: The answer to GET /members?q=ha came 700 ms");
  expect(first(failed(60), usual)).toStartWith("element_ambiguous: ");
});

test("what was typed last is named, though other parameters stand behind it", () => {
  const found = (term: string, name: string, ts: number, took: number) => {
    const [asked, answer] = exchange(`/members?q=${term}&sort=name`, {
      ts,
      media_type: "application/json",
      body: JSON.stringify([{ name }]),
    });
    return [asked!, { ...answer!, ts: ts + took }];
  };
  const asked = (...last: [term: string, name: string]) =>
    run(
      ...found("ha", "Halifax", 4_000, 900),
      ...found("har", "Harwich", 4_100, 100),
      ...found(...last, 4_300, 100),
      list("Halifax"),
      failing(met),
    );
  const said = "out_of_order: The answer to GET /members?q=ha&sort=name came";
  expect(first(asked("harb", "Harbour Gate"))).toStartWith(
    `${said} 500 ms after that to GET /members?q=harb&sort=name, which was asked later`,
  );
  expect(first(asked("bo", "Bonn"))).toStartWith(
    `${said} 700 ms after that to GET /members?q=har&sort=name, which was asked later`,
  );
});

describe("where the page shows what the newer answer says", () => {
  const asked = (query: string, names: string[], ts: number, took: number) => {
    const [sent, answer] = exchange(`/shows?${query}`, {
      ...{ ts, media_type: "application/json" },
      body: JSON.stringify({ items: names.map((title) => ({ title })), total: names.length + 5 }),
    });
    return [sent!, { ...answer!, ts: ts + took }];
  };
  const isTold = (older: string[], newer: string[], shown: string[], received = '"2 shows"') =>
    told(
      run(
        ...asked("q=ha", older, 4_000, 900),
        ...asked("q=har", newer, 4_100, 100),
        list(...shown),
        failing({ expected: '"1 show"', received }),
      ),
    )
      .join()
      .includes("out_of_order");

  test("an older answer that came last is no cause", () => {
    const [older, newer] = [
      ["Halifax", "Hanoi", "Harwich"],
      ["Hanoi", "Harwich"],
    ];
    expect(isTold(older!, newer!, newer!)).toBeFalse();
    expect(isTold(["Halifax", "Hanoi"], ["Hanoi", "Harwich"], ["Harwich"])).toBeFalse();
    expect(isTold(older!, newer!, ["Nothing"])).toBeTrue();
    expect(isTold(older!, newer!, older!)).toBeTrue();
  });

  test("in its order, neither; in the older one's it is", () => {
    const [older, newer] = [
      ["Hanoi", "Harwich", "Halifax"],
      ["Halifax", "Hanoi", "Harwich"],
    ];
    expect(isTold(older!, newer!, newer!)).toBeFalse();
    expect(isTold(older!, newer!, older!)).toBeTrue();
  });

  test("a figure of the older one is not known by that it stands within another one", () => {
    const said = (received: string) =>
      told(
        run(
          ...asked("q=ha", ["Hanoi", "Harwich"], 4_000, 900),
          ...asked("q=har", ["Hanoi"], 4_100, 100),
          list(`Since 2007, ${received}`),
          failing({ expected: '"6 shows"', received: `"${received}"` }),
        ),
      ).join();
    expect(said("port 47200")).not.toContain("the page shows “7”");
    expect(said("7 shows")).toContain("the page shows “7”");
  });
});
