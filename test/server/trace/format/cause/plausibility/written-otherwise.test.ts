import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, first, page, passing, run, told } from "../run.ts";

const write = (path: string, ts: number, body: object, more: object = {}) =>
  exchange(path, {
    ts,
    method: "POST",
    status: 201,
    request: { body: JSON.stringify(body) },
    body: "{}",
    ...more,
  });
const read = (path: string, ts: number, body: object) =>
  exchange(path, { ts, media_type: "application/json", body: JSON.stringify(body) });

const shows = {
  name: "toHaveText",
  title: "Expect \"toHaveText\" getByTestId('file')",
  expected: '"scan.pdf"',
};
const without = failing({ ...shows, received: '""' });
const has = passing(shows);

describe("what was sent without a field", () => {
  const kept = (file: string | null) => read("/orders/7", 4_700, { order: { file, state: "new" } });
  const usual = (id: string) =>
    run(...write("/api/orders", 4_000, { who: "Ana", file: id }), ...kept("scan.pdf"), has);
  const passes = [usual("f3kq81zz"), usual("f9aa20pd")] as const;

  test("is told by the name that it has now, before what is read of it", () => {
    const failed = run(
      ...write("/api/orders", 4_000, { who: "Ana", fileId: "f5tt77xy" }),
      ...kept(null),
      without,
    );
    expect(first(failed, ...passes)).toBe(
      "page_changed: POST /api/orders was sent with the field fileId “f5tt77xy” in the place of the field file, which the last pass sent",
    );
  });

  test("is told by the name that a list has now", () => {
    const sent = (name: string, ids: string[]) => write("/api/orders", 4_000, { who: "Ana", [name]: ids });
    const pass = (id: string) => run(...sent("uploads", [id]), ...kept("scan.pdf"), has);
    const cause = (ids: string[]) =>
      first(
        run(...sent("attachmentIds", ids), ...kept(null), without),
        pass("up_e148e4927e"),
        pass("up_fd7d8a5554"),
      );
    expect(cause(["up_cd278da329"])).toBe(
      "page_changed: POST /api/orders was sent with the field attachmentIds “1 item” in the place of the field uploads, which the last pass sent",
    );
    expect(cause(["up_cd278da329", "up_cd278da330"])).toContain("was sent without the field uploads");
  });

  test("is told as missing where what came with it is another thing, or two", () => {
    for (const more of [{ note: "for Ana" }, { fileId: "f5tt77xy", copyId: "f6tt77xy" }])
      expect(
        told(
          run(...write("/api/orders", 4_000, { who: "Ana", ...more }), ...kept(null), without),
          ...passes,
        )[0],
      ).toStartWith("page_changed: POST /api/orders was sent without the field file");
  });

  test("is what the same thing says by another name afterwards, and not what was sent as usual, or tells of the client", () => {
    const say = { ...shows, expected: '"£24.00 for Ana"' };
    const priced = (total: string) => read("/orders/7", 4_700, { order: { total } });
    const pass = (more: object) =>
      run(
        ...write("/api/orders", 4_000, { who: "Ana", cover: true, build: "b7", ...more }),
        ...priced("£24.00 for Ana"),
        passing(say),
      );
    const cheap = failing({ ...say, received: '"£18.00 for Ana"' });
    const of = (sent: object, more = {}) =>
      first(
        run(...write("/api/orders", 4_000, sent), ...priced("£18.00 for Ana"), cheap),
        pass(more),
        pass(more),
      );
    expect(of({ who: "Ana", build: "b7" })).toBe(
      "page_changed: POST /api/orders was sent without the field cover “true”, which the last pass sent",
    );
    expect(of({ who: "Ana", cover: true, build: "b8" })).toStartWith("answer_changed: GET /orders/7");
    const all = { who: "Ana", cover: true, build: "b7" };
    expect(of({ ...all, terms: "short" }, { terms: "full" })).toContain("the field terms “short”");
    expect(of({ ...all, tookMs: 31 }, { tookMs: 12 })).toStartWith("answer_changed: GET /orders/7");
    const total = { total: "£24.00 for Ana" };
    expect(of({ who: "Ana", build: "b7", ...total }, total)).toStartWith("answer_changed: GET /orders/7");
  });

  test("is no cause of what is read of another thing by another name, nor where an answer before it or a refusal made the page send it so", () => {
    const left = write("/api/orders", 4_000, { who: "Ana" });
    const bill = (state: string) => read("/bills/7", 4_600, { bill: { state } });
    const billed = (id: string) =>
      run(...write("/api/orders", 4_000, { who: "Ana", file: id }), ...bill("scan.pdf"), has);
    expect(
      first(run(...left, ...bill("scan.pdf lost"), without), billed("f3kq81zz"), billed("f9aa20pd")),
    ).toStartWith("answer_changed: GET /bills/7");
    const draft = (file: string | null) => read("/draft", 3_500, { file, of: "scan.pdf" });
    const given = (id: string) =>
      run(
        ...draft("scan.pdf"),
        ...write("/api/orders", 4_000, { who: "Ana", file: id }),
        ...kept("scan.pdf"),
        has,
      );
    expect(
      first(run(...draft(null), ...left, ...kept(null), without), given("f3kq81zz"), given("f9aa20pd")),
    ).toStartWith("answer_changed: GET");
    const upload = (status: number) => exchange("/uploads", { ts: 3_800, method: "POST", status });
    const uploaded = (id: string) =>
      run(...upload(201), ...write("/api/orders", 4_000, { who: "Ana", file: id }), ...kept("scan.pdf"), has);
    expect(
      first(run(...upload(500), ...left, ...kept(null), without), uploaded("f3kq81zz"), uploaded("f9aa20pd")),
    ).not.toStartWith("page_changed:");
  });
});

describe("a place in a list in the place of an id", () => {
  const result = (points: number) =>
    exchange("/api/tries/t4k9z1/end", { ts: 4_800, method: "POST", body: JSON.stringify({ points }) });
  const scored = {
    name: "toHaveText",
    title: "Expect \"toHaveText\" getByTestId('points')",
    expected: '"3 points"',
  };
  const answers = (...ids: unknown[]) =>
    ids.flatMap((option, at) =>
      write("/api/tries/t4k9z1/answers", 4_000 + at * 100, { at: `q${at}`, option }),
    );
  const usual = (...ids: string[]) => run(...answers(...ids), ...result(3), passing(scored));
  const passes = [usual("opt_a81f", "opt_c20d"), usual("opt_77be", "opt_e19a")] as const;
  const none = failing({ ...scored, received: '"0 points"' });

  test("is told once, before what the answers came to", () => {
    const all = told(run(...answers("1", "0"), ...result(0), none), ...passes);
    expect(all[0]).toBe(
      "page_changed: POST /api/tries/t4k9z1/answers was sent with the field option “1” where the last pass sent the id “opt_a81f”",
    );
    expect(all.filter((title) => title.startsWith("page_changed:"))).toHaveLength(1);
  });

  test("is told for nothing at all too, and not for another id or a number that passes send", () => {
    expect(first(run(...answers(null, null), ...result(0), none), ...passes)).toContain(
      "the field option “null”",
    );
    expect(first(run(...answers("opt_5f5f", "opt_6e6e"), ...result(0), none), ...passes)).toStartWith(
      "answer_changed:",
    );
    const counted = (...counts: number[]) => run(...answers(...counts), ...result(3), passing(scored));
    expect(first(run(...answers(1, 0), ...result(0), none), counted(4, 5), counted(7, 6))).toStartWith(
      "answer_changed:",
    );
  });
});

test("what an answer had said otherwise by the same name comes before what is sent of it", () => {
  const me = (teamId: string | null) => read("/api/me", 3_000, { name: "Ana", teamId });
  const add = (teamId: string | null) => write("/api/members", 4_000, { who: "Bo", teamId });
  const listed = (...names: string[]) =>
    read("/api/members", 4_600, { members: names.map((name) => ({ name })) });
  const usual = (id: string) => run(...me(id), ...add(id), ...listed("Ana", "Bo"), passing());
  const failed = run(...me(null), ...add(null), ...listed("Ana"), failing());
  expect(first(failed, usual("team_a81f"), usual("team_77be"))).toBe(
    "answer_changed: GET /api/me answered “null” for “teamId”, where the last pass had a value",
  );
});

test("an answer is no more telling for what is sent of it and comes to nothing", () => {
  const feed = (total: number) => read("/api/feed", 3_000, { total });
  const seen = (total: number) => write("/api/seen", 4_000, { total });
  const usual = () => run(...feed(8), ...seen(8), passing());
  const of = (...events: Parameters<typeof run>) =>
    causeOf(run(...events, failing()), usual(), usual()).suspects[0];
  expect(of(...feed(7), ...seen(7))).toEqual(of(...feed(7))!);
});

describe("a list that was sent in the order of before", () => {
  const list = (ts: number, ...ids: string[]) =>
    read("/things", ts, { items: ids.map((id) => ({ id: `${id}1x2`, name: `Thing ${id}` })) });
  const sort = (...ids: string[]) => [
    click("Drag Thing c", { name: "dragTo", ts: 4_000 }),
    ...exchange("/api/sorting", {
      ts: 4_100,
      method: "PUT",
      request: { body: JSON.stringify({ ids: ids.map((id) => `${id}1x2`) }) },
    }),
  ];
  const top = {
    name: "toHaveText",
    title: "Expect \"toHaveText\" getByRole('listitem').first()",
    expected: '"Thing c"',
  };
  const usual = () =>
    run(...list(3_000, "a", "b", "c"), ...sort("c", "a", "b"), ...list(4_600, "c", "a", "b"), passing(top));

  test("is what a list in another order than usual came of, under whatever address", () => {
    const failed = run(
      ...list(3_000, "a", "b", "c"),
      ...sort("a", "b", "c"),
      ...list(4_600, "a", "b", "c"),
      failing({ ...top, received: '"Thing a"' }),
    );
    expect(first(failed, usual(), usual())).toBe(
      "page_changed: PUT /api/sorting was sent with “ids” in the order that GET /things had answered before: nothing in it was moved",
    );
  });

  test("is not told where the new order was sent and the old one is read", () => {
    const failed = run(
      ...list(3_000, "a", "b", "c"),
      ...sort("c", "a", "b"),
      ...list(4_600, "a", "b", "c"),
      failing({ ...top, received: '"Thing a"' }),
    );
    expect(first(failed, usual(), usual())).toStartWith("answer_changed: GET /things");
  });
});

const met = (step: string, html: string, ts: number) =>
  page(html.replace("<found ", `<${html.includes("textarea") ? "textarea" : "button"} `), {
    step_id: step,
    ts,
    phase: "action",
  });

describe("a field that lost its name", () => {
  const fill = click("Fill getByLabel('Note')", {
    name: "fill",
    ts: 4_000,
    params: { selector: "label=Note", value: "Ring twice" },
  });
  const field = (attributes: string) =>
    met(
      "Fill getByLabel('Note')",
      `<form><textarea aria-label="Note" __playwright_target__="" ${attributes}></textarea></form>`,
      4_005,
    );
  const BOUNDARY = "----Boundary81";
  const form = (fields: Record<string, string>) =>
    exchange("/notes", {
      ts: 4_200,
      method: "POST",
      status: 201,
      request: {
        headers: [{ name: "content-type", value: `multipart/form-data; boundary=${BOUNDARY}` }],
        body: `${Object.entries(fields)
          .map(
            ([name, value]) =>
              `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
          )
          .join("")}--${BOUNDARY}--\r\n`,
      },
    });
  const listed = (note: string) => read("/notes/1", 4_700, { note, to: "Ana" });
  const shown = {
    name: "toHaveText",
    title: "Expect \"toHaveText\" getByTestId('note')",
    expected: '"Ring twice"',
  };
  const usual = () =>
    run(
      fill,
      field('name="note"'),
      ...form({ to: "Ana", note: "Ring twice" }),
      ...listed("Ring twice"),
      passing(shown),
    );
  const empty = failing({ ...shown, received: '""' });

  test("is told with the request that was sent without it", () => {
    const failed = run(fill, field(""), ...form({ to: "Ana" }), ...listed(""), empty);
    expect(first(failed, usual(), usual())).toBe(
      "page_changed: “Fill getByLabel('Note')” found a textbox “Note” without name, where the last pass has name=\"note\"; POST /notes was sent without the field note “Ring twice”, which the last pass sent",
    );
  });

  test("is told of the page that was served without it", () => {
    const served = (attributes: string) =>
      exchange("/new", {
        resource_type: "document",
        media_type: "text/html",
        ts: 3_000,
        body: `<form action="/notes" method="post"><textarea ${attributes}></textarea></form>`,
      });
    const pass = () =>
      run(
        ...served('name="note"'),
        fill,
        ...form({ to: "Ana", note: "Ring twice" }),
        ...listed("Ring twice"),
        passing(shown),
      );
    expect(
      first(run(...served(""), fill, ...form({ to: "Ana" }), ...listed(""), empty), pass(), pass()),
    ).toBe(
      'answer_changed: GET /new came without “<textarea name="note">”, which it has in the last pass; POST /notes was sent without the field note “Ring twice”, which the last pass sent',
    );
  });

  test("is told of a form that was refused, though recorders keep no form with a file in it", () => {
    const served = (attributes: string) =>
      exchange("/new", {
        resource_type: "document",
        media_type: "text/html",
        ts: 3_000,
        body: `<form action="/notes" method="post"><textarea ${attributes}></textarea><input type="file" name="scan"></form>`,
      });
    const post = (status: number) => exchange("/notes", { ts: 4_200, method: "POST", status });
    expect(
      first(
        run(...served(""), fill, ...post(422), empty),
        run(...served('name="note"'), fill, ...post(303), passing(shown)),
      ),
    ).toBe(
      'request_failed: POST /notes was answered with 422; GET /new came without “<textarea name="note">”, which it has in the last pass',
    );
  });

  test("explains nothing where a script sends what was typed all the same", () => {
    const failed = run(fill, field(""), ...form({ to: "Ana", note: "Ring twice" }), ...listed(""), empty);
    expect(told(failed, usual(), usual()).join()).not.toContain(
      'with no name, where the last pass has name="note"; POST',
    );
  });
});

describe("a button that lost its type", () => {
  const CLICK = "Click getByRole('button', { name: 'Add' })";
  const press = click(CLICK, { ts: 4_000 });
  const button = (attributes: string) =>
    met(CLICK, `<form><button __playwright_target__="" ${attributes}>Add</button></form>`, 4_005);
  const save = (ts: number, ...steps: string[]) => write("/plan", ts, { steps });
  const usual = () => run(press, button('type="button"'), ...save(4_800, "a", "b"), passing());

  test("is told with what it sends at once", () => {
    expect(first(run(press, button(""), ...save(4_050, "a"), failing()), usual(), usual())).toBe(
      `page_changed: “${CLICK}” found a button “Add” without type, so that it submits its form, where the last pass has type="button"; POST /plan was sent with the field steps “1 item” where the last pass sent “2 items”`,
    );
  });

  test("is told of the page that was served so, with what the last action sent", () => {
    const served = (attributes: string) =>
      exchange("/plan", {
        resource_type: "document",
        media_type: "text/html",
        ts: 1_000,
        body: `<form method="post"><button ${attributes}>Add</button></form>`,
      });
    const pass = () => run(...served('type="button"'), press, ...save(4_800, "a", "b"), passing());
    const told = (ts: number) =>
      first(run(...served('type="submit"'), press, ...save(ts, "a"), failing()), pass(), pass());
    expect(told(4_050)).toStartWith('answer_changed: GET /plan came with type="submit" in <button');
    expect(told(4_050)).toContain("; POST /plan was sent with the field steps “1 item”");
    expect(told(3_000)).not.toContain("; POST /plan was sent");
  });

  test("is not told with what is sent a while later, nor where it has another type that sends nothing", () => {
    const late = click("Click Save", { ts: 6_500 });
    const waited = () =>
      run(press, button('type="button"'), late, ...save(6_600, "a", "b"), passing({ ts: 7_000 }));
    expect(
      told(
        run(press, button(""), late, ...save(6_600, "a"), failing({ ts: 7_000 })),
        waited(),
        waited(),
      ).join(),
    ).not.toContain('type="button"; POST');
    expect(
      told(run(press, button('type="reset"'), ...save(4_050, "a"), failing()), usual(), usual()).join(),
    ).not.toContain("; POST");
  });
});

test("an id without a figure is no other value where it begins as those of the passes do", () => {
  const quote = (id: string) => [
    ...exchange("/api/quote", { ts: 3_900, method: "POST", body: JSON.stringify({ quote: id }) }),
    ...write("/api/trips", 4_000, { quote: id, seats: 2 }),
  ];
  const usual = (id: string) => run(...quote(id), passing());
  const passes = [usual("q_e81fa0bc7"), usual("q_77be1c04d")] as const;
  expect(told(run(...quote("q_kxwtbzprm"), failing()), ...passes).join()).not.toContain("q_");
  expect(told(run(...quote("q_x"), failing()), ...passes).join()).toContain("“q_x” for “quote”");
  expect(told(run(...quote("special"), failing()), ...passes).join()).toContain("“special” for “quote”");
});
