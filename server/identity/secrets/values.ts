import type { Records } from "../../../store/records/db.ts";
import { type SecretRow, secretsNamed } from "../../../store/records/secrets.ts";
import type { ConfiguredSecret } from "../../config.ts";
import type { Vault } from "./vault.ts";

/** Secrets by name, and where those may go that may not go everywhere. */
export interface SecretValues {
  values: Record<string, string>;
  origins: Record<string, readonly string[]>;
}

/** A secret that is kept but cannot be read; the message names it and says what to do. */
export class UnreadableSecretError extends Error {
  override name = "UnreadableSecretError";
}

/**
 * What an org's secrets are worth: what is configured wins over what the API keeps. Names that have no value are left out.
 * @throws UnreadableSecretError
 */
export async function readSecrets(
  { records, vault }: { records: Records; vault: Vault },
  wanted: { orgId: string; names: readonly string[]; configured: Readonly<Record<string, ConfiguredSecret>> },
): Promise<SecretValues> {
  const found = new Map<string, { value: string; origins: readonly string[] | null }>();
  const kept = await secretsNamed(records, wanted.orgId, wanted.names);
  for (const name of wanted.names) {
    const configured = Object.hasOwn(wanted.configured, name) ? wanted.configured[name] : undefined;
    const row = kept.find((one) => one.name === name);
    if (configured) found.set(name, configured);
    else if (row) found.set(name, { value: openRow(vault, row), origins: originsOf(row) });
  }
  const all = [...found];
  return {
    values: Object.fromEntries(all.map(([name, { value }]) => [name, value])),
    origins: Object.fromEntries(all.flatMap(([name, { origins }]) => (origins ? [[name, origins]] : []))),
  };
}

export const originsOf = (row: SecretRow): string[] | null =>
  row.origins === null ? null : (JSON.parse(row.origins) as string[]);

function openRow(vault: Vault, row: SecretRow): string {
  const value = vault.open({ orgId: row.org_id, name: row.name, origins: originsOf(row) }, row.sealed);
  if (value !== null) return value;
  throw new UnreadableSecretError(
    `The secret ${row.name} cannot be decrypted: it was kept under another signing.key, or its row was altered. Bring that signing.key back, or give its value anew with \`tracedeck secrets set ${row.name}\`.`,
  );
}
