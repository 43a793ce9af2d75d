/** `bun run check`: what must hold besides the tests. Runs all of it, even when something fails, and says what did. */
import { join } from "node:path";

const root = join(import.meta.dir, "..");

interface Check {
  name: string;
  /** Arguments of Bun. */
  command: string[];
  /** Whether what it prints is worth reading when all is well. */
  isTold?: boolean;
}

const AT_ONCE: Check[] = [
  { name: "types", command: ["check", "--no-pretty", "--no-script", "-p", "."] },
  { name: "format and lint", command: ["x", "biome", "ci", "--colors=off", "--error-on-warnings", "."] },
  { name: "architecture", command: ["test", "test/architecture.test.ts"] },
  { name: "regular expressions", command: [".ci/expressions.ts"] },
  { name: "build and smoke", command: [".ci/smoke.ts"] },
];
/** They start the executable that the smoke test has built. */
const BENCHES: Check = { name: "every bench measures", command: [".ci/benches.ts"], isTold: true };

const results = [...(await Promise.all(AT_ONCE.map(check))), await check(BENCHES)];

async function check({ name, command, isTold = false }: Check): Promise<boolean> {
  const started = performance.now();
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? "ok  " : "FAIL"}  ${name} (${seconds} s)`);
  if (code !== 0) console.log(`${out}${err}`.trimEnd());
  else if (isTold) console.log(out.trimEnd());
  return code === 0;
}

const failed = results.filter((ok) => !ok).length;
console.log(failed === 0 ? "All checks passed." : `${failed} of ${results.length} checks failed.`);
process.exitCode = failed === 0 ? 0 : 1;
