import { type Card, readCard } from "./cards.ts";
import { isRecord } from "./http.ts";
import { invalid, Refusal, type Things, type Values } from "./payment-things.ts";

/** The card that a request names: by a token, a method, or itself. @throws Refusal */
export function cardOf(things: Things, fields: Values): Card {
  const given = fields.card;
  if (typeof given === "string") return keptCard(things, given);
  if (!isRecord(given)) throw invalid("A card is needed.", "card", "parameter_missing");
  if (typeof given.token === "string") return keptCard(things, given.token);
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

/** Of a token or a method. @throws Refusal */
export function keptCard(things: Things, id: string): Card {
  const folder = id.startsWith("pm_") ? "payment_methods" : "tokens";
  return things.find(folder, id).card as unknown as Card;
}
