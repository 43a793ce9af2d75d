import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extract } from "tar-stream";
import { quote } from "../../../store/archives/policy.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid } from "../../http/errors.ts";
import { type Member, tooLarge, withinCap } from "./staging.ts";

/** A sender that says nothing for so long has gone. */
const SILENCE_MS = 60_000;

type ReceivingDeps = Pick<Deps, "clock" | "config">;

/**
 * The bytes of a request's body, as they come.
 * @throws AppError `bundle_too_large` when it announces more than the plan's upload cap, `invalid_request` for a body that
 * ends early or stalls
 */
export async function* receiveBody(deps: ReceivingDeps, request: Request): AsyncGenerator<Uint8Array> {
  const cap = deps.config.limits.uploadCapBytes;
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > cap) throw tooLarge(cap);
  let size = 0;
  for await (const chunk of chunksOf(deps, request)) {
    size += chunk.byteLength;
    yield chunk;
  }
  if (size < declared) throw invalid("The body ended early.");
}

/**
 * The members of a body that is a tar archive, as they come. Each is to be read before the next is asked for.
 * @throws AppError as `receiveBody` does, `bundle_too_large` past the plan's upload cap, and `bundle_unreadable` for what is no
 * tar archive, is cut short, or has other members than files
 */
export async function* receiveMembers(deps: ReceivingDeps, request: Request): AsyncGenerator<Member> {
  const entries = extract();
  const reading = pipeline(Readable.from(withinCap(deps, receiveBody(deps, request))), entries).then(
    () => null,
    (error: unknown) => error,
  );

  /** What is wrong with the body itself comes before what the archive makes of it. */
  async function explain(error: unknown): Promise<unknown> {
    entries.destroy();
    const first = (await reading) ?? error;
    return isNamed(first) ? first : isNamed(error) ? error : notATar(first);
  }

  async function* bytesOf(entry: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* entry;
    } catch (error) {
      throw await explain(error);
    }
  }

  try {
    for await (const entry of entries) {
      const { name, type } = entry.header;
      if (type !== "file") throw unreadable(`The member ${quote(name)} is no file.`);
      // A streamx stream is iterable; its types do not say so.
      yield { hash: name, bytes: bytesOf(entry as unknown as AsyncIterable<Uint8Array>) };
    }
  } catch (error) {
    throw await explain(error);
  } finally {
    // Whoever reads the members may have had enough of them.
    entries.destroy();
    await reading;
  }
  const late = await reading;
  if (late !== null) throw isNamed(late) ? late : notATar(late);
}

/** Ours, or the system's: a full disk is no fault of the body. */
const isNamed = (error: unknown): boolean =>
  error instanceof AppError || (error instanceof Error && "errno" in error);

const unreadable = (message: string) => new AppError("bundle_unreadable", message);
const notATar = (error: unknown) =>
  unreadable(`The body is no whole tar archive: ${error instanceof Error ? error.message : String(error)}.`);

async function* chunksOf(deps: Pick<Deps, "clock">, request: Request): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const waited = new AbortController();
      const next = reader.read().catch(() => {
        throw invalid("The body ended early.");
      });
      const silence = deps.clock.sleep(SILENCE_MS, waited.signal).then(() => null);
      const result = await Promise.race([next, silence]).finally(() => waited.abort());
      if (result === null)
        throw new AppError("invalid_request", "The body stalled for a minute.", { status: 408 });
      if (result.done) return;
      yield result.value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
