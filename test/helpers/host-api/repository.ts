import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Files of a commit by their path; null removes one. */
export type Files = Record<string, string | null>;

export interface TreeEntry {
  path: string;
  mode: string;
  type: string;
  sha: string;
  size?: number;
}

/** A real git repository without a work tree, as a code host keeps it. */
export function createRepository() {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-host-"));
  const who = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.com" };
  const env = {
    ...process.env,
    ...who,
    GIT_COMMITTER_NAME: who.GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: who.GIT_AUTHOR_EMAIL,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };

  function run(args: string[], input?: string, more: Record<string, string> = {}): string | null {
    const { exitCode, stdout } = Bun.spawnSync(["git", ...args], {
      cwd: folder,
      env: { ...env, ...more },
      stdin: input === undefined ? "ignore" : Buffer.from(input),
      stderr: "ignore",
    });
    return exitCode === 0 ? stdout.toString() : null;
  }
  function must(args: string[], input?: string, more?: Record<string, string>): string {
    const text = run(args, input, more);
    if (text === null) throw new Error(`git ${args.join(" ")} failed`);
    return text.trimEnd();
  }
  must(["init", "--quiet", "--bare", "--initial-branch=main"]);
  let indexes = 0;

  /** A tree of another one with entries changed. */
  function writeTree(
    base: string | null,
    entries: { path: string; mode: string; sha: string | null }[],
  ): string {
    const index = { GIT_INDEX_FILE: join(folder, `index-${indexes++}`) };
    must(base === null ? ["read-tree", "--empty"] : ["read-tree", base], undefined, index);
    const lines = entries.map(
      ({ path, mode, sha }) => `${sha === null ? "0" : mode} ${sha ?? "0".repeat(40)}\t${path}`,
    );
    must(["update-index", "--add", "--index-info"], `${lines.join("\n")}\n`, index);
    return must(["write-tree"], undefined, index);
  }
  const writeBlob = (text: string) => must(["hash-object", "-w", "--stdin"], text);
  const commitTree = (tree: string, parents: string[], message: string) =>
    must(["commit-tree", tree, ...parents.flatMap((one) => ["-p", one]), "-m", message]);
  const resolve = (name: string) =>
    run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`])?.trim() ?? null;
  /** Lists show the same branch a hundred times. */
  const heads = new Map<string, string>();
  function setRef(ref: string, sha: string) {
    must(["update-ref", ref, sha]);
    heads.set(ref, sha);
  }

  return {
    folder,
    /** A commit on a branch, which begins at `from` (`main`) where it is new. @returns its hash */
    commit(branch: string, files: Files, { from = "main", message = "A change" } = {}): string {
      const parent = resolve(`refs/heads/${branch}`) ?? resolve(from);
      const tree = writeTree(
        parent && `${parent}^{tree}`,
        Object.entries(files).map(([path, text]) => ({
          path,
          mode: "100644",
          sha: text === null ? null : writeBlob(text),
        })),
      );
      const sha = commitTree(tree, parent === null ? [] : [parent], message);
      setRef(`refs/heads/${branch}`, sha);
      return sha;
    },
    resolve,
    head: (branch: string) => heads.get(`refs/heads/${branch}`) ?? null,
    treeOf: (sha: string) => run(["rev-parse", "--verify", "--quiet", `${sha}^{tree}`])?.trim() ?? null,
    writeTree,
    writeBlob,
    commitTree,
    setRef,
    blob: (sha: string) => run(["cat-file", "blob", sha]),
    /** What a file holds at the head of a branch or a commit; null without. */
    fileAt: (name: string, path: string) => run(["cat-file", "blob", `${name}:${path}`]),
    modeAt: (name: string, path: string) => run(["ls-tree", name, path])?.split(" ")[0] ?? null,
    tree(sha: string, recursive: boolean): TreeEntry[] | null {
      const text = run(["ls-tree", "-z", "-l", ...(recursive ? ["-r", "-t"] : []), sha]);
      if (text === null) return null;
      return text
        .split("\0")
        .filter(Boolean)
        .map((line) => {
          const [head, path] = [line.slice(0, line.indexOf("\t")), line.slice(line.indexOf("\t") + 1)];
          const [mode, type, entry, size] = head.split(/ +/) as [string, string, string, string];
          return { path, mode, type, sha: entry, ...(size !== "-" && { size: Number(size) }) };
        });
    },
    mergeBase: (base: string, head: string) => run(["merge-base", base, head])?.trim() ?? null,
    /** Changed files between the merge base of two commits and the second; null for commits that are not there. */
    compare(
      base: string,
      head: string,
    ): { filename: string; status: string; previous_filename?: string }[] | null {
      const text = run(["diff", "--name-status", "-z", "-M", `${base}...${head}`]);
      if (text === null) return null;
      const parts = text.split("\0").filter(Boolean);
      const found: { filename: string; status: string; previous_filename?: string }[] = [];
      while (parts.length > 0) {
        const kind = parts.shift()!;
        const first = parts.shift()!;
        if (kind.startsWith("R"))
          found.push({ filename: parts.shift()!, status: "renamed", previous_filename: first });
        else
          found.push({
            filename: first,
            status: kind === "A" ? "added" : kind === "D" ? "removed" : "modified",
          });
      }
      return found;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
export type Repository = ReturnType<typeof createRepository>;
