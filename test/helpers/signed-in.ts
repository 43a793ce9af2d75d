import type { TestApp } from "./app.ts";
import { signedIn as opened } from "./org-people.ts";

/** Opens a session of a user in the app's org. @returns the `Cookie` header that goes with it */
export async function signedIn(t: TestApp, userId: string): Promise<string> {
  return (await opened(t, { userId })).headers.cookie!;
}
