/** Environment variable with the address of what all files of a run share (`test/runner/shared.ts`). */
export const SHARED = "TEST_SHARED_PARTS";

/** A part that all files of a run share; null for a file that is run by itself. */
export async function sharedPart(name: "executable"): Promise<string | null> {
  const base = process.env[SHARED];
  if (!base) return null;
  const response = await fetch(new URL(name, base));
  const text = await response.text();
  if (!response.ok) throw new Error(`The run's ${name} was not to be had: ${text}`);
  return text;
}
