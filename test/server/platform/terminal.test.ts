import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../helpers/until.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-test-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODULE = join(import.meta.dir, "../../../server/platform/terminal.ts");

/** Opens a URL in a process of its own, on a desktop whose browser is a script that notes what it is given. */
async function openWith(env: Record<string, string>, url: string): Promise<string> {
  const script = `const { openInBrowser } = await import(${JSON.stringify(MODULE)}); console.log(await openInBrowser(${JSON.stringify(url)}));`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  await child.exited;
  return (await new Response(child.stdout).text()).trim();
}

test.if(process.platform === "linux")(
  "a person's browser is given the whole address, as one argument",
  async () => {
    const browser = join(folder, "browser");
    const noted = join(folder, "noted");
    writeFileSync(
      browser,
      `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > ${noted}.part && mv ${noted}.part ${noted}\n`,
    );
    chmodSync(browser, 0o755);
    const url = "http://localhost:4173/signin?code=a&next=%2Ftraces%2F1%3Fstep%3D2;echo";
    expect(await openWith({ BROWSER: browser, DISPLAY: ":9" }, url)).toBe("true");
    await until("the browser was started", () => existsSync(noted));
    expect(readFileSync(noted, "utf8")).toBe(`1\n${url}\n`);
  },
);
