/** How the programs that tests run beside our own are called on the PATH, and in Debian. `bun run test` installs them where it may. */
const PACKAGES = {
  "redis-server": "redis-server",
  "redis-cli": "redis-tools",
  mariadbd: "mariadb-server-core",
  "mariadb-install-db": "mariadb-server-core",
  mariadb: "mariadb-client-core",
  nginx: "nginx",
  caddy: "caddy",
  openssl: "openssl",
  // Linux's own: what it breaks is tested nowhere else.
  ...(process.platform === "linux" ? { strace: "strace" } : {}),
};
type Program = keyof typeof PACKAGES;

/** Of Debian's, those whose programs are not here. */
export function missingPackages(): string[] {
  const missing = Object.entries(PACKAGES).filter(([program]) => !find(program as Program));
  return [...new Set(missing.map(([, name]) => name))];
}

/** Also where people who are not root have no PATH to. */
const find = (program: Program): string | null =>
  Bun.which(program, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });

/** The path of a program. @throws with how to get it */
export function requireProgram(program: Program): string {
  const path = find(program);
  if (path) return path;
  throw new Error(
    `This test needs ${program}: install it (Debian: \`apt-get install --no-install-recommends ${missingPackages().join(" ")}\`; ` +
      "macOS: `brew install redis mariadb nginx caddy`), and run it again.",
  );
}

/** A program that runs until it is stopped. */
export interface Background {
  readonly exitCode: number | null;
  /** The end of what it said. Resolves when it has ended. */
  said(): Promise<string>;
  stop(): Promise<void>;
}

export function startInBackground(command: string[], env?: Record<string, string>): Background {
  const child = Bun.spawn(command, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  const said = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return {
    get exitCode() {
      return child.exitCode;
    },
    said: async () => (await said).join("\n").slice(-2000),
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
