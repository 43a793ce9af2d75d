import type { GateAnswer } from "../gate/gates/model.ts";
import type { ApiClient } from "../platform/api-client.ts";
import type { Clock } from "../platform/clock.ts";
import { callJson, callWith } from "./call.ts";
import { CliError, printable } from "./output.ts";

const LOOK_MS = 2000;
const MINUTE_MS = 60_000;
const OPEN = ["queued", "waiting", "running"];

interface FollowOptions {
  client: ApiClient;
  /** Where the server's pages are. */
  address: string;
  /** How long to wait for the verdict. */
  minutes: number;
  clock: Pick<Clock, "monotonic" | "sleep">;
  /** Is given a line for whatever changes, each once. */
  tell(line: string): void;
}

/**
 * Follows a gate to its end, and fetches what is told of it. The server may be started anew meanwhile: the gate goes on there.
 * @returns the gate as it ended or was decided, and its report as Markdown
 * @throws CliError when there is no verdict in time, or the server stays away
 */
export async function followGate(
  first: GateAnswer,
  { client, address, minutes, clock, tell }: FollowOptions,
): Promise<{ gate: GateAnswer; report: string }> {
  const end = clock.monotonic() + minutes * MINUTE_MS;
  const page = pageOf(first, address);
  const told = new Set<string>();
  const tellOnce = (key: string, line: string): void => {
    if (!told.has(key)) tell(line);
    told.add(key);
  };

  async function patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof CliError) || error.code !== "unavailable") throw error;
        if (clock.monotonic() > end)
          throw new CliError(
            `Nothing more was heard within ${minutes} minutes. At last: ${error.message} The gate may go on: ${page}`,
            "unavailable",
          );
        tellOnce("away", `${error.message} It is asked again until it answers.`);
        await clock.sleep(LOOK_MS);
      }
    }
  }

  const path = `/v1/gates/${first.id}`;
  let gate = first;
  for (;;) {
    const isOpen = OPEN.includes(gate.status);
    // The end has its own lines.
    if (isOpen) tellOnce(gate.status, statusLine(gate));
    for (const { slug, title, finding } of gate.scenarios)
      if (finding) tellOnce(`scenario ${slug}`, `${finding.outcome.padEnd(7)} ${printable(title)}`);
    if (!isOpen || gate.decision !== null) break;
    if (clock.monotonic() > end)
      throw new CliError(`There was no verdict within ${minutes} minutes: ${page}`);
    await clock.sleep(LOOK_MS);
    gate = await patiently(() => callJson<GateAnswer>(client, path));
  }
  const report = await patiently(async () => (await callWith(() => client.request(`${path}/report`))).text());
  return { gate, report };
}

function statusLine(gate: GateAnswer): string {
  if (gate.status === "waiting") return `waiting: ${printable(gate.reason ?? "")}`;
  if (gate.status === "running")
    return `running ${gate.scenario_count} scenario${gate.scenario_count === 1 ? "" : "s"}`;
  return gate.status;
}

/** Where a gate is shown. */
export const pageOf = ({ id, pull_request_id }: GateAnswer, address: string): string =>
  new URL(pull_request_id ? `/pull-requests/${pull_request_id}?gate=${id}` : `/gates/${id}`, address).href;
