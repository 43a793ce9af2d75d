import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Notice } from "./model.ts";
import { bsdText, mitText } from "./texts.ts";

/** What Playwright's trace viewer is built of. Its package says nothing of them; each is known by what stands in its files. */
const PARTS: { sign: RegExp; notice: Omit<Notice, "version"> }[] = [
  {
    sign: /react\.element|react\.transitional\.element/,
    notice: {
      name: "react, react-dom, scheduler",
      license: "MIT",
      url: "https://github.com/facebook/react",
      text: mitText("Meta Platforms, Inc. and affiliates."),
    },
  },
  {
    sign: /CodeMirror-gutter/,
    notice: {
      name: "codemirror",
      license: "MIT",
      url: "https://github.com/codemirror/codemirror5",
      text: mitText("Marijn Haverbeke <marijn@haverbeke.berlin> and others"),
    },
  },
  {
    sign: /xterm-helper-textarea/,
    notice: {
      name: "xterm.js",
      license: "MIT",
      url: "https://github.com/xtermjs/xterm.js",
      text: mitText("The xterm.js authors; SourceLair Private Company; Christopher Jeffrey"),
    },
  },
  {
    sign: /zip\.js|Deflate64|isn't a zip|End of central directory/i,
    notice: {
      name: "zip.js",
      license: "BSD-3-Clause",
      url: "https://github.com/gildas-lormeau/zip.js",
      text: bsdText("Gildas Lormeau"),
    },
  },
  {
    sign: /codicon/,
    notice: {
      name: "Codicons",
      license: "CC-BY-4.0",
      url: "https://github.com/microsoft/vscode-codicons",
      text:
        "Codicons, copyright (c) Microsoft Corporation, unchanged, under the Creative Commons Attribution 4.0 International " +
        "Public License, without warranties: https://creativecommons.org/licenses/by/4.0/legalcode\n",
    },
  },
];

/**
 * Notices of what a copy of the viewer holds.
 * @param folder of the viewer
 * @param version of the Playwright that it is of
 * @throws Error for a part that is no longer found: the viewer has changed, and this list must be looked at
 */
export function viewerNotices(folder: string, version: string): Notice[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const texts = names
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  return PARTS.map(({ sign, notice }) => {
    if (!texts.some((text) => sign.test(text)))
      throw new Error(`Playwright's viewer no longer holds ${notice.name}: look at what it is built of now.`);
    return { ...notice, version: `in the trace viewer of Playwright ${version}` };
  });
}
