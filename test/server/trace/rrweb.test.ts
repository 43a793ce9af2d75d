import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { scratchFolder } from "../../helpers/program.ts";

const SOURCE = join(import.meta.dir, "../../../server/trace/process/rrweb.ts");

test("a DOM recording that the disk takes only a part of is an error, and no shorter recording", () => {
  const folder = scratchFolder();
  const script = `
    import { createRrwebExtract } from ${JSON.stringify(SOURCE)};
    const extract = createRrwebExtract(${JSON.stringify(folder.path)}, () => null);
    const noise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("base64");
    for (let seq = 1; seq <= 4; seq++)
      await extract.add({ seq, ts: seq, kind: "dom.mutation", rrweb: { type: 3, timestamp: seq, data: noise() } });
    console.log(await extract.finish().then(({ size }) => size, (error) => error.code));
  `;
  // The signal that goes with the limit would end the process; ignored, a write past it takes what fits, as on a full disk.
  const shell = `trap '' XFSZ; ulimit -f 64; exec "$0" -e "$1"`;
  const { stdout } = spawnSync("bash", ["-c", shell, process.execPath, script], { encoding: "utf8" });
  folder.remove();
  expect(stdout.trim()).toBe("EFBIG");
});
