import type { Finding } from "../types.ts";

/** Whether the product's own code is not that of the passes. */
export const hasOtherCode = (news: readonly Finding[]): boolean =>
  news.some(({ file, markup }) => file !== undefined || markup !== undefined);
