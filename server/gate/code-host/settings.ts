import type { Settings } from "../../../store/settings.ts";

/** What of the settings leads to a code host. */
export interface CodeHostSettings {
  apiUrl: string;
  /** `owner/name` */
  repository: string;
  credentials: { kind: "app"; appId: string; privateKey: string } | { kind: "token"; token: string };
}

/** Null when the settings name no repository, or nothing to get in by. An app goes before a token. */
export function codeHostSettings(host: Settings["code_host"]): CodeHostSettings | null {
  const { api_url: apiUrl, repository, app_id: appId, private_key: privateKey, token } = host;
  if (repository === null) return null;
  if (appId !== null && privateKey !== null)
    return { apiUrl, repository, credentials: { kind: "app", appId: String(appId), privateKey } };
  return token === null ? null : { apiUrl, repository, credentials: { kind: "token", token } };
}
