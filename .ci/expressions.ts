/**
 * What is recorded comes from anybody: no regular expression may take long for any text. Finds every literal of the program
 * and judges how its time grows with the text; what grows faster than the text is refused but where it is listed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { judge, UndecidedError } from "./expressions/degree.ts";
import { type Literal, literalsOf } from "./expressions/literals.ts";
import { STANDING } from "./expressions/standing.ts";

const root = join(import.meta.dir, "..");
const paths = ["cli.ts", ...new Bun.Glob("{server,store,viewer}/**/*.{ts,tsx}").scanSync(root)]
  .filter((path) => !path.endsWith(".d.ts"))
  .sort();
const literals = paths.flatMap((path) => literalsOf(path, readFileSync(join(root, path), "utf8")));

/** Bun writes escapes for letters beyond ASCII. */
const lettersOf = (source: string): string =>
  source.replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
const keyOf = (path: string, source: string, flags: string): string =>
  `${path}: /${lettersOf(source)}/${[...flags].sort().join("")}`;
const listed = new Set(
  STANDING.flatMap(({ expressions }) =>
    expressions.map(([path, { source, flags }]) => keyOf(path, source, flags)),
  ),
);
const verdicts = new Map<string, string>();
const slow = new Map<string, string>();
for (const literal of literals) {
  const { path, line, source, flags } = literal;
  const written = `/${source}/${flags}`;
  const verdict = verdicts.get(written) ?? verdictOn(literal);
  verdicts.set(written, verdict);
  if (verdict !== "") slow.set(keyOf(path, source, flags), `${path}:${line}: ${written}\n  ${verdict}`);
}

function verdictOn({ source, flags }: Literal): string {
  try {
    const { degree, pump } = judge(source, flags);
    return degree > 1 ? `${growthOf(degree)}${pump === "" ? "" : `: repeat ${JSON.stringify(pump)}`}` : "";
  } catch (error) {
    if (error instanceof UndecidedError) return error.message;
    throw error;
  }
}

function growthOf(degree: number): string {
  if (degree === Infinity) return "Its time doubles with each repetition";
  return `Its time grows with the ${degree === 2 ? "square" : `power of ${degree}`} of the text`;
}

const refused = [...slow].filter(([key]) => !listed.has(key)).map(([, said]) => said);
const idle = [...listed].filter((key) => !slow.has(key));
for (const said of refused) console.log(said);
for (const key of idle)
  console.log(`Listed in .ci/expressions/standing.ts, and not slow or not there: ${key}`);
console.log(
  `${literals.length} regular expressions, ${slow.size} of them slow, ${listed.size} of these listed.`,
);
process.exitCode = refused.length + idle.length === 0 ? 0 : 1;
