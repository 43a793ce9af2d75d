import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { causeTask } from "../../../server/trace/causes/task.ts";
import { hashMembers, isResource } from "../../../server/trace/process/archive-hashes.ts";
import { beginConversion, goOn } from "../../../server/trace/process/begun.ts";
import type { NamedBlobs, ProcessOutput } from "../../../server/trace/process/task.ts";
import { createReadAheads } from "../../../server/trace/read-ahead.ts";
import { openZip } from "../../../store/archives/zip.ts";
import type { ZipMember } from "../../../store/archives/zip-member.ts";
import { writtenBy } from "../../helpers/archive-cause.ts";
import { processHere } from "../../helpers/process-here.ts";
import { type Made, makeZip } from "../../store/archives/zip-maker.ts";

const FIXTURES = join(import.meta.dir, "../../../fixtures");
const archives = [...new Bun.Glob("{playwright,releases}/**/*.zip").scanSync(FIXTURES)].sort();
const SEED = "5eed".repeat(8);

let folder: string;
let made = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-begun-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isText = ({ name }: { name: string }) => /\.(?:trace|network)$/.test(name);

/** What the first text members of an archive tell, read while nothing behind them is there. */
async function begin(path: string, wanted: (member: ZipMember, at: number) => boolean) {
  const archive = await openZip(path);
  try {
    return await beginConversion(archive, archive.members.filter(isText).filter(wanted), SEED);
  } finally {
    await archive.close();
  }
}

async function isGoneOnWith(path: string, begun: Uint8Array): Promise<boolean> {
  const archive = await openZip(path);
  try {
    return goOn(begun, archive, await hashMembers(archive, isResource, () => {})) !== null;
  } finally {
    await archive.close();
  }
}

/** Why a run failed, from the files that its processing wrote; null for one that did not fail. */
async function causeFrom(output: ProcessOutput & NamedBlobs, name: string, path: string) {
  if (!output.summary.failure) return null;
  copyFileSync(path, join(folder, name, "archive.zip"));
  const { source, summary } = writtenBy(output, folder, name);
  return causeTask({ files: { root: folder, coldDir: folder }, run: source, summary, passes: [] }, () => {});
}

/** The answer of the task, every byte that it wrote, and the cause that is found in them. */
async function processed(path: string, begun: Uint8Array | null) {
  const into = join(folder, `${++made}`);
  mkdirSync(into);
  const meta = {
    ...{ title: "Checkout", scenarioSlug: "checkout", claimedStatus: null, statusReason: null },
    ...{ startedAt: null, endedAt: null, environment: {}, warnings: [], finalScreenshot: null },
  };
  const told = await processHere({
    ...{
      traceId: "t",
      folder: into,
      files: { root: folder, coldDir: folder },
      events: null,
      summary: null,
    },
    ...{ playwright: path, known: { hashes: new Map(), begun }, hasRrweb: false, meta },
    ...{ texts: new Map(), blobSizes: new Map() },
  }).catch((error: Error) => error.message);
  const hashOf = (name: string) => new Bun.SHA256().update(readFileSync(join(into, name))).digest("hex");
  const files = readdirSync(into)
    .sort()
    .map((name) => [name, hashOf(name)]);
  const cause = typeof told === "string" ? null : await causeFrom(told, basename(into), path);
  rmSync(into, { recursive: true });
  return { told, files, cause };
}

async function remade(path: string, change: (members: Made[]) => Made[]): Promise<string> {
  const archive = await openZip(path);
  const members: Made[] = [];
  for (const { name } of archive.members)
    members.push({ name, content: await archive.read(archive.get(name)!), descriptor: true });
  await archive.close();
  const target = join(folder, `${++made}.zip`);
  await Bun.write(target, makeZip(change(members)));
  return target;
}

describe("a conversion that begins before the archive is whole", () => {
  test("comes to the same bytes, the same answer and the same cause as one that begins afterwards", async () => {
    let goneOn = 0;
    let told = 0;
    for (const name of archives) {
      const path = join(FIXTURES, name);
      const begun = await begin(path, () => true).catch(() => null);
      if (begun === null) continue;
      if (await isGoneOnWith(path, begun)) goneOn += 1;
      const whole = await processed(path, null);
      expect({ name, ...(await processed(path, begun)) }).toEqual({ name, ...whole });
      if (whole.cause?.cause.headline) told += 1;
    }
    expect(told).toBeGreaterThan(5);
    expect(goneOn).toBeGreaterThan(archives.length / 2);
  }, 120_000);

  const recorded = join(FIXTURES, "playwright/v10-failing/trace.zip");
  const withRunner = join(FIXTURES, "playwright/v10-runner-failing/trace.zip");

  test("goes on from the first trace files where others come later", async () => {
    const begun = await begin(withRunner, ({ name }) => name === "test.trace");
    expect(await isGoneOnWith(withRunner, begun!)).toBe(true);
    expect(await processed(withRunner, begun)).toEqual(await processed(withRunner, null));
  });

  test("is made anew where a trace file comes before those that were read", async () => {
    const begun = await begin(withRunner, ({ name }) => name !== "test.trace");
    expect(await isGoneOnWith(withRunner, begun!)).toBe(false);
    expect(await processed(withRunner, begun)).toEqual(await processed(withRunner, null));
  });

  test("is made anew where the network file of a trace file was not there yet", async () => {
    const begun = await begin(recorded, ({ name }) => name.endsWith(".trace"));
    expect(await isGoneOnWith(recorded, begun!)).toBe(false);
    expect(await processed(recorded, begun)).toEqual(await processed(recorded, null));
  });

  test("is made anew where a picture or a body that is named never comes", async () => {
    for (const lost of [/\.jpeg$/, /\.(?:html|json|js|css)$/]) {
      const path = await remade(recorded, (members) => {
        const at = members.findIndex(({ name }) => lost.test(name));
        expect(at).toBeGreaterThan(0);
        return members.toSpliced(at, 1);
      });
      const begun = await begin(path, () => true);
      expect(await isGoneOnWith(path, begun!)).toBe(false);
      expect(await processed(path, begun)).toEqual(await processed(path, null));
    }
  });

  test("is made anew where the directory tells other members than those that were read", async () => {
    const begun = await begin(recorded, () => true);
    const first = { name: "resources/first.txt", content: Buffer.from("It comes first.") };
    const other = await remade(recorded, (members) => [first, ...members]);
    expect(await isGoneOnWith(other, begun!)).toBe(false);
    expect(await processed(other, begun)).toEqual(await processed(other, null));
  });

  test("is left to the reader of the whole where a line cannot be read", async () => {
    const path = await remade(recorded, (members) =>
      members.map((member) =>
        member.name === "trace.network"
          ? { ...member, content: Buffer.concat([member.content, Buffer.from('{"type":"resou')]) }
          : member,
      ),
    );
    expect(await begin(path, () => true)).toBeNull();
  });

  test("is forgotten, the oldest first, where more wait than memory is meant for it", () => {
    const readAheads = createReadAheads();
    const begun = new Uint8Array(12 * 1024 * 1024);
    for (const id of ["a", "b", "c"]) readAheads.keep(id, { hashes: new Map([["place", "hash"]]), begun });
    expect(["a", "b", "c"].map((id) => readAheads.take(id).begun?.length ?? null)).toEqual([
      null,
      begun.length,
      begun.length,
    ]);
    expect(readAheads.take("b")).toEqual({ hashes: new Map(), begun: null });
  });
});
