import type { Static } from "@sinclair/typebox";
import { Blob, Commit, Comparison, Ref, RepositoryOf, Tree } from "./answers.ts";
import type { BlobCache } from "./blob-cache.ts";
import type { Connection } from "./connection.ts";
import { type CodeHost, CodeHostError, type RepositoryFile } from "./types.ts";

/** The host names no more of a comparison, and does not say that there are. */
const COMPARED = 300;
/** It sends every file's patch along. */
const COMPARISON_BYTES = 48 * 1024 * 1024;
/** The host cuts a tree at 7 MB; with each entry's address that is more. */
const TREE_BYTES = 48 * 1024 * 1024;
const MOST_TREES = 200;
const MOST_BYTES = 8 * 1024 * 1024;
const AT_ONCE = 4;

export interface TreeFile {
  path: string;
  mode: string;
  sha: string;
  size: number;
}

/** What commits hold and how they differ: https://docs.github.com/rest/git/trees, …/commits/commits#compare-two-commits */
export function contentReads(
  host: Connection,
  cache: BlobCache,
): Pick<CodeHost, "changedFiles" | "defaultBranch" | "filesAt"> {
  return {
    async changedFiles(baseSha, headSha) {
      const { data } = await host.call(
        "GET /repos/{owner}/{repo}/compare/{basehead}",
        { basehead: `${baseSha}...${headSha}`, per_page: 1 },
        Comparison,
        { maxBytes: COMPARISON_BYTES },
      );
      const files = data.files ?? [];
      const paths = files.flatMap((file) => [file.filename, file.previous_filename ?? []].flat());
      return {
        paths: [...new Set(paths)],
        isCut: files.length >= COMPARED,
        mergeBaseSha: data.merge_base_commit?.sha ?? null,
      };
    },
    async defaultBranch() {
      const { data } = await host.call("GET /repos/{owner}/{repo}", {}, RepositoryOf);
      const ref = data.default_branch;
      const { data: head } = await host.call(
        "GET /repos/{owner}/{repo}/git/ref/{ref}",
        { ref: `heads/${ref}` },
        Ref,
      );
      return { ref, sha: head.object.sha };
    },
    async filesAt(sha, isWanted, most) {
      const { data } = await host.call(
        "GET /repos/{owner}/{repo}/git/commits/{commit_sha}",
        { commit_sha: sha },
        Commit,
      );
      const wanted = (await filesOf(host, data.tree.sha)).filter(({ path }) => isWanted(path));
      if (wanted.length > most)
        throw new CodeHostError("refused", `The commit has ${wanted.length} such files; ${most} are taken.`);
      const bytes = wanted.reduce((sum, { size }) => sum + size, 0);
      if (bytes > MOST_BYTES)
        throw new CodeHostError(
          "refused",
          `The commit's ${wanted.length} such files have ${bytes} bytes; ${MOST_BYTES} are taken.`,
        );
      const found: RepositoryFile[] = [];
      for (let i = 0; i < wanted.length; i += AT_ONCE) {
        const some = wanted.slice(i, i + AT_ONCE);
        found.push(
          ...(await Promise.all(
            some.map(async (file) => ({ path: file.path, text: await textOf(host, cache, file) })),
          )),
        );
      }
      return found;
    },
  };
}

/** Files of a tree, links and submodules aside. A tree that the host cuts is read folder by folder. */
export async function filesOf(host: Connection, treeSha: string): Promise<TreeFile[]> {
  let asked = 0;
  async function readTree(sha: string, isWhole: boolean): Promise<Static<typeof Tree>> {
    if (++asked > MOST_TREES)
      throw new CodeHostError(
        "refused",
        "The repository has more folders than the code host can be asked for.",
      );
    const { data } = await host.call(
      "GET /repos/{owner}/{repo}/git/trees/{tree_sha}",
      { tree_sha: sha, ...(isWhole && { recursive: "1" }) },
      Tree,
      { maxBytes: TREE_BYTES },
    );
    return data;
  }
  async function below(sha: string, folder: string): Promise<TreeFile[]> {
    const whole = await readTree(sha, true);
    if (!whole.truncated) return toFiles(whole, folder);
    const { tree } = await readTree(sha, false);
    const files = toFiles({ tree }, folder);
    for (const entry of tree)
      if (entry.type === "tree" && entry.sha)
        files.push(...(await below(entry.sha, `${folder}${entry.path}/`)));
    return files;
  }
  return below(treeSha, "");
}

/** Of regular files: `100644` and `100755`. */
function toFiles({ tree }: Pick<Static<typeof Tree>, "tree">, folder: string): TreeFile[] {
  return tree.flatMap(({ path, mode, type, sha, size }) =>
    type === "blob" && mode.startsWith("100") && sha
      ? [{ path: `${folder}${path}`, mode, sha, size: size ?? 0 }]
      : [],
  );
}

/** What a file holds never changes under its hash, so it is asked for once. */
async function textOf(host: Connection, cache: BlobCache, { sha, path, size }: TreeFile): Promise<string> {
  const kept = cache.get(sha);
  if (kept !== null) return kept;
  const { data } = await host.call(
    "GET /repos/{owner}/{repo}/git/blobs/{file_sha}",
    { file_sha: sha },
    Blob,
    // Base64 with line ends, and the fields around it.
    { maxBytes: Math.ceil(size * 1.5) + 64 * 1024 },
  );
  if (data.encoding !== "base64" && data.encoding !== "utf-8")
    throw new CodeHostError(
      "refused",
      `The code host gives ${path} in an encoding that is not known: ${data.encoding}.`,
    );
  const text = data.encoding === "base64" ? Buffer.from(data.content, "base64").toString() : data.content;
  cache.put(sha, text);
  return text;
}
