import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createRecorder } from "../../../../server/run/capture/recorder.ts";
import type { CaptureSink } from "../../../../server/run/capture/sink.ts";
import { createRedactor } from "../../../../server/run/redaction/redact.ts";
import { createTestClock } from "../../../helpers/app.ts";
import { NOWHERE } from "../../../helpers/nowhere.ts";

const redactor = createRedactor({ secrets: {}, headers: [], patterns: [] });
const bytesOf = (text: string) => Buffer.from(text);
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** A recorder, and what its sink was given, in order. @param blobs resolves when the sink has kept them */
function recording(blobs: CaptureSink["blobs"] = async () => {}) {
  const told: string[] = [];
  const clock = createTestClock();
  const sink: CaptureSink = {
    ...NOWHERE,
    async blobs(batch) {
      told.push(...batch.map(({ hash }) => hash));
      await blobs(batch);
    },
    async chunk(n, bytes) {
      const text = Buffer.from(await Bun.zstdDecompress(bytes as Uint8Array<ArrayBuffer>)).toString();
      for (const line of text.trim().split("\n")) told.push(`${n} ${JSON.parse(line).kind}`);
    },
  };
  return { told, clock, recorder: createRecorder({ sink, clock, redactor }) };
}

test("the blobs of a run's beginning go out while it goes on, its events with the rest", async () => {
  const sent = Promise.withResolvers<void>();
  const { told, clock, recorder } = recording(async () => sent.resolve());
  recorder.emit("one", { body: recorder.blob(bytesOf("first")) });
  clock.advance(300);
  await sent.promise;
  expect(told).toEqual([hashOf("first")]);
  recorder.emit("two", { body: recorder.blob(bytesOf("second")) });
  await recorder.close();
  expect(told).toEqual([hashOf("first"), hashOf("second"), "0 one", "0 two"]);
});

test("blobs by the thousand go out in parts that a server takes", async () => {
  const parts: number[] = [];
  const { told, recorder } = recording(
    async () => void parts.push(told.length - parts.reduce((sum, n) => sum + n, 0)),
  );
  for (let at = 0; at < 2_500; at++) recorder.blob(bytesOf(`module ${at}`));
  await recorder.close();
  expect(told).toHaveLength(2_500);
  expect(Math.max(...parts)).toBeLessThanOrEqual(1_000);
});

test("no event goes out before the blobs that it names are kept", async () => {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { told, recorder } = recording(() => {
    begun.resolve();
    return gate.promise;
  });
  recorder.emit("one", { body: recorder.blob(bytesOf("first")) });
  const flushed = recorder.flush();
  await begun.promise;
  // Comes too late for the first chunk, whose blobs are on their way.
  recorder.emit("two", { body: recorder.blob(bytesOf("second")) });
  expect(told).toEqual([hashOf("first")]);
  gate.resolve();
  await flushed;
  await recorder.close();
  expect(told).toEqual([hashOf("first"), "0 one", hashOf("second"), "1 two"]);
});

test("a sink that keeps no blobs breaks the recording, and nothing that names them goes out", async () => {
  const { told, recorder } = recording(async () => {
    throw new Error("The disk is full.");
  });
  recorder.emit("one", { body: recorder.blob(bytesOf("first")) });
  recorder.flushBlobs();
  await expect(recorder.close()).rejects.toThrow("The disk is full.");
  expect(recorder.broken.aborted).toBe(true);
  expect(told).toEqual([hashOf("first")]);
});

test("what is sent anyway is not sent once more, and is waited for", async () => {
  const { told, recorder } = recording();
  const sent = Promise.withResolvers<void>();
  recorder.emit("one", { body: recorder.blob(bytesOf("first"), sent.promise) });
  const closed = recorder.close().then(() => told.push("closed"));
  recorder.flushBlobs();
  sent.resolve();
  told.push("sent");
  await closed;
  expect(told).toEqual(["sent", "0 one", "closed"]);
});

test("what is sent anyway and does not come to be kept breaks the recording", async () => {
  const { told, recorder } = recording();
  recorder.emit("one", { body: recorder.blob(bytesOf("first"), Promise.reject(new Error("Refused."))) });
  await expect(recorder.close()).rejects.toThrow("Refused.");
  expect(recorder.broken.aborted).toBe(true);
  expect(told).toEqual([]);
});
