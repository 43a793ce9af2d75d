import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { JOB_KINDS } from "../server/work.ts";

const root = join(import.meta.dir, "..");

/**
 * The floors, top to bottom. A file imports from its own floor and from lower ones; `store` and `platform` stand side by
 * side at the bottom and know nothing of each other. What several floors share without belonging to one (types of the
 * dependencies, the configuration) is named in `SHARED`.
 */
const FLOORS: { name: string; holds: (path: string) => boolean }[] = [
  { name: "cli", holds: (path) => path === "cli.ts" || path.startsWith("server/cli/") },
  // Sample traces and the sample shop: `demo` alone shows them.
  { name: "samples", holds: (path) => path.startsWith("fixtures/") },
  {
    name: "main",
    holds: (path) => /^server\/(main|early|listen|work|worker|tasks|viewer-build)\.ts$/.test(path),
  },
  { name: "notices", holds: (path) => path.startsWith("server/notices/") },
  // The viewer's components, drawing in the server: main alone hands them on.
  { name: "first screen", holds: (path) => /^viewer\/first-screen\/(render|docs|signin)\.tsx$/.test(path) },
  { name: "app", holds: (path) => path === "server/app.ts" },
  // It explains every wing.
  { name: "docs", holds: (path) => path.startsWith("server/docs/") },
  { name: "agents", holds: (path) => path.startsWith("server/agents/") },
  { name: "gate", holds: (path) => path.startsWith("server/gate/") },
  { name: "watch", holds: (path) => path.startsWith("server/watch/") },
  { name: "run", holds: (path) => path.startsWith("server/run/") },
  { name: "trace", holds: (path) => path.startsWith("server/trace/") },
  { name: "identity", holds: (path) => path.startsWith("server/identity/") },
  { name: "jobs", holds: (path) => path.startsWith("server/jobs/") },
  { name: "http", holds: (path) => path.startsWith("server/http/") || path === "server/viewer-assets.ts" },
  { name: "config", holds: (path) => /^server\/(config|deps|environment)\.ts$/.test(path) },
  { name: "platform", holds: (path) => path.startsWith("server/platform/") },
  { name: "store", holds: (path) => path.startsWith("store/") },
  { name: "package", holds: (path) => path === "package.json" },
  // What server and viewer both have to know of the pages; it knows neither.
  { name: "page table", holds: (path) => path === "viewer/page-table.ts" },
];

/** Rooms that may use less than their floor allows. */
const CLOSED: { room: string; mayImport: RegExp; why: string }[] = [
  { room: "store/", mayImport: /^(store\/|package\.json$)/, why: "the store knows no server" },
  { room: "server/platform/", mayImport: /^server\/platform\//, why: "the platform is a leaf" },
  {
    room: "server/trace/format/",
    mayImport: /^server\/(trace\/format\/|platform\/clock\.ts$)/,
    why: "formats are pure: no files, no records",
  },
  {
    room: "server/run/language/",
    mayImport: /^server\/run\/language\//,
    why: "the scenario language is pure: no files, no clock",
  },
  { room: "viewer/", mayImport: /^(viewer\/|server\/trace\/format\/)/, why: "the page is not the server" },
];

const ENGINE = "server/trace/format/cause/";
/** What the detectors of a cause share, from below: a room imports from those before it, and never from a detector or a rule. */
const ENGINE_ROOMS = ["values", "run", "page", "exchanges", "test-code"];

const files = [
  ...new Bun.Glob("{server,store,viewer}/**/*.{ts,tsx}").scanSync(root),
  ...new Bun.Glob("cli.ts").scanSync(root),
]
  .filter((path) => !path.endsWith(".d.ts"))
  .sort();
const sources = new Map(files.map((path) => [path, readFileSync(join(root, path), "utf8")]));

const transpiler = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };

/** Paths in this repository that a file imports, types aside. */
function importsOf(path: string): string[] {
  const kind = path.endsWith("x") ? "tsx" : "ts";
  return transpiler[kind]
    .scanImports(sources.get(path)!.replace(/^#!.*/, ""))
    .filter((found) => found.path.startsWith("."))
    .map((found) => relative(root, join(root, dirname(path), found.path)));
}

/** The same with types: what a file cannot be read without. */
function allImportsOf(path: string): string[] {
  const found = sources.get(path)!.matchAll(/\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g);
  return [...found].map(([, target]) => join(dirname(path), target!)).filter((target) => sources.has(target));
}

/** The rings that nodes stand in: strongly connected ones, by Tarjan's algorithm. */
function ringsOf(edges: Map<string, Set<string>>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const rings: string[][] = [];
  function visit(node: string): void {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== index.get(node)) return;
    const ring = stack.splice(stack.indexOf(node));
    if (ring.length > 1) rings.push(ring.sort());
  }
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return rings;
}

/** Folders whose rooms are to lie above or below each other. */
const WINGS = [
  ...[
    "server/cli",
    "server/gate",
    "server/run",
    "server/trace",
    "server/identity",
    "server/jobs",
    "server/http",
  ],
  ...["store", "viewer", "viewer/trace", "server/trace/format"],
];

/** The room of a wing that a file lies in: a folder, or for a file at the wing's root the file. */
const roomOf = (wing: string, path: string): string => path.slice(wing.length + 1).split("/")[0]!;

function floorOf(path: string): number {
  return FLOORS.findIndex((floor) => floor.holds(path));
}

describe("architecture", () => {
  test("every file of the program stands on a floor", () => {
    const homeless = files.filter((path) => !path.startsWith("viewer/") && floorOf(path) === -1);
    expect(homeless).toEqual([]);
  });

  test("imports go to the same floor or downward", () => {
    const upward: string[] = [];
    for (const path of files) {
      if (path.startsWith("viewer/")) continue;
      for (const target of importsOf(path)) {
        const to = floorOf(target);
        if (to === -1 || to < floorOf(path)) upward.push(`${path} → ${target}`);
      }
    }
    expect(upward).toEqual([]);
  });

  test("no cycle of files, types included", () => {
    expect(ringsOf(new Map(files.map((path) => [path, new Set(allImportsOf(path))])))).toEqual([]);
  });

  test.each(WINGS)("no cycle of folders within %s, types included", (wing) => {
    const rooms = new Map<string, Set<string>>();
    for (const path of files.filter((file) => file.startsWith(`${wing}/`))) {
      const room = roomOf(wing, path);
      const reached = rooms.get(room) ?? new Set<string>();
      rooms.set(room, reached);
      for (const target of allImportsOf(path))
        if (target.startsWith(`${wing}/`) && roomOf(wing, target) !== room) reached.add(roomOf(wing, target));
    }
    expect(ringsOf(rooms)).toEqual([]);
  });

  test("closed rooms keep to themselves", () => {
    const escapes: string[] = [];
    for (const { room, mayImport, why } of CLOSED)
      for (const path of files.filter((file) => file.startsWith(room)))
        for (const target of importsOf(path))
          if (!mayImport.test(target)) escapes.push(`${path} → ${target} (${why})`);
    expect(escapes).toEqual([]);
  });

  test("time, randomness, the network and the environment come in only through the platform", () => {
    const forbidden: [RegExp, string][] = [
      [/\bDate\.now\b/, "Date.now"],
      [/\bnew Date\(\)/, "new Date()"],
      [/\bMath\.random\b/, "Math.random"],
      [/\brandomUUID\b/, "randomUUID"],
      [/\bset(Timeout|Interval)\b/, "setTimeout or setInterval"],
      [/(?<![.\w])fetch\(/, "fetch("],
      [/\bprocess\.env\b/, "process.env"],
    ];
    const allowed = (path: string, what: string) =>
      path.startsWith("server/platform/") ||
      path.startsWith("viewer/") ||
      // Runs in recorded pages, not in this program.
      /^server\/run\/page-scripts\/(page-recorder|quiet-changes)\.ts$/.test(path) ||
      // The program of a person's Playwright, and its environment.
      path.startsWith("server/run/playwright/entry-") ||
      path === "server/config.ts" ||
      (path === "cli.ts" && what === "process.env");
    const found: string[] = [];
    for (const [path, source] of sources)
      for (const [pattern, what] of forbidden)
        if (!allowed(path, what) && pattern.test(withoutComments(source))) found.push(`${path}: ${what}`);
    expect(found).toEqual([]);
  });

  test("what the detectors of a cause share knows no detector, and only the rooms below it", () => {
    const roomIn = (path: string) => path.slice(ENGINE.length).split("/");
    const upward = files.flatMap((path) => {
      const at = path.startsWith(ENGINE) ? ENGINE_ROOMS.indexOf(roomIn(path)[0]!) : -1;
      if (at === -1) return [];
      return allImportsOf(path)
        .filter((target) => target.startsWith(ENGINE) && roomIn(target).length > 1)
        .filter((target) => !ENGINE_ROOMS.slice(0, at + 1).includes(roomIn(target)[0]!))
        .map((target) => `${path} → ${target}`);
    });
    expect(upward).toEqual([]);
  });

  test("state lies in fields of what was made, never in a map keyed by the dependencies or the store", () => {
    const hidden = [...sources].filter(([, source]) => /new WeakMap<\s*(Deps|Store|Records)\b/.test(source));
    expect(hidden.map(([path]) => path)).toEqual([]);
  });

  test("no SQL, no query and no engine outside the store", () => {
    const forbidden: [RegExp, string][] = [
      [/from "(kysely|bun:sqlite)"/, "a query builder or a database"],
      [/\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto|executeQuery|introspection)\b/, "a query"],
      [/["'`]\s*(SELECT\b[^"'`]*\bFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|PRAGMA)\b/i, "SQL"],
      [/from "[^"]*store\/records\/engine\//, "an engine"],
      [/\bstore\.sqlite\b/, "the connection"],
    ];
    const found = [...sources]
      .filter(([path]) => !path.startsWith("store/"))
      .flatMap(([path, source]) =>
        forbidden
          .filter(([pattern]) => pattern.test(withoutComments(source)))
          .map(([, what]) => `${path}: ${what}`),
      );
    expect(found).toEqual([]);
  });

  test("what is SQLite's own lies in its engine", () => {
    const own =
      /from "bun:sqlite"|\b(INDEXED BY|MATCH \?|rowid|json_(extract|each|insert)|instr\(|COLLATE|unixepoch|GLOB\b|INSERT OR|PRAGMA|pragma_\w+|sqlite_master|VACUUM)/i;
    const found = [...sources].filter(
      ([path, source]) =>
        path.startsWith("store/") &&
        !path.startsWith("store/records/engine/sqlite/") &&
        own.test(withoutComments(source)),
    );
    expect(found.map(([path]) => path)).toEqual([]);
  });

  test("what an engine's error means is said by the engine", () => {
    const found = [...sources].filter(
      ([path, source]) =>
        !path.startsWith("store/records/engine/sqlite/") && /\bSQLITE_/.test(withoutComments(source)),
    );
    expect(found.map(([path]) => path)).toEqual([]);
  });

  test("where the store keeps its files is known to the store alone", () => {
    const outside = files.filter((path) => !path.startsWith("store/"));
    const importing = outside.filter((path) => allImportsOf(path).includes("store/layout.ts"));
    const reading = outside.filter((path) =>
      /\bstore\.layout\b|\blayout\b[^;{]*\} = [\w.]*\bstore\b|\bloosePath\(/.test(
        withoutComments(sources.get(path)!),
      ),
    );
    expect({ importing, reading }).toEqual({ importing: [], reading: [] });
  });

  test("no select of the viewer is given a `defaultValue`, which Preact knows for other fields only", () => {
    const given = [...sources].filter(([, source]) => /<select\b(?:=>|[^>])*\bdefaultValue=/.test(source));
    expect(given.map(([path]) => path)).toEqual([]);
  });

  test("no file is longer than 400 lines", () => {
    const long = [...sources]
      .map(([path, source]) => [path, source.split("\n").length - 1] as const)
      .filter(([, lines]) => lines > 400);
    expect(long).toEqual([]);
  });

  test("rows, news and jobs go through `commit`", () => {
    // Commands on a folder that no server holds, a start that has nobody to tell yet, and what is made before its deps are.
    const offline =
      /^server\/(cli\/doctor-repair|identity\/(orgs|credentials\/api-key)|trace\/records\/rebuild)\.ts$/;
    const byHand = [/\btransaction\(\)/, /\bhub\.publish\(/, /\bjobs\.(add|wake)\(/];
    const found = files.filter(
      (path) =>
        path.startsWith("server/") &&
        path !== "server/jobs/commit.ts" &&
        !offline.test(path) &&
        byHand.some((pattern) => pattern.test(withoutComments(sources.get(path)!))),
    );
    expect(found).toEqual([]);
  });

  test("a run ends in one place, which adds the job of its end", () => {
    const users = files.filter((path) =>
      /\bendRun\b[^;]*from "[^"]*records\/verdicts\.ts"/.test(sources.get(path)!),
    );
    expect(users).toEqual(["server/trace/process/completion.ts"]);
  });

  test("every kind of job is in the list that the start checks", () => {
    const kinds = files
      .filter((path) => path.startsWith("server/") && path.endsWith("/kinds.ts"))
      .flatMap((path) =>
        [...sources.get(path)!.matchAll(/^export const \w+ = "([^"]+)";$/gm)].map((m) => m[1]!),
      );
    expect([...JOB_KINDS].sort()).toEqual(kinds.sort());
  });

  test("a noun that has endpoints is a folder with its routes in routes.ts", () => {
    const astray = files.filter((path) => {
      if (!path.startsWith("server/") || path === "server/app.ts") return false;
      const hasRoutes = /\.(get|post|put|patch|delete)\(\s*"\//.test(sources.get(path)!);
      return hasRoutes && !/[/-]routes\.ts$/.test(path);
    });
    expect(astray).toEqual([]);
  });
});

/** Text in quotes stays: what is forbidden does not stand there. */
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}
