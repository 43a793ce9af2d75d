/** Tokens of `autocomplete` whose fields nobody is to read (HTML standard, autofill field names). */
export const SECRET_AUTOCOMPLETE =
  /(?:^|\s)(?:current-password|new-password|one-time-code|cc-number|cc-csc)(?:\s|$)/i;

/** Whether what an element holds is a password, a code or a card's number. */
export function isSecretField(type: string, autocomplete: string | null): boolean {
  return type.toLowerCase() === "password" || SECRET_AUTOCOMPLETE.test(autocomplete ?? "");
}
