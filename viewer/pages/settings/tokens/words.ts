import type { KeyView } from "../../../../server/identity/keys/model.ts";
import { formatAgo, plural } from "../../../ui/format.ts";

type Kind = KeyView["kind"];

export const KIND_NAMES: Record<Kind, string> = {
  pat: "Personal token",
  svc: "Service token",
  sk: "API key",
};

/** What each kind is for, in a line. */
export const KIND_WORDS: Record<Kind, string> = {
  pat: "Acts as you, with your role, for your own scripts and agents. It always expires, and ends when you leave.",
  svc: "Belongs to the organisation and to nobody, for CI and servers. It goes on when its maker leaves.",
  sk: "Belongs to the organisation, for uploading traces and for what used API keys before.",
};

/** What scopes allow, in words. One without words is shown by its name alone. */
const SCOPE_WORDS: Record<string, string> = {
  "traces:read": "See traces, test runs and failures",
  "traces:write": "Upload, pin and remove traces",
  "traces:share": "Make share links",
  "runs:read": "See runs",
  "runs:write": "Start and stop runs",
  "scheduled_checks:manage": "Manage scheduled checks",
  "incidents:read": "See incidents",
  "incidents:write": "Acknowledge and suppress incidents",
  "mender:read": "See proposed fixes",
  "mender:apply": "Apply proposed fixes",
  "scenarios:read": "See scenarios",
  "audit:read": "Read the audit log",
  "keys:manage": "Make and revoke everybody's keys and tokens",
  "webhooks:manage": "Manage webhooks and channels",
  "billing:read": "See usage and limits",
  "scim:manage": "Provision people and groups",
  "secrets:manage": "Set and remove secrets",
  "mcp:read": "Read traces, runs, scenarios and incidents",
  "mcp:write": "Change runs and incidents",
  "mcp:run": "Start runs and replays",
  "mcp:clone:write": "Manage stand-ins",
  "mcp:trace:read": "Read traces",
  "mcp:debug": "Ask the debugger, which may cost",
  "mcp:explore": "Look around external sites",
  "mcp:act": "Act on external sites",
  "mcp:approve": "Ask for approvals and redeem them",
  "mcp:identity": "Make test identities and read their codes",
};

export const scopeWords = (scope: string): string => SCOPE_WORDS[scope] ?? "";

const GROUPS: readonly [title: string, nouns: readonly string[]][] = [
  ["Agents", ["mcp"]],
  ["Traces", ["traces"]],
  ["Runs and scenarios", ["runs", "scenarios", "mender"]],
  ["Monitoring", ["scheduled_checks", "incidents", "webhooks"]],
];
const REST = "Organisation";

/** Scopes by what they are about, those that a search finds in name or words. */
export function groupedScopes(
  scopes: readonly string[],
  search: string,
): [title: string, scopes: string[]][] {
  const wanted = search.trim().toLowerCase();
  const found = scopes.filter((scope) => `${scope} ${scopeWords(scope)}`.toLowerCase().includes(wanted));
  const titleOf = (scope: string) =>
    GROUPS.find(([, nouns]) => nouns.includes(scope.split(":", 1)[0]!))?.[0] ?? REST;
  return [...GROUPS.map(([title]) => title), REST].flatMap((title): [string, string[]][] => {
    const some = found.filter((scope) => titleOf(scope) === title);
    return some.length > 0 ? [[title, some.toSorted()]] : [];
  });
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SOON_MS = 7 * DAY_MS;

export const usedWords = (usedAt: string | null, now: number): string =>
  usedAt === null ? "never used" : `used ${formatAgo(usedAt, now)}`;

/** `never expires`, `expires in 3 days`; `isSoon` within a week, and when it has. */
export function expiryWords(expiresAt: string | null, now: number): { words: string; isSoon: boolean } {
  if (expiresAt === null) return { words: "never expires", isSoon: false };
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return { words: `expired ${formatAgo(expiresAt, now)}`, isSoon: true };
  const span =
    left < 2 * DAY_MS
      ? plural(Math.max(1, Math.round(left / HOUR_MS)), "hour")
      : plural(Math.round(left / DAY_MS), "day");
  return { words: `expires in ${span}`, isSoon: left < SOON_MS };
}
