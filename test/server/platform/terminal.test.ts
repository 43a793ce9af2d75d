import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

/** A desktop on which a script is the browser, told in both ways in which desktops tell it. */
function desktopWith(browser: string): Record<string, string> {
  const [data, config] = [join(folder, "data"), join(folder, "config")];
  mkdirSync(join(data, "applications"), { recursive: true });
  mkdirSync(config);
  writeFileSync(
    join(data, "applications", "noting.desktop"),
    `[Desktop Entry]\nType=Application\nName=Noting\nExec=${browser} %u\nMimeType=x-scheme-handler/http;\n`,
  );
  writeFileSync(
    join(config, "mimeapps.list"),
    "[Default Applications]\nx-scheme-handler/http=noting.desktop\n",
  );
  return { BROWSER: browser, DISPLAY: ":9", XDG_DATA_HOME: data, XDG_CONFIG_HOME: config };
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
    expect(await openWith(desktopWith(browser), url)).toBe("true");
    await until("the browser was started", () => existsSync(noted));
    expect(readFileSync(noted, "utf8")).toBe(`1\n${url}\n`);
  },
);
