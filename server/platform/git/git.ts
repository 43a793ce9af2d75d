/** A repository that cannot be asked, or a commit that it does not have; the message is for people. */
export class GitError extends Error {
  override name = "GitError";
  readonly kind: "no_repository" | "no_commit" | "no_git" | "too_much";
  constructor(kind: GitError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

const LONGEST_MS = 30_000;

/** Runs git with nothing of its configuration that could start other programs; null text when it fails. */
export async function git(
  folder: string,
  args: string[],
  more: More = {},
): Promise<{ text: string | null; problem: string }> {
  let child: ReturnType<typeof start>;
  try {
    child = start(folder, args, more);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new GitError("no_git", `git is not installed here, or there is no folder ${folder}.`);
    if (error instanceof Error && "code" in error && (error.code === "ENOTDIR" || error.code === "EACCES"))
      throw new GitError("no_repository", `${folder} is no folder that can be read as a git repository.`);
    throw error;
  }
  const [text, problem, code] = await Promise.all([
    textOf(child.stdout),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { text: code === 0 ? text : null, problem: problem.trim() };
}

/** As it is: `text()` would take away the byte order mark that a file begins with. */
const textOf = async (stream: ReadableStream<Uint8Array>): Promise<string> =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(await new Response(stream).bytes());

interface More {
  env?: Record<string, string>;
  /** What it reads from its standard input. */
  input?: string;
}

const start = (folder: string, args: string[], { env = {}, input }: More) =>
  Bun.spawn(["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...args], {
    cwd: folder,
    stdin: input === undefined ? "ignore" : Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
    timeout: LONGEST_MS,
    env: {
      ...withoutGit(process.env),
      // Prompts nobody could answer, and objects that would have to be fetched by a program of the configuration.
      GIT_TERMINAL_PROMPT: "0",
      GIT_NO_LAZY_FETCH: "1",
      GIT_OPTIONAL_LOCKS: "0",
      LC_ALL: "C",
      ...env,
    },
  });

/** Another repository, index or program that the server's own environment names is not meant. */
const withoutGit = (env: Record<string, string | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^GIT_(?!CONFIG_GLOBAL$|CONFIG_NOSYSTEM$|EXEC_PATH$)/.test(name)),
  );
