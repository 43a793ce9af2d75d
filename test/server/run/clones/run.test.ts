import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { TraceEvent } from "../../../../server/trace/format/event.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
/** A target whose server sends mails and takes payments by the addresses that it is told. */
let target: ReturnType<typeof startTarget>;
beforeAll(async () => {
  lab = await runLab();
  target = startTarget();
});
afterAll(async () => {
  await target.stop(true);
  await lab.close();
});

function startTarget() {
  const page = `<!doctype html><title>Pay</title><p id="out">…</p><script type="module">
const call = (path, init) => fetch("https://api.payments.test/v1/" + path, init).then((answer) => answer.json());
const token = await call("tokens", { method: "POST", headers: { "content-type": "application/json", "x-client": "1" },
  body: JSON.stringify({ card: { number: "4000000000009995" } }) });
const intent = await call("payment_intents", { method: "POST", body: new URLSearchParams({ amount: 5, currency: "eur", source: token.id, confirm: true }) });
out.textContent = token.card.last4 + " " + intent.error.decline_code;
</script>`;
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== "/send") return new Response(page, { headers: { "content-type": "text/html" } });
      const body = JSON.stringify({ from: "a@b.c", to: searchParams.get("to"), text: "Your code is 4711." });
      const answer = await fetch(`${searchParams.get("mail")}/emails`, { method: "POST", body });
      return new Response(await answer.text(), { headers: { "content-type": "text/html" } });
    },
  });
}
const states = (events: readonly TraceEvent[]) =>
  events.filter(({ kind }) => kind === "clone.state").map(({ key, step_id }) => [key, step_id]);

describe("a run with clones", () => {
  test("has its pages' requests to third parties answered by them, across origins", async () => {
    const outcome = await lab.run(
      [
        'go to "/"',
        'expect text "9995 insufficient_funds"',
        'request GET "https://api.payments.test/v1/payment_intents/pi_clone_1" status 200',
        'set why to response "/last_payment_error/code"',
        'request GET "https://api.payments.test/v1/nothing" status 404',
      ],
      {
        baseUrl: target.url.href,
        frontmatter: 'clones: [{ service: payments, match: "https://api.payments.test/**" }]',
      },
    );
    expect(outcome).toMatchObject({ status: "passed" });
    const events = await lab.events(outcome.traceId);
    expect(states(events).map(([key]) => key)).toEqual([
      "tokens/tok_clone_1",
      "payment_intents/pi_clone_1",
      "payment_intents/pi_clone_1",
    ]);
    const payments = events.filter(({ url }) => String(url).includes("payments"));
    // An answer is told of when its body is there, which may be later than the next one's.
    const answers = payments
      .filter(({ kind }) => kind === "network.request")
      .map(({ request_id }) =>
        payments.find((event) => event.kind === "network.response" && event.request_id === request_id),
      );
    expect(answers.map((answer) => answer?.status)).toEqual([200, 402, 200, 404]);
    expect(answers[1]?.body).toContain("insufficient_funds");
  });

  test("sees what the target's server asked of them, and what it told them", async () => {
    const outcome = await lab.run(
      [
        'go to "/send?to=${synthetic.email}&mail=${clones.email.url}"',
        'request GET "${clones.email.url}/messages?to=${synthetic.shard}&wait=5"',
        'set code to response "/0/code"',
        'request GET "/?${vars.code}"',
        'expect not request "https://**"',
      ],
      {
        baseUrl: target.url.href,
        frontmatter: 'clones: [{ service: email, match: "https://mail.test/**" }]',
      },
    );
    expect(outcome).toMatchObject({ status: "passed" });
    const events = await lab.events(outcome.traceId);
    expect(states(events)).toEqual([["messages/1", "s1"]]);
    expect(events.filter(({ clone }) => clone === "email")).toMatchObject([
      { kind: "network.request", method: "POST", step_id: "s1", body: expect.stringContaining("4711") },
      { kind: "network.response", status: 200, resource_type: "server" },
    ]);
    expect(events.some(({ kind, url }) => kind === "network.request" && String(url).endsWith("/?4711"))).toBe(
      true,
    );
  });

  test("has faults before them when some are injected, and nothing of them afterwards", async () => {
    const outcome = await lab.run(
      [
        'inject error 503 on "**/v1/tokens"',
        'go to "/"',
        'expect request POST "/v1/tokens" status 503',
        'request GET "${clones.payments.url}/v1/refunds" status 200',
      ],
      {
        baseUrl: target.url.href,
        frontmatter: 'clones: [{ service: payments, match: "https://api.payments.test/**" }]',
      },
    );
    expect(outcome).toMatchObject({ status: "passed" });
    const asked = (await lab.events(outcome.traceId)).find(({ url }) => String(url).endsWith("/refunds"));
    expect(fetch(String(asked?.url))).rejects.toThrow();
  });

  test("is an error when one cannot be started, and goes without where it meets the real ones", async () => {
    const frontmatter = 'clones: [{ service: record, match: "**/rates", har: none.har }]';
    const outcome = await lab.run(['go to "/"'], { frontmatter });
    expect(outcome).toMatchObject({
      status: "error",
      error: { reason: "clone_unavailable", message: "The recorded answers none.har are not here." },
    });
    expect(await lab.run(['go to "/"'], { frontmatter, clones: null })).toMatchObject({ status: "passed" });
    const unnamed = await lab.run(['go to "${clones.record.url}"'], { frontmatter, clones: null });
    expect(unnamed.error?.message).toContain("${clones.record.url} has no value in this run");
  });
});
