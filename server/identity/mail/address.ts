/** RFC 5321, section 4.5.3.1.3, less the brackets. */
export const MAX_ADDRESS_LENGTH = 254;

const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u;

/** Whether a text is one plain address, so that it cannot name a second one or a header. */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(text);
}

/** An address as addresses are compared. */
export const plainAddress = (text: string): string => text.trim().toLowerCase();

/** What stands behind an address's @, in small letters. */
export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf("@") + 1).toLowerCase();
