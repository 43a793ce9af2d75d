import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Notice } from "./model.ts";
import { bsdText, mitText } from "./texts.ts";

/** Whose the packages are that are built into the MCP package's own files. */
const HOLDERS: Record<string, { license: string; text: string }> = {
  ajv: mit("2015-2021 Evgeny Poberezkin"),
  "ajv-formats": mit("2020 Evgeny Poberezkin"),
  "content-type": mit("2015 Douglas Christopher Wilson"),
  "fast-deep-equal": mit("2017 Evgeny Poberezkin"),
  "fast-uri": {
    license: "BSD-3-Clause",
    text: bsdText("2011-2021 Gary Court; 2021-present The Fastify team"),
  },
  "json-schema-traverse": mit("2017 Evgeny Poberezkin"),
};

/** The marks that its bundler leaves before each file. */
const MARK = /#region \S*\.pnpm\/((?:@[^/+]+\+)?[^@/]+)@([\d.]+)/g;
/** For another runtime, which the executable is not. */
const OTHERS = /^(?:cfWorkerProvider|shims(?:Browser|Workerd))/;

/**
 * Notices of what is built into the MCP package.
 * @param folder of the package's built files
 * @throws Error for a package that is not listed here
 */
export function mcpNotices(folder: string): Notice[] {
  const found = new Map<string, Notice>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".mjs") && !OTHERS.test(name)))
    for (const [, name = "", version = ""] of readFileSync(join(folder, file), "utf8").matchAll(MARK)) {
      const holder = HOLDERS[name];
      if (!holder) throw new Error(`${file} of the MCP package holds ${name}: look at whose it is.`);
      found.set(name, { name, version, url: `https://www.npmjs.com/package/${name}`, ...holder });
    }
  return [...found.values()];
}

function mit(holder: string) {
  return { license: "MIT", text: mitText(holder) };
}
