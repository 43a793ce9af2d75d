import type { Clock } from "../../platform/clock.ts";
import type { Card } from "./cards.ts";
import { isRecord, json, openDoor, readFields } from "./http.ts";
import { cardOf } from "./payment-cards.ts";
import { cancelIntent, captureIntent, confirmIntent, createIntent, refund } from "./payment-intents.ts";
import { createThings, invalid, Refusal, type Things, type Values } from "./payment-things.ts";
import { createEntries, MOST_ENTRIES } from "./state.ts";
import type { Clone, CloneRequest, CloneResponse, Json, OnExchange } from "./types.ts";

/**
 * A payment provider: tokens and methods for cards, payment intents that are confirmed, captured, cancelled and
 * refunded. Amounts are in the smallest unit. Nothing is sent by itself: there are no webhooks. Ids count from 1, so
 * that two runs of the same steps give the same ones.
 */
export async function createPaymentsClone(options: { clock: Clock; onExchange: OnExchange }): Promise<Clone> {
  const entries = createEntries();
  const things = createThings(entries, options.clock);
  const answered = new Map<string, CloneResponse>();

  async function handle(request: CloneRequest): Promise<CloneResponse> {
    const key = request.headers["idempotency-key"];
    const known = key === undefined ? undefined : answered.get(key);
    if (known) return known;
    const response = attempt(things, request);
    if (key !== undefined && request.method === "POST" && answered.size < MOST_ENTRIES)
      answered.set(key, response);
    return response;
  }

  const door = openDoor(handle, options);
  return {
    service: "payments",
    addresses: { "payments.url": door.url },
    state: entries.state,
    restore(state) {
      entries.restore(state);
      things.recount();
    },
    handle,
    onChange: entries.onChange,
    close: door.close,
  };
}

function attempt(things: Things, request: CloneRequest): CloneResponse {
  try {
    const fields = readFields(request);
    if (!fields) throw invalid("The body is neither a form nor a JSON object.");
    // Whatever stands before the version is the address of some proxy.
    const path = request.url.pathname.replace(/^.*\/v1\//, "").replace(/^\/+|(?<!\/)\/+$/g, "");
    return json(act(things, request.method, path, fields));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return json({ error: error.body }, error.status);
  }
}

/** @throws Refusal */
function act(things: Things, method: string, path: string, fields: Values): Values {
  const [folder = "", id, verb] = path.split("/");
  const asked = `${method} ${[folder, id && ":id", verb].filter(Boolean).join("/")}`;
  switch (asked) {
    case "POST tokens":
      return shown(
        things.make("tokens", "tok", { object: "token", type: "card", card: asJson(cardOf(things, fields)) }),
      );
    case "POST payment_methods":
      return shown(
        things.make("payment_methods", "pm", {
          object: "payment_method",
          type: "card",
          card: asJson(cardOf(things, fields)),
        }),
      );
    case "POST payment_intents":
      return createIntent(things, fields);
    case "POST payment_intents/:id/confirm":
      return confirmIntent(things, things.find(folder, id!), fields);
    case "POST payment_intents/:id/capture":
      return captureIntent(things, things.find(folder, id!), fields);
    case "POST payment_intents/:id/cancel":
      return cancelIntent(things, things.find(folder, id!));
    case "POST refunds":
      return refund(things, fields);
    case "GET tokens/:id":
    case "GET payment_methods/:id":
    case "GET payment_intents/:id":
    case "GET refunds/:id":
      return shown(things.find(folder, id!));
    case "GET payment_intents":
    case "GET refunds":
      return { object: "list", data: things.list(folder), has_more: false };
    default:
      throw new Refusal(404, {
        type: "invalid_request_error",
        message: `${method} /v1/${path} is nothing that the payments clone knows.`,
      });
  }
}

const asJson = (card: Card): Json => ({ ...card });

/** Without what a card of a test will do. */
function shown(thing: Values): Values {
  if (!isRecord(thing.card)) return thing;
  const { outcome: _outcome, ...card } = thing.card;
  return { ...thing, card };
}
