import { SettingsError } from "../../store/settings.ts";
import { isLoopbackName, loadConfig } from "../config.ts";
import { runningServer } from "../main.ts";
import { probe } from "../platform/api-client.ts";
import type { Finding } from "./finding.ts";

const NAME = "public_url";
const good = (detail: string): Finding => ({ name: NAME, ok: true, detail });
const bad = (detail: string): Finding => ({ name: NAME, ok: false, detail });

/** Whether the address that links name leads to this server, and by https all the way. */
export async function checkPublicUrl(dataDir: string): Promise<Finding> {
  const server = runningServer(dataDir);
  const url = server ? server.publicUrl : configured(dataDir);
  if (url instanceof SettingsError) return good("not known while settings.json cannot be used");
  if (url instanceof Error) return bad(url.message);
  if (url === null) return good("none; links name the address that each request came to");
  const { protocol, hostname } = new URL(url);
  if (isLoopbackName(hostname))
    return bad(`${url} means the machine of whoever follows a link: name an address that others reach`);
  if (!server) return good(`${url}; whether it leads here shows only while the server runs`);
  const answer = await probe(url);
  // From inside a network its own outer address is often out of reach.
  if (answer instanceof Error)
    return good(`${url}; it cannot be reached from this machine (${answer.message})`);
  return protocol === "https:" ? byHttps(url, answer) : byHttp(url, answer);
}

function byHttp(url: string, answer: Response): Finding {
  const leadsTo = URL.parse(answer.headers.get("location") ?? "", url);
  if (leadsTo?.protocol === "https:")
    return bad(
      `${url} leads on to https, so that cookies lack Secure: make it --public-url ${leadsTo.origin}`,
    );
  return answered(url, answer) ?? good(`${url}; without https whoever is between can read along`);
}

function byHttps(url: string, answer: Response): Finding {
  const problem = answered(url, answer);
  if (problem) return problem;
  if (answer.headers.has("strict-transport-security")) return good(url);
  return bad(
    `${url} leads here, but the proxy does not hand on the Host header, so that cookies lack Secure and links to files name this machine: ${HAND_ON}`,
  );
}

/** What is wrong where the answer is not this server's health; null where it is. */
function answered(url: string, answer: Response): Finding | null {
  if (answer.status === 421)
    return bad(`${url} leads to a proxy that sends a Host which this server does not know: ${HAND_ON}`);
  if (answer.ok && answer.headers.has("x-request-id")) return null;
  return bad(`${url} answers ${answer.status}, and not from this server: look at the proxy's log`);
}

const HAND_ON = "let it hand on the client's (nginx: proxy_set_header Host $http_host)";

function configured(dataDir: string): string | null | Error {
  try {
    return loadConfig({ data: dataDir }).publicUrl;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
