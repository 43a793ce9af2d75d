/** What becomes of a payment with a card. */
export type CardOutcome =
  | { type: "approved" }
  | { type: "requires_action" }
  | { type: "declined"; code: string; declineCode: string | null; message: string };

/** All that is kept of a card: never its number. */
export interface Card {
  brand: string;
  last4: string;
  exp_month: number;
  exp_year: number;
  outcome: CardOutcome;
}

const declined = (code: string, message: string, declineCode: string | null = null): CardOutcome => ({
  type: "declined",
  code,
  declineCode,
  message,
});

/** The numbers that test suites use by convention; every other number that is one is approved. */
const TEST_NUMBERS: Record<string, CardOutcome> = {
  "4000000000000002": declined("card_declined", "Your card was declined.", "generic_decline"),
  "4000000000009995": declined("card_declined", "Your card has insufficient funds.", "insufficient_funds"),
  "4000000000009987": declined("card_declined", "Your card was declined.", "lost_card"),
  "4000000000009979": declined("card_declined", "Your card was declined.", "stolen_card"),
  "4000000000000069": declined("expired_card", "Your card has expired."),
  "4000000000000127": declined("incorrect_cvc", "Your card's security code is incorrect."),
  "4000000000000119": declined("processing_error", "An error occurred while processing your card."),
  "4000002500003155": { type: "requires_action" },
};

const BRANDS: [RegExp, string][] = [
  [/^4/, "visa"],
  [/^(5[1-5]|2[2-7])/, "mastercard"],
  [/^3[47]/, "amex"],
  [/^6/, "discover"],
];

/** A card by its number; null when no card has it. */
export function readCard(given: { number: string; expMonth: number; expYear: number }): Card | null {
  const number = given.number.replace(/[\s-]/g, "");
  if (!/^\d{12,19}$/.test(number) || !hasCheckDigit(number)) return null;
  return {
    brand: BRANDS.find(([pattern]) => pattern.test(number))?.[1] ?? "unknown",
    last4: number.slice(-4),
    exp_month: given.expMonth,
    exp_year: given.expYear,
    outcome: TEST_NUMBERS[number] ?? { type: "approved" },
  };
}

/** Luhn's formula (ISO/IEC 7812-1). */
function hasCheckDigit(number: string): boolean {
  let sum = 0;
  for (const [at, digit] of [...number].reverse().entries()) {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
