import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compileScenario, referencesIn, showText } from "../../../../server/run/language/compile.ts";
import { formatProblem } from "../../../../server/run/language/problem.ts";
import { readStep } from "../../../../server/run/language/steps.ts";

const HEAD = "---\nslug: guest-checkout\ntitle: Guest checkout\n---\n";

const compile = (text: string, others: Record<string, string> = {}) =>
  compileScenario({ name: "a.scenario.md", text }, (slug) =>
    others[slug] === undefined ? null : { name: `${slug}.scenario.md`, text: others[slug] },
  );
const problems = (text: string, others?: Record<string, string>) =>
  compile(text, others).problems.map(formatProblem);
const action = (step: string) => {
  const read = readStep(step, 0);
  if (!("action" in read)) throw new Error(`${step} is no action`);
  return read.action;
};

describe("a scenario file", () => {
  test("compiles to its frontmatter with defaults and its numbered lines", () => {
    const { scenario } = compile(
      [
        "---",
        "slug: guest-checkout",
        "title: Guest checkout",
        "base_url: http://127.0.0.1:4180",
        'covers: ["src/checkout/**"]',
        'schedule: { cron: "*/5 * * * *", regions: [us-east-1, eu-west-1], shadow_prod: true, timezone: UTC }',
        "mender: { mode: suggestive, cache: never }",
        'clones: [{ service: payments, match: "https://api.payments.test/**" }]',
        "timeout: 1m30s",
        "---",
        "# A guest buys",
        "Prose, and 3. not a step.",
        '1. go to "/"',
        '2. click button "Add to cart"',
        "",
        "```",
        '9. click button "in an example"',
        "```",
        "<!--",
        '10. click button "commented out"',
        "-->",
        '3) fill field "Email" with "${synthetic.email}"',
        '4. fill field "Card" with "${secrets.TEST_CARD}"',
        '5. expect text "Order confirmed" within 5s',
      ].join("\r\n"),
    );
    expect(scenario).toMatchObject({
      version: 1,
      slug: "guest-checkout",
      base_url: "http://127.0.0.1:4180",
      covers: ["src/checkout/**"],
      schedule: {
        cron: "*/5 * * * *",
        timezone: "UTC",
        regions: ["us-east-1", "eu-west-1"],
        shadow_prod: true,
      },
      mender: { mode: "suggestive", cache: "never" },
      clones: [{ service: "payments", match: "https://api.payments.test/**" }],
      timeout_ms: 90_000,
      idempotent: false,
      secrets: ["TEST_CARD"],
    });
    expect(scenario?.steps.map(({ id, at, source }) => `${id} ${at.line}:${at.column} ${source}`)).toEqual([
      's1 13:4 go to "/"',
      's2 14:4 click button "Add to cart"',
      's3 22:4 fill field "Email" with "${synthetic.email}"',
      's4 23:4 fill field "Card" with "${secrets.TEST_CARD}"',
      's5 24:4 expect text "Order confirmed" within 5s',
    ]);
    expect(scenario?.steps[3]?.action).toEqual({
      verb: "fill",
      target: { by: "field", value: "Card" },
      value: { parts: [{ ref: "secrets.TEST_CARD" }] },
    });
    expect(scenario?.steps[4]).toMatchObject({ within_ms: 5000, from: null });
  });

  test("tells of everything that is wrong at once, each with line and column in code points", () => {
    expect(
      problems(
        `${HEAD}1. clik button "Pay"\n2. fill field "Émail 😀" wiht "x"\n3. wait 5 s\n4. expect text “hi”\n5. go to "/\n6. press "\${secrets.KEY}"\n7. goto "/"\n8. waitFor text "Hi"`,
      ),
    ).toEqual([
      'a.scenario.md:5:4: clik is no verb; did you mean "click"?',
      'a.scenario.md:6:25: "with" was expected, not wiht; did you mean "with"?',
      'a.scenario.md:7:9: "for" or a duration such as 250ms, 5s, 2h or 1h30m was expected, not 5',
      'a.scenario.md:8:16: text stands in straight quotes ("), not in “',
      'a.scenario.md:9:10: the text that begins here is not closed with "',
      "a.scenario.md:10:10: a key, such as Enter or Control+A, is read before the run, so it can hold no reference",
      'a.scenario.md:11:4: goto is no verb; did you mean "go to"?',
      'a.scenario.md:12:4: waitFor is no verb; did you mean "wait for"?',
    ]);
  });

  test("refuses to wait longer than any run takes", () => {
    const steps = '1. wait 25h\n2. click button "x" within 25d\n3. inject latency 30d on "**"\n4. wait 24h';
    const message = "no step takes that long: at most 24h was expected";
    expect(problems(`${HEAD}${steps}`)).toEqual([
      `a.scenario.md:5:9: ${message}`,
      `a.scenario.md:6:28: ${message}`,
      `a.scenario.md:7:19: ${message}`,
    ]);
  });

  test("needs frontmatter that is closed, known and complete", () => {
    const head = (yaml: string) => problems(`---\n${yaml}\n---\n1. go to "/"`);
    expect(problems('1. go to "/"')[0]).toStartWith(
      "a.scenario.md:1:1: a scenario begins with its frontmatter",
    );
    expect(problems('---\nslug: a\ntitle: A\n1. go to "/"')[0]).toContain("is not closed with ---");
    expect(head("slug: a")).toEqual([
      "a.scenario.md:2:1: title is missing: what it shows, for people, in at most 200 characters was expected",
    ]);
    expect(head("slug: a\ntitle: A\nschedul:\n  cron: x")).toEqual([
      'a.scenario.md:4:1: "schedul" is no key here; did you mean "schedule"?',
    ]);
    expect(head("slug: Guest Checkout\ntitle: A")[0]).toStartWith(
      "a.scenario.md:2:7: slug: lower case letters",
    );
    const several = head("slug: Guest Checkout\ntitle: 5\ncovr: []\ntimeout: 7 parsecs");
    expect(several.map((problem) => problem.split(":")[1])).toEqual(["2", "3", "4", "5"]);
    expect(head("slug: a\ntitle: A\nschedule:\n  timezone: Mars/Olympus")).toEqual([
      'a.scenario.md:5:13: "Mars/Olympus" is no IANA time zone such as Europe/Berlin',
    ]);
    expect(head("slug: a\ntitle: A\nschedule: { cron: never }")[0]).toStartWith(
      "a.scenario.md:4:19: schedule.cron:",
    );
    expect(head("slug: a\ntitle: A\nmender: { mode: automatic }")).toEqual([
      "a.scenario.md:4:17: mender.mode: suggestive was expected",
    ]);
    expect(head('slug: a\ntitle: A\nclones: [{ service: record, match: "**" }]')[0]).toStartWith(
      "a.scenario.md:4:10: a record clone answers from a file",
    );
    expect(head("slug: a\ntitle: [unclosed")[0]).toStartWith("a.scenario.md:3:");
    expect(head("slug: a\nslug: b\ntitle: A")[0]).toStartWith("a.scenario.md:3:1:");
    expect(problems(HEAD)[0]).toContain("there is no step");
  });

  test("takes the steps of another in, and says where they come from", () => {
    const signIn = '---\nslug: sign-in\ntitle: Sign in\n---\n1. go to "/login"\n2. set user to "ada"';
    const { scenario } = compile(`${HEAD}1. use "sign-in"\n2. expect text "Hello \${vars.user}"`, {
      "sign-in": signIn,
    });
    expect(scenario?.steps.map(({ id, from, at }) => `${id} ${from} ${at.file}:${at.line}`)).toEqual([
      "s1 sign-in sign-in.scenario.md:5",
      "s2 sign-in sign-in.scenario.md:6",
      "s3 null a.scenario.md:6",
    ]);
    expect(problems(`${HEAD}1. use "sign-out"`)).toEqual([
      'a.scenario.md:5:8: there is no scenario "sign-out" in this folder or below',
    ]);
    expect(problems(`${HEAD}1. use "guest-checkout"`)[0]).toContain("would use itself");
    const loop = '---\nslug: b\ntitle: B\n---\n1. use "c"';
    const back = '---\nslug: c\ntitle: C\n---\n1. use "b"';
    expect(problems(`${HEAD}1. use "b"`, { b: loop, c: back })[0]).toContain("guest-checkout → b → c → b");
    expect(problems(`${HEAD}1. use "b"`, { b: "---\nslug: b\ntitle: B\n---\n1. nonsense" })).toEqual([
      expect.stringContaining("b.scenario.md:5:4: nonsense is no verb"),
      'a.scenario.md:5:8: "b" cannot be used before its own problems are solved',
    ]);
  });

  test("refers to variables that are set before, and to clones that it names", () => {
    expect(problems(`${HEAD}1. fill field "A" with "\${vars.order}"\n2. set order to "1"`)).toEqual([
      'a.scenario.md:5:25: no step before this one sets "order"',
    ]);
    expect(problems(`${HEAD}1. go to "\${clones.payments.url}/x"`)).toEqual([
      'a.scenario.md:5:11: the frontmatter names no clone of "payments"',
    ]);
    expect(problems(`${HEAD}1. go to "\${env.HOME}"`)[0]).toContain("${env.HOME} refers to nothing");
  });
});

describe("steps", () => {
  test("say what to do with what", () => {
    expect(action('double click link "Terms" nth 2 in region "Footer"')).toEqual({
      verb: "double_click",
      target: {
        by: "role",
        role: "link",
        value: "Terms",
        nth: 2,
        in: { by: "role", role: "region", value: "Footer" },
      },
    });
    expect(action('select "Germany" in field "Country" near text "Shipping"')).toEqual({
      verb: "select",
      option: "Germany",
      target: { by: "field", value: "Country", near: { by: "text", value: "Shipping" } },
    });
    expect(action('drag listitem "A" to testid "bin"')).toEqual({
      verb: "drag",
      target: { by: "role", role: "listitem", value: "A" },
      to: { by: "testid", value: "bin" },
    });
    expect(action('upload "a.png", "b.png" to field "Pictures"')).toMatchObject({
      files: ["a.png", "b.png"],
    });
    expect(action('type "hello\\n" in css ".editor"')).toMatchObject({
      text: "hello\n",
      target: { by: "css" },
    });
    expect(action('press "Control+A"')).toEqual({ verb: "press", key: "Control+A", target: null });
    expect(action("wait 1m30s")).toEqual({ verb: "wait", duration_ms: 90_000 });
    expect(action("advance clock by 30d")).toEqual({ verb: "advance_clock", by_ms: 30 * 86_400_000 });
    expect(action('wait for text "Loading" hidden within 10s')).toMatchObject({ state: "hidden" });
    expect(action('wait for request POST "**/api/orders"')).toEqual({
      verb: "wait_for_request",
      method: "POST",
      url: "**/api/orders",
    });
    expect(action("advance clock by 2h")).toEqual({ verb: "advance_clock", by_ms: 7_200_000 });
    expect(action('set clock to "2026-03-29T01:30:00Z"')).toEqual({
      verb: "set_clock",
      to: "2026-03-29T01:30:00Z",
    });
    expect(action('inject error 503 on "**/api/recommendations" times 2')).toEqual({
      verb: "inject_error",
      status: 503,
      url: "**/api/recommendations",
      times: 2,
    });
    expect(action('inject latency 800ms on "**"')).toMatchObject({
      verb: "inject_latency",
      ms: 800,
      times: null,
    });
    expect(action('request POST "/api/orders" with "{}" status 201')).toEqual({
      verb: "request",
      method: "POST",
      url: "/api/orders",
      body: "{}",
      status: 201,
    });
    expect(action('set order to text of testid "order-number"')).toEqual({
      verb: "set",
      name: "order",
      from: { type: "text_of", target: { by: "testid", value: "order-number" } },
    });
    expect(action('set id to response "/items/0/id"')).toMatchObject({
      from: { type: "response", pointer: "/items/0/id" },
    });
  });

  test("expect what can be seen", () => {
    const expectation = (step: string) => {
      const found = action(step);
      return found.verb === "expect" ? found : null;
    };
    expect(expectation('expect text "Paid" in row "Order 7"')).toMatchObject({
      not: false,
      expectation: { type: "text", text: "Paid", target: { role: "row", value: "Order 7" } },
    });
    expect(expectation("expect count 3 of listitem")?.expectation).toEqual({
      type: "count",
      count: 3,
      target: { by: "role", role: "listitem" },
    });
    expect(expectation('expect value "a@b.c" in field "Email"')?.expectation).toMatchObject({
      type: "value",
    });
    expect(expectation('expect not enabled button "Pay"')).toMatchObject({ not: true });
    expect(expectation('expect request POST "/api/orders" status 201')?.expectation).toEqual({
      type: "request",
      method: "POST",
      url: "/api/orders",
      status: 201,
    });
  });

  test("whatever is written, either compile or are told of with a place in the line", () => {
    const words = fc.constantFrom(
      "go",
      "to",
      "click",
      "button",
      '"Pay"',
      "with",
      "in",
      "nth",
      "2",
      "5s",
      "expect",
      "text",
      "not",
      "count",
      "of",
      "within",
      "set",
      "clock",
      "on",
      "inject",
      "error",
      "503",
      ",",
      "${secrets.A}",
      '"${vars.a}"',
      "\\",
      "near",
      "use",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(words).map((all) => all.join(" ")),
          fc.string(),
        ),
        (line) => {
          const text = `${HEAD}1. ${line.replace(/[\r\n]/g, " ")}`;
          const { scenario, problems: found } = compile(text);
          if (scenario) return found.length === 0;
          const last = text.split("\n").at(-1) ?? "";
          return found.every(
            ({ line: at, column }) => (at === 5 && column >= 1 && column <= [...last].length + 1) || at === 1,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test("text reads back as it was written", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (any) => {
        // Control characters have no place in a step; a line break is written \n.
        const value = any.replace(/(?![\n\t])\p{Cc}/gu, "");
        const quoted = `"${value.replace(/["\\$]/g, "\\$&").replaceAll("\n", "\\n")}"`;
        const found = action(`fill field ${quoted} with "x \${secrets.A}"`);
        if (found.verb !== "fill") return false;
        return found.target.value === value && showText(found.value) === "x ${secrets.A}";
      }),
    );
    expect(referencesIn(action('fill field "A" with "${secrets.A}${secrets.B}"'))).toEqual([
      "secrets.A",
      "secrets.B",
    ]);
  });
});
