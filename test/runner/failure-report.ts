/** Failures told in full; of the others the name has to do. */
const MOST_FAILURES = 20;
/** Lines of a message: a difference and where it was. */
const MOST_LINES = 40;
const MOST_LINE_LENGTH = 300;
/** Lines of code before the one that failed, and after it. */
const AROUND = 3;

const CASE =
  /<testcase name="([^"]*)" classname="([^"]*)"[^>]*? file="([^"]*)"[^>]*>\s*<failure type="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/failure>)/g;
const PLACE = /\bat (?:.* \()?([^\s()]+\.test\.tsx?):(\d+):\d+/;
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Tells every failure of Bun's JUnit report: its file and name, the lines of code around it and its message, each
 * bounded. `source` answers the text of a test file.
 */
export function tellFailures(junit: string, source: (file: string) => string): string[] {
  return [...junit.matchAll(CASE)].map(([, name, group, file, type, text], index) => {
    const title = plain(`${file}: ${group ? `${group} > ` : ""}${name}`);
    if (index >= MOST_FAILURES) return title;
    const message = plain(text || type || "");
    return [title, ...codeAround(message, source), ...bounded(message.trimEnd().split("\n"))].join("\n");
  });
}

function codeAround(message: string, source: (file: string) => string): string[] {
  const [, file, line] = PLACE.exec(message) ?? [];
  if (!file) return [];
  const at = Number(line) - 1;
  const from = Math.max(0, at - AROUND);
  const lines = source(file)
    .split("\n")
    .slice(from, at + AROUND + 1);
  return bounded(
    lines.map((text, index) => `${from + index === at ? ">" : " "} ${from + index + 1} | ${text}`),
  );
}

const bounded = (lines: string[]): string[] =>
  lines.slice(0, MOST_LINES).map((line) => line.slice(0, MOST_LINE_LENGTH));

const plain = (xml: string): string =>
  xml.replace(/&(?:#(\d+)|(\w+));/g, (_, code: string | undefined, name: string) =>
    code ? String.fromCodePoint(Number(code)) : (ENTITIES[name] ?? ""),
  );

/** The files of Bun's JUnit report in which a test failed. */
export function failingFiles(junit: string): string[] {
  return [...junit.matchAll(CASE)].map(([, , , file]) => plain(file ?? ""));
}

const BETWEEN_TESTS = "# Unhandled error between tests";
const RULE = /^-{20,}$/;
const HEADING = /^(\S.*\.test\.tsx?):$/;
/** Lines kept of what one file printed. */
const MOST_PRINTED = 400;

/**
 * Takes apart what `bun test` writes: what each file printed, and the errors that belong to no test (a file that cannot be
 * loaded, say), which its report leaves out.
 */
export function createSections() {
  const printed = new Map<string, string[]>();
  const broken = new Set<string>();
  const blocks: string[][] = [];
  let file = "";
  let unfinished = "";
  let rulesToCome = 0;

  function takeLine(line: string): void {
    const [, heading] = HEADING.exec(line) ?? [];
    if (heading) {
      file = heading;
      printed.set(file, []);
      return;
    }
    const lines = printed.get(file);
    if (lines && lines.length < MOST_PRINTED) lines.push(line);
    if (line === BETWEEN_TESTS) {
      broken.add(file);
      blocks.push([]);
      rulesToCome = 2;
    }
    if (rulesToCome === 0) return;
    if (RULE.test(line)) rulesToCome -= 1;
    else blocks.at(-1)?.push(line);
  }

  return {
    take(text: string): void {
      const lines = (unfinished + text).split("\n");
      unfinished = lines.pop() ?? "";
      for (const line of lines) takeLine(Bun.stripANSI(line));
    },
    strays: () => blocks.slice(0, MOST_FAILURES).map((lines) => bounded(lines).join("\n")),
    broken: () => [...broken].filter(Boolean),
    outputOf: (name: string) => (printed.get(name) ?? []).join("\n").trimEnd(),
  };
}
