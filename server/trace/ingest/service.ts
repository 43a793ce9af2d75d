import { lstat, rm } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { createCollector } from "../../../store/collector.ts";
import { findAnswer } from "../../../store/records/idempotency.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict, ERROR_STATUS, type ErrorCode, invalid } from "../../http/errors.ts";
import { readIdempotencyKey } from "../../http/idempotency-key.ts";
import type { Actor } from "../../identity/actor.ts";
import { createKeyedLock } from "../../platform/keyed-lock.ts";
import { TaskError } from "../../platform/tasks.ts";
import type { ReadAhead } from "../read-ahead.ts";
import { download } from "./download.ts";
import { checkFields } from "./fields.ts";
import type { IngestAnswer, WebhookBody } from "./model.ts";
import {
  AnsweredMeanwhile,
  type Idempotency,
  type IngestFields,
  type IngestHooks,
  publish,
} from "./publish.ts";
import { createReadAlong } from "./read-along.ts";
import type { Unpacked, UnpackInput } from "./staged.ts";
import { closeStaging, openStaging, type Staging } from "./staging.ts";
import { withKind } from "./unpack.ts";
import { createUnpackAlong, type UnpackAlong } from "./unpack-along.ts";
import { unpackedCap } from "./unpacked-cap.ts";
import { BUNDLE_FORM, receiveUpload, type Upload } from "./upload.ts";

/** Of all uploads together. */
const COLLECT_EVERY = 64 * 1024 * 1024;

/** A file to ingest that is not for us to move or change. */
export interface IngestFile {
  path: string;
  scenarioSlug: string;
  scenarioTitle?: string | undefined;
  source?: string | undefined;
  commitSha?: string | undefined;
  prNumber?: string | number | undefined;
  runId?: string | undefined;
  attempt?: number | undefined;
  /** About the run, shown with the trace. */
  env?: Record<string, string> | undefined;
  /** Within 24 hours the same words for the same org are the same trace; with a space, no client's key is like them. */
  once?: string;
}

/** A staged file on its way to a trace. */
interface Staged {
  path: string;
  isOwned: boolean;
  sha256: string | null;
  /** What was read of it while it came in, once the last of that is done. */
  known?: Promise<ReadAhead>;
  /** What takes it apart since it began to come in. */
  unpacking?: UnpackAlong;
}

/** Takes recordings in. One for the whole process: it makes equal Idempotency-Keys wait for each other. */
export interface IngestService {
  /** The multipart endpoint. @throws AppError */
  upload(actor: Actor, request: Request): Promise<IngestAnswer>;
  /** A file that the server fetches itself; a path only for the internal token. @throws AppError */
  webhook(actor: Actor, body: WebhookBody, signal: AbortSignal): Promise<IngestAnswer>;
  /** A file on this machine; it is only read. @throws AppError */
  file(actor: Actor, input: IngestFile): Promise<IngestAnswer>;
}

export function createIngestService(deps: Deps, hooks: IngestHooks = {}): IngestService {
  const lockByKey = createKeyedLock();
  const onBytes = createCollector(COLLECT_EVERY);
  const capBytes = deps.config.limits.uploadCapBytes;

  /** Whatever happens inside, nothing is left in the staging folder, and nothing elsewhere unless it was committed. */
  async function withStaging<T>(work: (staging: Staging) => Promise<T>): Promise<T> {
    let staging: Staging | null = null;
    try {
      staging = await openStaging(deps);
      return await work(staging);
    } catch (error) {
      const told = withKind(error);
      if (told instanceof AppError && told.kind === "unavailable")
        deps.log.error("an upload could not be stored", { error });
      throw told;
    } finally {
      if (staging) await closeStaging(deps.store, staging);
      await hooks.onStep?.("cleared");
    }
  }

  async function ingest(
    actor: Actor,
    staging: Staging,
    staged: Staged,
    fields: IngestFields,
    idempotency: Idempotency | null,
  ): Promise<IngestAnswer> {
    await hooks.onStep?.("received");
    const unpacked = await unpack(unpackInput(staging, staged), staged.unpacking);
    await hooks.onStep?.("unpacked");
    // Nothing needs the file any more, and a large one takes long to go. What stays is removed with the folder.
    const removing = rm(staging.upload, { force: true }).catch(() => {});
    try {
      const upload = { staging, unpacked, known: staged.known, fields, idempotency };
      return await publish(deps, actor, upload, hooks);
    } finally {
      await removing;
    }
  }

  const unpackInput = (
    { blobs, trace }: Staging,
    { path, isOwned, sha256 }: Pick<Staged, "path" | "isOwned" | "sha256">,
  ): UnpackInput => ({
    ...{ upload: path, isOwned, sha256, blobs, trace },
    maxUnpackedBytes: unpackedCap(capBytes),
  });

  async function unpack(input: UnpackInput, unpacking?: UnpackAlong): Promise<Unpacked> {
    try {
      const unpacked = await unpacking?.finish();
      return unpacked ?? (await deps.tasks.run<Unpacked>("ingest.unpack", input));
    } catch (error) {
      if (error instanceof TaskError && error.kind !== null && error.kind in ERROR_STATUS)
        throw new AppError(error.kind as ErrorCode, error.message);
      throw error;
    }
  }

  async function upload(actor: Actor, request: Request): Promise<IngestAnswer> {
    const key = readIdempotencyKey(request.headers);
    return withStaging(async (staging) => {
      const along = createReadAlong(deps, staging.upload);
      const input = unpackInput(staging, { path: staging.upload, isOwned: true, sha256: null });
      const unpacking = createUnpackAlong(deps.tasks, input);
      const reading = receiveUpload(request, {
        path: staging.upload,
        form: BUNDLE_FORM,
        capBytes,
        alwaysHash: key !== null,
        clock: deps.clock,
        onBytes,
        onWritten(size, form) {
          if (form === "playwright") along.written(size);
          else if (form === "bundle") unpacking.written(size);
        },
      });
      try {
        const received = await reading;
        // At once: its worker is soon free, whatever this upload has to wait for.
        void unpacking.finish();
        return await take(actor, staging, received, { known: along.finish(), unpacking }, key);
      } finally {
        // Also after a failure: nothing may be at work in a folder that is about to go.
        await along.finish();
        await unpacking.abandon();
      }
    });
  }

  async function take(
    actor: Actor,
    staging: Staging,
    received: Upload,
    along: Required<Pick<Staged, "known" | "unpacking">>,
    key: string | null,
  ): Promise<IngestAnswer> {
    const fields = checkFields(Object.fromEntries(received.fields));
    const staged = { ...received.file, isOwned: true, ...along };
    if (key === null) return ingest(actor, staging, staged, fields, null);
    const requestHash = hashOf([...received.fields].sort(), received.file.sha256);
    const idempotency = { key, requestHash };
    return once(actor, idempotency, () => ingest(actor, staging, staged, fields, idempotency));
  }

  /** What was answered under the key, or what `work` answers, which remembers it. */
  async function once(
    actor: Actor,
    idempotency: Idempotency,
    work: () => Promise<IngestAnswer>,
  ): Promise<IngestAnswer> {
    return lockByKey(`${actor.orgId} ${idempotency.key}`, async () => {
      const known = await answerOf(actor, idempotency);
      if (known) return known;
      try {
        return await work();
      } catch (error) {
        const meanwhile = error instanceof AnsweredMeanwhile && (await answerOf(actor, idempotency));
        if (!meanwhile) throw error;
        return meanwhile;
      }
    });
  }

  /** @throws AppError `conflict` when the key stands for another request */
  async function answerOf(actor: Actor, { key, requestHash }: Idempotency): Promise<IngestAnswer | null> {
    const known = await findAnswer(deps.store.records, actor.orgId, key, deps.clock.now());
    if (known === null) return null;
    if (known.requestHash === requestHash) return JSON.parse(known.response) as IngestAnswer;
    throw conflict("This Idempotency-Key was used for another request within the last 24 hours.");
  }

  async function webhook(actor: Actor, body: WebhookBody, signal: AbortSignal): Promise<IngestAnswer> {
    const { bundle_path, bundle_url } = body;
    const fields = checkFields({
      ...body,
      pr_number: body.pr_number?.toString(),
      attempt: body.attempt?.toString(),
      env: body.env && JSON.stringify(body.env),
    });
    if ((bundle_path === undefined) === (bundle_url === undefined))
      throw invalid("Give either `bundle_path` or `bundle_url`.");
    if (bundle_path !== undefined) {
      requireTrust(actor);
      return fromFile(actor, bundle_path, "`bundle_path`", fields);
    }
    return withStaging(async (staging) => {
      const wanted = { path: staging.upload, capBytes, signal, clock: deps.clock };
      const staged = await download(deps.net, bundle_url!, wanted);
      return ingest(actor, staging, { ...staged, isOwned: true }, fields, null);
    });
  }

  async function fromFile(
    actor: Actor,
    path: string,
    what: string,
    fields: IngestFields,
    key: string | null = null,
  ): Promise<IngestAnswer> {
    await checkFile(path, what, capBytes);
    const idempotency = key === null ? null : { key, requestHash: "" };
    const work = () =>
      withStaging((staging) =>
        ingest(actor, staging, { path, isOwned: false, sha256: null }, fields, idempotency),
      );
    return idempotency === null ? work() : once(actor, idempotency, work);
  }

  return {
    upload,
    webhook,
    file: (actor, { path, once: key, ...given }) => fromFile(actor, path, path, fieldsOf(given), key),
  };
}

function fieldsOf(given: Omit<IngestFile, "path" | "once">): IngestFields {
  return checkFields({
    scenario_slug: given.scenarioSlug,
    scenario_title: given.scenarioTitle,
    source: given.source,
    commit_sha: given.commitSha,
    pr_number: given.prNumber?.toString(),
    run_id: given.runId,
    attempt: given.attempt?.toString(),
    env: given.env && JSON.stringify(given.env),
  });
}

/** Ingests a file of this machine straight into the store, by the same way as an upload. @throws AppError */
export function ingestFile(deps: Deps, actor: Actor, input: IngestFile): Promise<IngestAnswer> {
  return createIngestService(deps).file(actor, input);
}

/** A path may lead anywhere on this machine, to what other orgs keep here too: no key and no session reaches so far. */
function requireTrust(actor: Actor): void {
  if (actor.type !== "internal")
    throw new AppError(
      "forbidden",
      "`bundle_path` needs the internal token; a key can upload the file instead.",
    );
}

async function checkFile(path: string, what: string, capBytes: number): Promise<void> {
  if (!isAbsolute(path)) throw invalid(`${what} must be an absolute path.`);
  const file = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    throw invalid(`${what} cannot be read: ${error.code}.`);
  });
  if (!file.isFile()) throw invalid(`${what} is no regular file.`);
  if (file.size > capBytes)
    throw new AppError("bundle_too_large", `The file is larger than ${capBytes} bytes, the upload cap.`);
}

/** Of what the request says, not of how multipart happens to frame it. */
function hashOf(fields: [string, string][], fileSha256: string | null): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([fields, fileSha256])).digest("hex");
}
