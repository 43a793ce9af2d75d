import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitTime, headCommit } from "../../../server/platform/git/commits.ts";
import { filesOfCommit } from "../../../server/platform/git/files-of-commit.ts";
import { scratchFolder } from "../../helpers/program.ts";

const LIMITS = { most: 10, maxBytes: 1_000_000 };

let folder: ReturnType<typeof scratchFolder>;
let repository: string;
beforeAll(() => {
  folder = scratchFolder();
  repository = join(folder.path, "repository");
  mkdirSync(repository);
  git(["init", "--quiet", "--initial-branch=main"]);
  writeFileSync(join(repository, "marked.js"), "\ufeffconst a = 1;\n");
  git(["add", "."]);
  git(["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "-m", "Files"]);
});
afterAll(() => folder.remove());

function git(args: string[], input = ""): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const { status, stdout, stderr } = spawnSync("git", args, {
    cwd: repository,
    env,
    input,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

test("a file is read with the byte order mark that it begins with", async () => {
  const head = await headCommit(repository);
  const [file] = await filesOfCommit(repository, head, (path) => path === "marked.js", LIMITS);
  expect(file?.text).toBe("\ufeffconst a = 1;\n");
});

test("the time of a signed commit is read without the program that the configuration names for signatures", async () => {
  const marker = join(folder.path, "was-run");
  const program = join(folder.path, "gpg");
  writeFileSync(program, `#!/bin/sh\ntouch ${JSON.stringify(marker)}\necho 'gpg: Good signature' >&2\n`);
  chmodSync(program, 0o755);
  git(["config", "gpg.program", program]);
  git(["config", "log.showSignature", "true"]);
  const [headers = "", message = ""] = git(["cat-file", "commit", "HEAD"]).split(/\n\n([\s\S]*)/);
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----";
  const signed = git(
    ["hash-object", "-t", "commit", "-w", "--stdin"],
    `${headers}\n${signature}\n\n${message}\n`,
  );
  expect(await commitTime(repository, signed)).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}(Z|[+-]\d\d:\d\d)$/);
  expect(existsSync(marker)).toBe(false);
});
