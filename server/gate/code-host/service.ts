import { listInbound, lookedAt } from "../../../store/records/inbound-deliveries.ts";
import type { Deps } from "../../deps.ts";
import type { Actor } from "../../identity/actor.ts";
import { isFirstOrg, outsideAddress } from "../../identity/orgs.ts";
import { toIso } from "../../platform/clock.ts";
import { codeHostOf } from "./code-host-of.ts";
import type { CodeHostCheck, CodeHostState } from "./model.ts";
import { codeHostSettings } from "./settings.ts";
import { CodeHostError } from "./types.ts";

type HostDeps = Pick<Deps, "store" | "config" | "gateState">;

/** What is set for the code host of the actor's org, and what is missing. Settings are the first org's: others have none. */
export async function showCodeHost(deps: HostDeps, { orgId }: Pick<Actor, "orgId">): Promise<CodeHostState> {
  const { records } = deps.store;
  const isFirst = await isFirstOrg(deps, orgId);
  const host = deps.config.settings.code_host;
  const [newest] = await listInbound(records, { orgId, limit: 1 });
  const looked = await lookedAt(records, orgId);
  const iso = (at: number | null | undefined) => (at === null || at === undefined ? null : toIso(at));
  return {
    repository: isFirst ? host.repository : null,
    api_url: isFirst ? host.api_url : "",
    credential: (isFirst && codeHostSettings(host)?.credentials.kind) || "none",
    webhook_url: `${outsideAddress(deps.config)}/v1/webhooks/github`,
    receives: isFirst && host.app_id !== null && host.webhook_secret !== null,
    missing: isFirst ? missingOf(host) : [],
    last_delivery_at: iso(newest?.received_at),
    looked_at: iso(looked),
  };
}

/** What an app needs; nothing of it is missing where only a token is set. */
function missingOf(host: HostDeps["config"]["settings"]["code_host"]): string[] {
  const isPlugAndPlay = host.app_id === null && host.private_key === null && host.webhook_secret === null;
  const missing: (keyof typeof host)[] = [];
  if (host.repository === null) missing.push("repository");
  if (isPlugAndPlay && host.token !== null) return missing.map((key) => `code_host.${key}`);
  if (host.app_id === null) missing.push("app_id");
  if (host.private_key === null && host.token === null) missing.push("private_key");
  if (host.webhook_secret === null) missing.push("webhook_secret");
  return missing.map((key) => `code_host.${key}`);
}

/** Asks the code host for the open pull requests, to see whether address, credential and repository are right. */
export async function checkCodeHost(deps: HostDeps, { orgId }: Pick<Actor, "orgId">): Promise<CodeHostCheck> {
  const host = await codeHostOf(deps, orgId);
  if (host === null)
    return { ok: false, message: "settings.json names no repository, or nothing to get in by." };
  try {
    const { length } = await host.openPullRequests();
    const count = length === 1 ? "1 open pull request" : `${length} open pull requests`;
    return { ok: true, message: `${host.repository} answers: ${count}.` };
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error;
    return { ok: false, message: error.message };
  }
}
