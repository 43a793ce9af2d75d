import { afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { systemClock } from "../../../../server/platform/clock.ts";
import { createPaymentsClone } from "../../../../server/run/clones/payments.ts";
import type { Clone, CloneChange } from "../../../../server/run/clones/types.ts";
import { bodyOf, cloneRequest, unheard } from "../../../helpers/clones.ts";

const open: Clone[] = [];
afterEach(async () => {
  for (const clone of open.splice(0)) await clone.close();
});
async function provider() {
  const clone = await createPaymentsClone({ clock: systemClock, onExchange: unheard });
  open.push(clone);
  const post = async (path: string, body: string | object = "", headers = {}) => {
    const response = await clone.handle(cloneRequest("POST", `/v1/${path}`, body, headers));
    return { status: response.status, ...bodyOf(response) };
  };
  const get = async (path: string) => bodyOf(await clone.handle(cloneRequest("GET", `/v1/${path}`)));
  return { clone, post, get };
}
const card = (number: string) => ({ card: { number, exp_month: 12, exp_year: 2034, cvc: "123" } });

describe("the payments clone", () => {
  test("takes a payment: token, intent, confirmation, capture, refund", async () => {
    const { clone, post, get } = await provider();
    const changes: CloneChange[] = [];
    clone.onChange((change) => changes.push(change));
    const token = await post(
      "tokens",
      "card[number]=4242+4242+4242+4242&card[exp_month]=12&card[exp_year]=2034",
    );
    expect(token).toMatchObject({ object: "token", card: { brand: "visa", last4: "4242" } });
    const intent = await post("payment_intents", {
      amount: 2600,
      currency: "EUR",
      capture_method: "manual",
      source: token.id,
    });
    expect(intent).toMatchObject({ id: "pi_clone_1", amount: 2600, currency: "eur" });
    await post(`payment_intents/${intent.id}/confirm`);
    expect(await get(`payment_intents/${intent.id}`)).toMatchObject({ status: "requires_capture" });
    await post(`payment_intents/${intent.id}/capture`, { amount_to_capture: 2000 });
    await post("refunds", `payment_intent=${intent.id}&amount=500`);
    expect(await get(`payment_intents/${intent.id}`)).toMatchObject({
      status: "succeeded",
      amount_captured: 2000,
      amount_refunded: 500,
    });
    expect(await post("refunds", { payment_intent: intent.id, amount: 1501 })).toMatchObject({
      status: 400,
      error: { message: "There are 1500 left to refund." },
    });
    expect(changes.map(({ key }) => key)).toEqual([
      "tokens/tok_clone_1",
      "payment_intents/pi_clone_1",
      "payment_intents/pi_clone_1",
      "payment_intents/pi_clone_1",
      "payment_intents/pi_clone_1",
      "refunds/re_clone_1",
    ]);
    expect(JSON.stringify(changes)).not.toContain("42424242");
  });

  test("declines the cards that test suites use for it, and says why", async () => {
    const { post } = await provider();
    const pay = async (number: string) => {
      const { id } = await post("tokens", card(number));
      return post("payment_intents", { amount: 100, currency: "eur", payment_method: id, confirm: true });
    };
    expect(await pay("4000000000000002")).toMatchObject({
      status: 402,
      error: { type: "card_error", code: "card_declined", decline_code: "generic_decline" },
    });
    expect(await pay("4000000000009995")).toMatchObject({ error: { decline_code: "insufficient_funds" } });
    expect(await pay("4000000000000069")).toMatchObject({ error: { code: "expired_card" } });
    expect(await post("tokens", card("4242424242424241"))).toMatchObject({
      status: 402,
      error: { code: "incorrect_number" },
    });
    const asks = await pay("4000002500003155");
    expect(asks.status).toBe("requires_action");
    expect(await post(`payment_intents/${asks.id}/confirm`)).toMatchObject({ status: "succeeded" });
    expect(await post(`payment_intents/${asks.id}/cancel`)).toMatchObject({
      error: { code: "payment_intent_unexpected_state" },
    });
  });

  test("takes the same order once when it is sent twice with one key", async () => {
    const { clone, post } = await provider();
    const order = { amount: 100, currency: "eur" };
    const first = await post("payment_intents", order, { "idempotency-key": "k" });
    expect(await post("payment_intents", order, { "idempotency-key": "k" })).toEqual(first);
    expect(Object.keys(clone.state())).toHaveLength(1);
  });

  test("is put back to a state that it had, and counts on from there", async () => {
    const { clone, post } = await provider();
    await post("tokens", card("4242424242424242"));
    const state = clone.state();
    await post("tokens", card("4242424242424242"));
    clone.restore(state);
    expect(clone.state()).toEqual(state);
    expect(await post("tokens", card("4242424242424242"))).toMatchObject({ id: "tok_clone_2" });
  });

  test("answers whatever it is asked with an answer of its own, never with a fault", async () => {
    const { clone, post } = await provider();
    expect(await post("payment_intents", "{")).toMatchObject({ status: 400 });
    expect(await post("payment_intents", { amount: 1.5, currency: "eur" })).toMatchObject({ status: 400 });
    expect(await post("payment_intents/__proto__/confirm")).toMatchObject({ status: 404 });
    expect(await post("tokens", "__proto__[number]=1&card[__proto__][x]=2")).toMatchObject({
      error: { type: expect.any(String) },
    });
    const paths = fc.array(
      fc.constantFrom(
        "tokens",
        "payment_intents",
        "refunds",
        "confirm",
        "capture",
        "pi_clone_1",
        "..",
        "%00",
        "",
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "POST", "DELETE"),
        paths,
        fc.json(),
        async (method, path, body) => {
          const { status } = await clone.handle(cloneRequest(method, `/v1/${path.join("/")}`, body));
          expect(status).toBeLessThan(500);
        },
      ),
    );
  });
});
