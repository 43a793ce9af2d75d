import type { GateRow } from "../../../store/records/gates.ts";
import type { Deps } from "../../deps.ts";
import { isFirstOrg } from "../../identity/orgs.ts";
import { boundedFetch } from "../../platform/bounded-fetch.ts";
import type { CodeHost } from "../code-host/types.ts";
import { isOwnRepository } from "./own-repository.ts";
import { PlanError } from "./source.ts";

/** Where a gate's runs go, or why nobody knows yet; `canCome` when waiting may help. */
export type Address = { url: string } | { url: null; why: string; canCome: boolean };

const PATIENCE_MS = 10_000;

/**
 * The address of what was made of a commit: as the request says, as the code host's newest deployment says, or as the template of the
 * settings makes it, once something answers there.
 * @throws PlanError for a template that makes no address; CodeHostError
 */
export async function addressOf(deps: Deps, gate: GateRow, host: CodeHost | null): Promise<Address> {
  if (gate.base_url !== null) return { url: gate.base_url };
  const deployed = host ? await host.previewUrl(gate.head_sha) : null;
  if (deployed !== null && isAddress(deployed)) return { url: deployed };
  const template = (await isFirstOrg(deps, gate.org_id)) ? templateOf(deps, gate) : null;
  if (template !== null) {
    const url = fillTemplate(template, { ...gate, sha: gate.head_sha });
    const why = await whyNotReady(url);
    return why === null ? { url } : { url: null, why, canCome: true };
  }
  if (host) return { url: null, why: "No deployment of the commit has an address yet.", canCome: true };
  return {
    url: null,
    why: 'Nobody says where the commit can be tried: the request must name an address ("url"; --url of `tracedeck gate`), or settings.json a "code_host.preview_url_template".',
    canCome: false,
  };
}

/** Where the base commit of a gate can be tried; null where nobody knows. @throws CodeHostError */
export async function baseAddressOf(
  deps: Deps,
  gate: GateRow,
  host: CodeHost | null,
): Promise<string | null> {
  const deployed = host ? await host.previewUrl(gate.base_sha) : null;
  if (deployed !== null && isAddress(deployed)) return deployed;
  const template = (await isFirstOrg(deps, gate.org_id)) ? templateOf(deps, gate) : null;
  // What names the pull request leads to its own preview.
  if (template === null || !/\{(?:sha|short_sha)\}/.test(template) || /\{(?:number|branch)\}/.test(template))
    return null;
  const url = fillTemplate(template, { ...gate, sha: gate.base_sha });
  return (await whyNotReady(url)) === null ? url : null;
}

/** The settings' template is of their own repository. */
function templateOf({ config }: Deps, { repository }: GateRow): string | null {
  const { code_host } = config.settings;
  return isOwnRepository(code_host.repository, repository) ? code_host.preview_url_template : null;
}

/**
 * Fills `{number}`, `{sha}`, `{short_sha}` (7 characters) and `{branch}` (as preview hosts write it in a name: a-z, 0-9 and `-`).
 * @throws PlanError for what is no such name, or when no http(s) address comes out
 */
export function fillTemplate(
  template: string,
  { pr_number, sha, head_ref }: Pick<GateRow, "pr_number" | "head_ref"> & { sha: string },
): string {
  const branch = head_ref
    .replace(/^refs\/heads\//, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 63);
  const values: Record<string, string> = { sha, short_sha: sha.slice(0, 7), branch };
  if (pr_number !== null) values.number = String(pr_number);
  const url = template.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = values[name];
    if (value !== undefined) return value;
    throw new PlanError(
      name === "number"
        ? '"code_host.preview_url_template" of settings.json has {number}, and this commit belongs to no pull request.'
        : `"code_host.preview_url_template" of settings.json has {${name}}; {number}, {sha}, {short_sha} and {branch} were expected.`,
    );
  });
  if (!isAddress(url))
    throw new PlanError(
      '"code_host.preview_url_template" of settings.json makes no http(s) address, such as https://pr-7.preview.example.',
    );
  return url;
}

export const isAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** A preview that is being made answers 404 or a gateway's error, or not at all. */
async function whyNotReady(url: string): Promise<string | null> {
  try {
    const response = await boundedFetch(url, {
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.body?.cancel();
    if (response.status !== 404 && response.status < 500) return null;
    return `${url} answers ${response.status}.`;
  } catch {
    return `Nothing answers at ${url}.`;
  }
}
