import type { Deps } from "../../deps.ts";
import { configuredFor } from "../../identity/secrets/service.ts";
import { readSecrets, UnreadableSecretError } from "../../identity/secrets/values.ts";
import { RunnerError } from "../errors.ts";
import type { CompiledScenario } from "../language/ast.ts";
import type { ValueSources } from "./values.ts";

/** What a run knows of its org's secrets: those that its scenario names, and of these those that have a value. */
export type KnownSecrets = Pick<ValueSources, "secrets" | "secretOrigins">;

/**
 * Of a run that this server carries out.
 * @throws RunnerError `secret_unreadable`
 */
export async function secretsFor(
  deps: Pick<Deps, "store" | "config" | "vault">,
  orgId: string,
  scenario: CompiledScenario,
): Promise<KnownSecrets> {
  return secretsWith(deps, { orgId, scenario, configured: await configuredFor(deps, orgId) });
}

/**
 * With what settings.json and the environment have, whoever they belong to.
 * @throws RunnerError `secret_unreadable`
 */
export async function secretsWith(
  { store, vault }: Pick<Deps, "store" | "vault">,
  run: { orgId: string; scenario: CompiledScenario; configured: Deps["config"]["secrets"] },
): Promise<KnownSecrets> {
  const { orgId, scenario, configured } = run;
  try {
    const read = await readSecrets(
      { records: store.records, vault },
      { orgId, configured, names: scenario.secrets },
    );
    return { secrets: read.values, secretOrigins: read.origins };
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error;
    throw new RunnerError("secret_unreadable", error.message);
  }
}
