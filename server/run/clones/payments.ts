import type { Clock } from "../../platform/clock.ts";
import { type Card, readCard } from "./cards.ts";
import { isRecord, json, openDoor, readFields } from "./http.ts";
import { createEntries, MOST_ENTRIES } from "./state.ts";
import type { Clone, CloneRequest, CloneResponse, Json, OnExchange } from "./types.ts";

type Fields = Record<string, Json>;
type Values = Record<string, Json>;

/** An answer other than the thing that was asked for. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: { type: string; message: string; code?: string; param?: string; decline_code?: string },
  ) {
    super(body.message);
  }
}

const invalid = (message: string, param?: string, code?: string) =>
  new Refusal(400, {
    type: "invalid_request_error",
    message,
    ...(code && { code }),
    ...(param && { param }),
  });

const LARGEST_AMOUNT = 99_999_999;

/**
 * A payment provider: tokens and methods for cards, payment intents that are confirmed, captured, cancelled and
 * refunded. Amounts are in the smallest unit. Nothing is sent by itself: there are no webhooks. Ids count from 1, so
 * that two runs of the same steps give the same ones.
 */
export async function createPaymentsClone(options: { clock: Clock; onExchange: OnExchange }): Promise<Clone> {
  const { clock } = options;
  const entries = createEntries();
  const answered = new Map<string, CloneResponse>();

  const counts: Record<string, number> = {};
  function made(folder: string, prefix: string, values: Values): Values {
    const count = (counts[folder] ?? entries.under(`${folder}/`).length) + 1;
    counts[folder] = count;
    const thing: Values = {
      id: `${prefix}_clone_${count}`,
      ...values,
      created: Math.floor(clock.now() / 1000),
    };
    if (!entries.set(`${folder}/${thing.id}`, thing))
      throw new Refusal(429, { type: "api_error", message: "There is no room for more in this run." });
    return thing;
  }

  function find(folder: string, id: string): Values {
    const known = entries.get(`${folder}/${id}`);
    if (!isRecord(known))
      throw new Refusal(404, {
        type: "invalid_request_error",
        code: "resource_missing",
        message: `There is no ${id} among the ${folder}.`,
      });
    return known;
  }

  function change(folder: string, thing: Values, changes: Values): Values {
    const next = { ...thing, ...changes };
    entries.set(`${folder}/${String(thing.id)}`, next);
    return next;
  }

  /** A token, a method, or the card itself. */
  function cardOf(fields: Fields): Card {
    const given = fields.card;
    if (typeof given === "string") return kept(given);
    if (!isRecord(given)) throw invalid("A card is needed.", "card", "parameter_missing");
    if (typeof given.token === "string") return kept(given.token);
    const card = readCard({
      number: String(given.number ?? ""),
      expMonth: Number(given.exp_month ?? 12),
      expYear: Number(given.exp_year ?? 2099),
    });
    if (!card)
      throw new Refusal(402, {
        type: "card_error",
        code: "incorrect_number",
        param: "number",
        message: "Your card number is incorrect.",
      });
    return card;
  }

  function kept(id: string): Card {
    const folder = id.startsWith("pm_") ? "payment_methods" : "tokens";
    return find(folder, id).card as unknown as Card;
  }

  function createIntent(fields: Fields): Values {
    const amount = Number(fields.amount);
    if (!Number.isInteger(amount) || amount < 1 || amount > LARGEST_AMOUNT)
      throw invalid(
        `"amount" is a whole number from 1 to ${LARGEST_AMOUNT}.`,
        "amount",
        "parameter_invalid_integer",
      );
    const currency = String(fields.currency ?? "").toLowerCase();
    if (!/^[a-z]{3}$/.test(currency)) throw invalid('"currency" has three letters, such as eur.', "currency");
    const method = methodOf(fields);
    const intent = made("payment_intents", "pi", {
      object: "payment_intent",
      amount,
      amount_captured: 0,
      amount_refunded: 0,
      currency,
      capture_method: fields.capture_method === "manual" ? "manual" : "automatic",
      payment_method: method,
      status: method === null ? "requires_payment_method" : "requires_confirmation",
      last_payment_error: null,
      metadata: isRecord(fields.metadata) ? fields.metadata : {},
    });
    return fields.confirm === true || fields.confirm === "true" ? confirm(intent, {}) : intent;
  }

  function methodOf(fields: Fields): string | null {
    const given = fields.payment_method ?? fields.source;
    if (given === undefined) return null;
    kept(String(given));
    return String(given);
  }

  function confirm(intent: Values, fields: Fields): Values {
    expectStatus(
      intent,
      ["requires_payment_method", "requires_confirmation", "requires_action"],
      "confirmed",
    );
    const method = methodOf(fields) ?? intent.payment_method;
    if (typeof method !== "string") throw invalid("A payment method is needed.", "payment_method");
    const { outcome } = kept(method);
    if (outcome.type === "declined") {
      const error = {
        type: "card_error",
        code: outcome.code,
        message: outcome.message,
        ...(outcome.declineCode !== null && { decline_code: outcome.declineCode }),
      };
      change("payment_intents", intent, {
        payment_method: null,
        status: "requires_payment_method",
        last_payment_error: error,
      });
      throw new Refusal(402, error);
    }
    if (outcome.type === "requires_action" && intent.status !== "requires_action")
      return change("payment_intents", intent, { payment_method: method, status: "requires_action" });
    const isManual = intent.capture_method === "manual";
    return change("payment_intents", intent, {
      payment_method: method,
      status: isManual ? "requires_capture" : "succeeded",
      amount_captured: isManual ? 0 : intent.amount!,
      last_payment_error: null,
    });
  }

  function capture(intent: Values, fields: Fields): Values {
    expectStatus(intent, ["requires_capture"], "captured");
    const amount = Number(fields.amount_to_capture ?? intent.amount);
    if (!Number.isInteger(amount) || amount < 1 || amount > Number(intent.amount))
      throw invalid("It captures from 1 to the amount of the intent.", "amount_to_capture");
    return change("payment_intents", intent, { status: "succeeded", amount_captured: amount });
  }

  function cancel(intent: Values): Values {
    expectStatus(
      intent,
      ["requires_payment_method", "requires_confirmation", "requires_action", "requires_capture"],
      "cancelled",
    );
    return change("payment_intents", intent, { status: "canceled" });
  }

  function refund(fields: Fields): Values {
    const intent = find("payment_intents", String(fields.payment_intent ?? ""));
    expectStatus(intent, ["succeeded"], "refunded");
    const left = Number(intent.amount_captured) - Number(intent.amount_refunded);
    const amount = Number(fields.amount ?? left);
    if (!Number.isInteger(amount) || amount < 1 || amount > left)
      throw invalid(`There are ${left} left to refund.`, "amount", "charge_already_refunded");
    change("payment_intents", intent, { amount_refunded: Number(intent.amount_refunded) + amount });
    return made("refunds", "re", {
      object: "refund",
      amount,
      currency: intent.currency!,
      payment_intent: intent.id!,
      status: "succeeded",
    });
  }

  function act(method: string, path: string, fields: Fields): Values {
    const [folder = "", id, verb] = path.split("/");
    const asked = `${method} ${[folder, id && ":id", verb].filter(Boolean).join("/")}`;
    switch (asked) {
      case "POST tokens":
        return shown(made("tokens", "tok", { object: "token", type: "card", card: asJson(cardOf(fields)) }));
      case "POST payment_methods":
        return shown(
          made("payment_methods", "pm", {
            object: "payment_method",
            type: "card",
            card: asJson(cardOf(fields)),
          }),
        );
      case "POST payment_intents":
        return createIntent(fields);
      case "POST payment_intents/:id/confirm":
        return confirm(find(folder, id!), fields);
      case "POST payment_intents/:id/capture":
        return capture(find(folder, id!), fields);
      case "POST payment_intents/:id/cancel":
        return cancel(find(folder, id!));
      case "POST refunds":
        return refund(fields);
      case "GET tokens/:id":
      case "GET payment_methods/:id":
      case "GET payment_intents/:id":
      case "GET refunds/:id":
        return shown(find(folder, id!));
      case "GET payment_intents":
      case "GET refunds":
        return { object: "list", data: entries.under(`${folder}/`).reverse(), has_more: false };
      default:
        throw new Refusal(404, {
          type: "invalid_request_error",
          message: `${method} /v1/${path} is nothing that the payments clone knows.`,
        });
    }
  }

  async function handle(request: CloneRequest): Promise<CloneResponse> {
    const key = request.headers["idempotency-key"];
    const known = key === undefined ? undefined : answered.get(key);
    if (known) return known;
    const response = attempt(request);
    if (key !== undefined && request.method === "POST" && answered.size < MOST_ENTRIES)
      answered.set(key, response);
    return response;
  }

  function attempt(request: CloneRequest): CloneResponse {
    try {
      const fields = readFields(request);
      if (!fields) throw invalid("The body is neither a form nor a JSON object.");
      // Whatever stands before the version is the address of some proxy.
      const path = request.url.pathname.replace(/^.*\/v1\//, "").replace(/^\/+|\/+$/g, "");
      return json(act(request.method, path, fields));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return json({ error: error.body }, error.status);
    }
  }

  const door = openDoor(handle, options);
  return {
    service: "payments",
    addresses: { "payments.url": door.url },
    state: entries.state,
    restore(state) {
      entries.restore(state);
      for (const folder of Object.keys(counts)) delete counts[folder];
    },
    handle,
    onChange: entries.onChange,
    close: door.close,
  };
}

const asJson = (card: Card): Json => ({ ...card });

/** Without what a card of a test will do. */
function shown(thing: Values): Values {
  if (!isRecord(thing.card)) return thing;
  const { outcome: _outcome, ...card } = thing.card;
  return { ...thing, card };
}

function expectStatus(intent: Values, statuses: readonly string[], done: string): void {
  if (statuses.includes(String(intent.status))) return;
  throw new Refusal(400, {
    type: "invalid_request_error",
    code: "payment_intent_unexpected_state",
    message: `${intent.id} is ${intent.status}; it cannot be ${done}.`,
  });
}
