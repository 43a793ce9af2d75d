import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { type RequestOptions, request } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type Background, requireProgram, startInBackground } from "./packages.ts";
import { until } from "./until.ts";

/** The name that the example files are written for. */
export const NAME = "traces.example.com";
const EXAMPLES = join(import.meta.dir, "..", "..", "fixtures", "proxies");

export interface Certificate {
  cert: string;
  key: string;
  /** PEM text of who vouches for it: itself. */
  ca: string;
}

/** A certificate of our own making. `names` as openssl writes them: `DNS:…`, `IP:…`. */
export function makeCertificate(folder: string, names: string[]): Certificate {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const made = Bun.spawnSync([
    requireProgram("openssl"),
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=test", "-addext", `subjectAltName=${names.join(",")}`, "-keyout", key, "-out", cert],
  ]);
  if (!made.success) throw new Error(made.stderr.toString());
  return { cert, key, ca: readFileSync(cert, "utf8") };
}

export async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as { port: number };
    server.close(() => resolve(port));
  });
  return promise;
}

interface Placed {
  folder: string;
  certificate: Certificate;
  /** Port that the proxy takes https on. */
  port: number;
  /** Port that it sends on to https from. */
  httpPort?: number;
  /** Where Tracedeck listens: `host:port`. */
  upstream: string;
  /** More changes of the example: what stands there, and what comes in its place. */
  changes?: Record<string, string>;
}

/** nginx with the example file, which is only told where everything is here. */
export async function startNginx({
  folder,
  certificate,
  port,
  httpPort,
  upstream,
  changes,
}: Placed): Promise<Background> {
  const example = replaced("nginx.conf", {
    "listen 80;": `listen 127.0.0.1:${httpPort ?? (await freePort())};`,
    "listen 443 ssl": `listen 127.0.0.1:${port} ssl`,
    "/etc/ssl/traces.example.com.pem": certificate.cert,
    "/etc/ssl/traces.example.com.key": certificate.key,
    "127.0.0.1:4173": upstream,
    ...changes,
  });
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const whole = [
    `daemon off; master_process off; pid ${join(folder, "pid")}; error_log stderr;`,
    `events {} http { access_log off; ${temporary.join(" ")}`,
    example,
    "}",
  ].join("\n");
  const path = join(folder, "nginx.conf");
  writeFileSync(path, whole);
  return listening(
    startInBackground([requireProgram("nginx"), "-e", "stderr", "-p", folder, "-c", path]),
    port,
  );
}

/** Caddy with the example file, which is only told where everything is here. */
export async function startCaddy({
  folder,
  certificate,
  port,
  upstream,
  changes,
}: Placed): Promise<Background> {
  const example = replaced("Caddyfile", {
    [`${NAME} {`]: `${NAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate.cert} ${certificate.key}`,
    "127.0.0.1:4173": upstream,
    ...changes,
  });
  const path = join(folder, "Caddyfile");
  writeFileSync(path, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${example}`);
  const home = join(folder, "home");
  mkdirSync(home);
  const env = { HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const command = [requireProgram("caddy"), "run", "--adapter", "caddyfile", "--config", path];
  return listening(startInBackground(command, env), port);
}

/** All at once: what was put in may hold what another change looks for, as a free port of 41730 does. */
function replaced(example: string, changes: Record<string, string>): string {
  const text = readFileSync(join(EXAMPLES, example), "utf8");
  const wanted = Object.keys(changes);
  for (const from of wanted) if (!text.includes(from)) throw new Error(`${example} has no "${from}".`);
  return text.replaceAll(new RegExp(wanted.map(RegExp.escape).join("|"), "g"), (from) => changes[from]!);
}

/** @throws what a proxy said that ended */
async function listening(proxy: Background, port: number): Promise<Background> {
  await until("the proxy listens", async () => {
    if (proxy.exitCode !== null) throw new Error(`The proxy ended: ${await proxy.said()}`);
    return canConnect(port);
  });
  return proxy;
}

async function canConnect(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}

/** What a client that finds the name at this machine gets: it asks for `path` there, by TLS. */
export function askProxy(
  place: { port: number; ca: string },
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: Buffer | Readable } = {},
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    host: "127.0.0.1",
    port: place.port,
    servername: NAME,
    ca: place.ca,
    path,
    method: init.method ?? "GET",
    headers: { host: `${NAME}:${place.port}`, ...init.headers },
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const sent = request(options, resolve);
    sent.on("error", reject);
    if (init.body instanceof Readable) init.body.pipe(sent);
    else sent.end(init.body);
  });
}

export async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
