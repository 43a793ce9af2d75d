import { isRecord } from "./http.ts";
import { keptCard } from "./payment-cards.ts";
import { invalid, Refusal, type Things, type Values } from "./payment-things.ts";

const LARGEST_AMOUNT = 99_999_999;

/** @throws Refusal, as the others do */
export function createIntent(things: Things, fields: Values): Values {
  const amount = Number(fields.amount);
  if (!Number.isInteger(amount) || amount < 1 || amount > LARGEST_AMOUNT)
    throw invalid(
      `"amount" is a whole number from 1 to ${LARGEST_AMOUNT}.`,
      "amount",
      "parameter_invalid_integer",
    );
  const currency = String(fields.currency ?? "").toLowerCase();
  if (!/^[a-z]{3}$/.test(currency)) throw invalid('"currency" has three letters, such as eur.', "currency");
  const method = methodOf(things, fields);
  const intent = things.make("payment_intents", "pi", {
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
  return fields.confirm === true || fields.confirm === "true" ? confirmIntent(things, intent, {}) : intent;
}

function methodOf(things: Things, fields: Values): string | null {
  const given = fields.payment_method ?? fields.source;
  if (given === undefined) return null;
  keptCard(things, String(given));
  return String(given);
}

export function confirmIntent(things: Things, intent: Values, fields: Values): Values {
  expectStatus(intent, ["requires_payment_method", "requires_confirmation", "requires_action"], "confirmed");
  const method = methodOf(things, fields) ?? intent.payment_method;
  if (typeof method !== "string") throw invalid("A payment method is needed.", "payment_method");
  const { outcome } = keptCard(things, method);
  if (outcome.type === "declined") {
    const error = {
      type: "card_error",
      code: outcome.code,
      message: outcome.message,
      ...(outcome.declineCode !== null && { decline_code: outcome.declineCode }),
    };
    things.change("payment_intents", intent, {
      payment_method: null,
      status: "requires_payment_method",
      last_payment_error: error,
    });
    throw new Refusal(402, error);
  }
  if (outcome.type === "requires_action" && intent.status !== "requires_action")
    return things.change("payment_intents", intent, { payment_method: method, status: "requires_action" });
  const isManual = intent.capture_method === "manual";
  return things.change("payment_intents", intent, {
    payment_method: method,
    status: isManual ? "requires_capture" : "succeeded",
    amount_captured: isManual ? 0 : intent.amount!,
    last_payment_error: null,
  });
}

export function captureIntent(things: Things, intent: Values, fields: Values): Values {
  expectStatus(intent, ["requires_capture"], "captured");
  const amount = Number(fields.amount_to_capture ?? intent.amount);
  if (!Number.isInteger(amount) || amount < 1 || amount > Number(intent.amount))
    throw invalid("It captures from 1 to the amount of the intent.", "amount_to_capture");
  return things.change("payment_intents", intent, { status: "succeeded", amount_captured: amount });
}

export function cancelIntent(things: Things, intent: Values): Values {
  expectStatus(
    intent,
    ["requires_payment_method", "requires_confirmation", "requires_action", "requires_capture"],
    "cancelled",
  );
  return things.change("payment_intents", intent, { status: "canceled" });
}

export function refund(things: Things, fields: Values): Values {
  const intent = things.find("payment_intents", String(fields.payment_intent ?? ""));
  expectStatus(intent, ["succeeded"], "refunded");
  const left = Number(intent.amount_captured) - Number(intent.amount_refunded);
  const amount = Number(fields.amount ?? left);
  if (!Number.isInteger(amount) || amount < 1 || amount > left)
    throw invalid(`There are ${left} left to refund.`, "amount", "charge_already_refunded");
  things.change("payment_intents", intent, { amount_refunded: Number(intent.amount_refunded) + amount });
  return things.make("refunds", "re", {
    object: "refund",
    amount,
    currency: intent.currency!,
    payment_intent: intent.id!,
    status: "succeeded",
  });
}

function expectStatus(intent: Values, statuses: readonly string[], done: string): void {
  if (statuses.includes(String(intent.status))) return;
  throw new Refusal(400, {
    type: "invalid_request_error",
    code: "payment_intent_unexpected_state",
    message: `${intent.id} is ${intent.status}; it cannot be ${done}.`,
  });
}
