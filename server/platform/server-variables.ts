/** Where a Playwright project is told to send to; undefined what is not set. */
export function readServerVariables(env: Record<string, string | undefined> = process.env): {
  url: string | undefined;
  key: string | undefined;
} {
  return { url: env.TRACEDECK_URL || undefined, key: env.TRACEDECK_KEY || undefined };
}
