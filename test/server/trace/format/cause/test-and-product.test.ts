import { describe, expect, test } from "bun:test";
import { findCause } from "../../../../../server/trace/format/cause/find-cause.ts";
import {
  causeWithFiles,
  click,
  evidenceIn,
  exchange,
  failing,
  passing,
  run,
  waitedInVain,
  waiting,
} from "./run.ts";

const SPEC = "/work/tests/cart.spec.ts";
const at = (line: number) => ({ stack: [{ file: SPEC, line, column: 5 }] });
const spec = (...body: string[]) =>
  ['test("pays", async ({ page }) => {', ...body.map((line) => `  ${line}`), "});"].join("\n");
const total = 'await expect(total).toHaveText("1");';
const one = { expected: '"1"', received: '"0"' };
/** A script of the product, which changes with its size. */
const script = (size: number) =>
  exchange("/app.js", {
    ts: 500,
    resource_type: "script",
    headers: [{ name: "content-length", value: String(size) }],
  });
const first = (now: string, before: string, ...runs: [ReturnType<typeof run>, ReturnType<typeof run>]) => {
  const [suspect] = causeWithFiles([{ file: SPEC, now, before }], ...runs).suspects;
  return `${suspect?.kind}: ${suspect?.title}`;
};

describe("a test and a script of the product that both changed", () => {
  test("tell of the test, where it no longer waits for a call that was under way", () => {
    const file = (call: string) => spec(call, 'await page.goto("/cart");', total);
    const went = (size: number, took: number, text: string, end: ReturnType<typeof failing>) =>
      run(
        ...script(size),
        click("POST /api/cart", { ts: 1_000, duration_ms: took, ...at(2) }),
        click("Navigate /cart", { ts: 1_010, ...at(3) }),
        ...exchange("/api/cart", { ts: 4_900, body: `{"total":"${text}"}` }),
        end,
      );
    const told = (took: number) =>
      first(
        file("add(1);"),
        file("await add(1);"),
        went(910, took, "0", failing({ ...one, ...at(4) })),
        went(900, 5, "1", passing({ ...one, ...at(4) })),
      );
    expect(told(900)).toEndWith("so that it went on to “Navigate /cart” before “POST /api/cart” was done");
    expect(told(5)).toStartWith("answer_changed: GET /api/cart answered “0” for “total”");
  });

  test("tell of the test, where nothing could be reached as it went offline, as the passes do", () => {
    const lost = exchange("/cart/total", {
      ts: 4_900,
      status: null,
      error: "net::ERR_INTERNET_DISCONNECTED",
    });
    const offline = click("Set offline", { ts: 4_200, name: "browserContext.setOffline", ...at(2) });
    const told = (...steps: (typeof offline)[]) =>
      first(
        spec('await page.goto("/cart");', total),
        spec('await page.goto("/cart"); await kept();', total),
        run(...script(910), offline, ...lost, failing({ ...one, ...at(3) })),
        run(...script(900), ...steps, passing({ ...one, ...at(3) })),
      );
    expect(told(offline)).toStartWith("test_code: The test was changed since the last pass");
    expect(told()).toStartWith("request_failed: GET /cart/total failed: the browser was offline");
  });
});

test("a wait that is gone from a test is told with the request that was never sent", () => {
  const put = exchange("/api/cart", { ts: 3_050, method: "PUT" });
  const saved = click("Click Save", { ts: 3_000, ...at(2) });
  const again = (line: number) => click("Reload", { ts: 3_400, name: "page.reload", ...at(line) });
  const begun = ["await save.click();", "await saved.waitFor();", "await page.reload();"];
  const told = (...sent: typeof put) =>
    first(
      spec(...begun.filter((line) => !line.includes("waitFor")), total),
      spec(...begun, total),
      run(saved, ...sent, again(3), failing({ ...one, ...at(4) })),
      run(saved, ...put, again(4), passing({ ...one, ...at(5) })),
    );
  expect(told()).toContain("“await saved.waitFor();” is gone; PUT /api/cart was never sent");
  expect(told(...put)).toEndWith("“await saved.waitFor();” is gone");
});

describe("a test that was changed where it failed", () => {
  const wait =
    'await page.waitForResponse((r) => r.url().includes("/api/cart") && r.request().method() === "PUT");';
  const press = click("Click getByRole('button', { name: 'Save' })", {
    ts: 2_940,
    step_id: "press",
    name: "locator.click",
  });
  const suspects = (...put: ReturnType<typeof exchange>) => {
    const evidence = evidenceIn(
      [],
      run(press, ...put, waitedInVain(at(2))),
      run(
        waiting({ duration_ms: 150 }),
        { ...press, ts: 3_010 },
        ...exchange("/api/cart", { method: "PUT", ts: 3_100 }),
      ),
    );
    const now = spec(wait);
    evidence.run.sources = new Map([[SPEC, now]]);
    return findCause({ ...evidence, testFiles: [{ file: SPEC, now, before: spec("await saved();") }] })
      .suspects;
  };

  test("is told by the response that had come before it began to wait, with the change", () => {
    const found = suspects(...exchange("/api/cart", { method: "PUT", ts: 2_950 }));
    expect(found[0]?.title).toStartWith(
      "The response that the test waits for had come 40 ms before it began to wait: PUT /api/cart, answered with 200; the test was changed since the last pass",
    );
    expect(found.filter(({ title }) => title.includes("was changed since"))).toHaveLength(1);
  });

  test("is told by the change where none had come", () => {
    expect(suspects()[0]?.title).toStartWith("The test was changed since the last pass");
  });
});

test("a changed test is told with what it met otherwise from there on, and not with what had come before", () => {
  const file = (who: string) => spec(`await signIn("${who}");`, total);
  const went = (ts: number, permissions: string[], end: ReturnType<typeof failing>) =>
    run(
      click("Click Sign in", { ts: 3_000, ...at(2) }),
      ...exchange("/api/me", { ts, body: JSON.stringify({ permissions }) }),
      end,
    );
  const approve = {
    ...at(3),
    name: "toBeVisible",
    title: "Expect \"toBeVisible\" getByRole('button', { name: 'approve' })",
    message: "expect(locator).toBeVisible() failed\n\nLocator: getByRole('button', { name: 'approve' })",
    expected: "visible",
    received: null,
  };
  const told = (ts: number) =>
    first(
      file("clerk"),
      file("owner"),
      went(ts, ["read"], failing(approve)),
      went(ts, ["read", "approve"], passing(approve)),
    );
  expect(told(4_000)).toContain(
    'where it had “await signIn("owner");”; GET /api/me answered with 1 item for “permissions” instead of 2 items, without “approve”',
  );
  expect(told(2_000)).toEndWith('where it had “await signIn("owner");”');
});

describe("a changed line of a test", () => {
  const told = (now: string, before: string, ts = NOON) =>
    first(
      spec('await page.goto("/cart");', now),
      spec('await page.goto("/cart");', before),
      run(failing({ ...one, ...at(3), ts })),
      run(passing({ ...one, ...at(3), ts })),
    );
  const NOON = Date.UTC(2026, 10, 30, 12);

  test("that compares what it read once, where it looked until it was so before, is told so", () => {
    const once = 'expect(await total.textContent()).toBe("1");';
    expect(told(once, total)).toEndWith(": it reads that once, without waiting until it is so");
    const read = "const shown = await total.innerText();";
    expect(told(read, total)).toEndWith(": it reads that once, without waiting until it is so");
    expect(told(once, 'expect(await total.innerText()).toBe("1");')).not.toContain("reads that once");
    expect(told('await expect(total).toHaveText("2");', total)).not.toContain("reads that once");
  });

  test("that no longer waits for what it reckons with is told with what the test expects of a promise", () => {
    const lines = [
      "const before = Number(total.innerText());",
      "const before = Number(await total.innerText());",
    ];
    const [suspect] = causeWithFiles(
      [{ file: SPEC, now: spec(lines[0]!, total), before: spec(lines[1]!, total) }],
      run(failing({ ...one, ...at(3), expected: '"NaN"' })),
      run(passing({ ...one, ...at(3) })),
    ).suspects;
    expect(suspect!.title).toEndWith(": not awaited, a promise made “NaN” of what the test expects");
  });

  test("with a day that had passed when it ran is told with both days", () => {
    const pick = (day: string) => `await day.selectOption("${day}");`;
    expect(told(pick("2026-11-28"), "await day.selectOption(inDays(3));")).toEndWith(
      "; 2026-11-28 was in the past when it ran, on 2026-11-30",
    );
    expect(told(pick("2026-11-28T22:00:00Z"), pick("2026-11-28"))).not.toContain("in the past");
    expect(told(pick("2026-12-28"), pick("2026-11-28"))).not.toContain("in the past");
  });

  test("with a day that is not over west of Greenwich, or that the page's clock is set to, is told without it", () => {
    const pick = 'await day.selectOption("2026-11-29");';
    const days = "await day.selectOption(inDays(0));";
    expect(told(pick, days, NOON - 3_600_000)).not.toContain("in the past");
    expect(told(pick, days)).toContain("; 2026-11-29 was in the past");
    const clock = 'await page.clock.setFixedTime("2026-01-02");';
    expect(told(clock, "await page.clock.setFixedTime(today);")).not.toContain("in the past");
  });
});
