/** A trace in a folder that nobody has packed, as Playwright's MCP server leaves it. */
export interface UnpackedTrace {
  /** Of its first file. */
  name: string;
  /** By their names within the archive that Playwright would have made, those in the folder. */
  files: Map<string, string>;
}

/** The folders beside the files in which all traces have their resources: pictures of the page have one of their own. */
export const RESOURCE_FOLDERS = ["resources", "screencast"] as const;

/** The folder of traces within the one that Playwright's MCP server writes to. */
export const TRACES_OF_MCP = "traces";

/** Contexts of one trace, and the events of its test: `0-trace.trace`, `1-trace.trace`, `test.trace`. */
const OF_ONE = /^(?:(?:\d+-)?trace|test)\.(?:trace|network|stacks)$/;
const PARTS = /^(.+)\.(trace|network|stacks)$/;

/** The traces among the files of a folder: the contexts of a test are one, each that stands by itself is one of its own. */
export function unpackedTraces(names: readonly string[]): UnpackedTrace[] {
  const traces = new Map<string, Map<string, string>>();
  for (const name of names.toSorted()) {
    const [, stem = "", kind] = PARTS.exec(name) ?? [];
    if (kind === undefined) continue;
    const isPart = OF_ONE.test(name);
    const key = isPart ? "trace" : stem;
    const files = traces.get(key) ?? new Map();
    traces.set(key, files.set(isPart ? name : `trace.${kind}`, name));
  }
  return [...traces]
    .filter(([, files]) => [...files.keys()].some((name) => name.endsWith(".trace")))
    .map(([stem, files]) => ({ name: `${stem}.trace`, files }));
}

/**
 * The resources that a file of a trace names: several traces of a folder share them.
 * @param known paths within the folder: `resources/0a1b2c3d.jpeg`
 */
export function resourcesNamed(text: string, known: ReadonlySet<string>): string[] {
  const words = text.matchAll(/"((?:resources|screencast)\/)?([\w@.-]{8,200})"/g);
  const paths = [...words].map(([, folder, name]) => `${folder ?? "resources/"}${name}`);
  return [...new Set(paths)].filter((path) => known.has(path));
}
