import { executable } from "../helpers/executable.ts";
import { SHARED } from "../helpers/shared.ts";

/** What all test files of a run have in common: made when the first of them asks for it. */
export interface SharedParts {
  /** What test processes are told by. */
  env: Record<string, string>;
  close(): Promise<void>;
}

export function startShared(): SharedParts {
  let building: Promise<string> | null = null;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    routes: {
      "/executable": async () => {
        building ??= executable();
        return new Response(await building);
      },
    },
  });
  return {
    env: { [SHARED]: server.url.href },
    close: () => server.stop(true),
  };
}
