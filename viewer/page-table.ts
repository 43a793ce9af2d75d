/** How pages are grouped in the navigation, in this order; a group without a page is not shown. */
export const NAV_GROUPS = ["Traces", "Runs", "Watch", "Gate", "Settings", "Help"] as const;

/** How the pages of the settings are grouped, in this order. */
export const SETTINGS_GROUPS = ["You", "Organisation"] as const;

export interface PageRow {
  /** Paths of the page. A name after a colon is a value: its form stands in `FORMS`. */
  paths: readonly string[];
  /** The module that shows it, a script of its own unless the viewer always needs it. */
  module?: string;
  /** What the page is about: its address is answered with 404 when there is no such thing. */
  about?: "run" | "scenario" | "test run" | "incident" | "fix";
  /** Whether a noun of the server answers at these paths itself, since it knows more than the page. */
  isAnsweredByNoun?: boolean;
  /** Its place in the navigation; `key` comes after `g`. */
  nav?: { group: (typeof NAV_GROUPS)[number]; word: string; key: string };
  /** Its place in the navigation of the settings, below whose first page it lies. */
  settings?: { group: (typeof SETTINGS_GROUPS)[number]; word: string };
  /** Names the page within whose place of the navigation this one lies. */
  within?: string;
  /** Paths of the API that the page asks for as soon as it opens. */
  answers?: (params: Readonly<Record<string, string>>, search: URLSearchParams) => string[];
}

const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const isUuid = (text: string | null): text is string => text !== null && new RegExp(`^${UUID}$`).test(text);

const SHORT_ID = "[1-9A-HJ-NP-Za-km-z]{6,32}";

/** What a value in a path may be. */
const FORMS: Record<string, string> = {
  id: UUID,
  slug: "[a-z0-9][a-z0-9-]{0,63}",
  shortId: SHORT_ID,
  testRun: `${UUID}|${SHORT_ID}`,
  topic: "[a-z0-9-]{1,64}",
};

/** What the search of the documentation looks through. */
export const DOCS_SEARCH = "/docs/search.json";

/** Every page of the viewer: what server, router, build and navigation know of it. */
export const PAGES = {
  list: {
    paths: ["/traces", "/"],
    module: "viewer/pages/list/page.tsx",
    nav: { group: "Traces", word: "Traces", key: "t" },
  },
  start: {
    paths: ["/start"],
    module: "viewer/pages/start/page.tsx",
    answers: () => ["/v1/onboarding/status"],
  },
  failures: {
    paths: ["/failures"],
    module: "viewer/pages/failures/page.tsx",
    nav: { group: "Traces", word: "Failures", key: "f" },
  },
  trace: { paths: ["/traces/:id"], module: "viewer/pages/trace.tsx", isAnsweredByNoun: true },
  compare: {
    paths: ["/compare"],
    module: "viewer/pages/compare/page.tsx",
    answers: (_, search) =>
      ["a", "b"]
        .map((side) => search.get(side))
        .filter(isUuid)
        .map((id) => `/v1/traces/${id.toLowerCase()}`),
  },
  shared: { paths: ["/r/:shortId"], module: "viewer/pages/trace.tsx", isAnsweredByNoun: true },
  embedded: { paths: ["/r/:shortId/embed"], module: "viewer/pages/trace.tsx", isAnsweredByNoun: true },
  "test-runs": {
    paths: ["/test-runs"],
    module: "viewer/pages/test-runs/page.tsx",
    nav: { group: "Runs", word: "Test runs", key: "e" },
  },
  "test-run": {
    paths: ["/test-runs/:testRun"],
    module: "viewer/pages/test-runs/run.tsx",
    about: "test run",
    within: "test-runs",
    answers: ({ testRun = "" }) => [
      `/v1/test-runs/${testRun}`,
      `/v1/test-runs/${testRun}/tests?limit=200`,
      `/v1/test-runs/${testRun}/causes`,
    ],
  },
  runs: {
    paths: ["/runs"],
    module: "viewer/pages/runs/page.tsx",
    nav: { group: "Runs", word: "Runs", key: "r" },
  },
  run: { paths: ["/runs/:id"], module: "viewer/pages/runs/run.tsx", about: "run", within: "runs" },
  shadow: {
    paths: ["/shadow-diff/:id"],
    module: "viewer/pages/shadow/page.tsx",
    about: "run",
    answers: ({ id = "" }) => [`/v1/shadow-diff/${id.toLowerCase()}`],
  },
  scenarios: {
    paths: ["/scenarios"],
    module: "viewer/pages/scenarios/page.tsx",
    nav: { group: "Runs", word: "Scenarios", key: "s" },
  },
  scenario: {
    paths: ["/scenarios/:slug"],
    module: "viewer/pages/scenarios/scenario.tsx",
    about: "scenario",
    within: "scenarios",
  },
  monitoring: {
    paths: ["/monitoring"],
    module: "viewer/pages/monitoring/page.tsx",
    nav: { group: "Watch", word: "Grid", key: "m" },
    answers: () => ["/v1/monitoring/grid"],
  },
  incidents: {
    paths: ["/incidents"],
    module: "viewer/pages/incidents/page.tsx",
    nav: { group: "Watch", word: "Incidents", key: "i" },
  },
  incident: {
    paths: ["/incidents/:id"],
    module: "viewer/pages/incidents/incident.tsx",
    about: "incident",
    within: "incidents",
    answers: ({ id = "" }) => [
      `/v1/incidents/${id.toLowerCase()}`,
      `/v1/incidents/${id.toLowerCase()}/explain`,
    ],
  },
  checks: {
    paths: ["/checks"],
    module: "viewer/pages/checks/page.tsx",
    nav: { group: "Watch", word: "Checks", key: "c" },
  },
  check: { paths: ["/checks/:id"], module: "viewer/pages/checks/check.tsx", within: "checks" },
  maintenance: { paths: ["/maintenance"], module: "viewer/pages/checks/maintenance.tsx", within: "checks" },
  "pull-requests": {
    paths: ["/pull-requests"],
    module: "viewer/pages/gates/page.tsx",
    nav: { group: "Gate", word: "Pull requests", key: "p" },
  },
  "pull-request": {
    paths: ["/pull-requests/:id"],
    module: "viewer/pages/gates/gate.tsx",
    within: "pull-requests",
    answers: ({ id = "" }) => [`/v1/pull-requests/${id.toLowerCase()}`],
  },
  gate: {
    paths: ["/gates/:id"],
    module: "viewer/pages/gates/gate.tsx",
    within: "pull-requests",
    answers: ({ id = "" }) => [`/v1/gates/${id.toLowerCase()}`],
  },
  mender: {
    paths: ["/mender"],
    module: "viewer/pages/mender/page.tsx",
    nav: { group: "Gate", word: "Fixes", key: "x" },
  },
  fix: {
    paths: ["/mender/:id"],
    module: "viewer/pages/mender/attempt.tsx",
    about: "fix",
    within: "mender",
    answers: ({ id = "" }) => [`/v1/mender/${id.toLowerCase()}`],
  },
  storage: {
    paths: ["/storage"],
    module: "viewer/pages/storage/page.tsx",
    nav: { group: "Settings", word: "Storage", key: "d" },
  },
  profile: {
    paths: ["/settings", "/settings/profile"],
    module: "viewer/pages/settings/profile.tsx",
    nav: { group: "Settings", word: "Settings", key: "a" },
    settings: { group: "You", word: "Profile" },
    answers: () => ["/v1/profile"],
  },
  sessions: {
    paths: ["/settings/sessions"],
    module: "viewer/pages/settings/sessions.tsx",
    settings: { group: "You", word: "Sessions" },
    within: "profile",
    answers: () => ["/v1/sessions"],
  },
  org: {
    paths: ["/settings/org"],
    module: "viewer/pages/settings/org.tsx",
    settings: { group: "Organisation", word: "General" },
    answers: () => ["/api/v1/me"],
  },
  members: {
    paths: ["/settings/members"],
    module: "viewer/pages/settings/members.tsx",
    settings: { group: "Organisation", word: "Members" },
    answers: () => ["/api/v1/me", "/v1/invitations"],
  },
  secrets: {
    paths: ["/settings/secrets"],
    module: "viewer/pages/settings/secrets.tsx",
    settings: { group: "Organisation", word: "Secrets" },
    answers: () => ["/v1/secrets"],
  },
  plan: {
    paths: ["/settings/plan"],
    module: "viewer/pages/settings/plan.tsx",
    settings: { group: "Organisation", word: "Plan and limits" },
    answers: () => ["/v1/billing/usage"],
  },
  sso: {
    paths: ["/:slug/settings/sso", "/settings/sso"],
    module: "viewer/pages/settings/sso.tsx",
    settings: { group: "Organisation", word: "Single sign-on" },
    within: "profile",
    answers: () => ["/v1/sso"],
  },
  outbox: {
    paths: ["/settings/outbox"],
    module: "viewer/pages/settings/outbox.tsx",
    settings: { group: "Organisation", word: "Outbox" },
    within: "profile",
    answers: () => ["/v1/mail?limit=50"],
  },
  notifications: {
    paths: ["/settings/notifications"],
    module: "viewer/pages/settings/notifications/page.tsx",
    settings: { group: "Organisation", word: "Notifications" },
    answers: () => ["/v1/notification-channels"],
  },
  "code-host": {
    paths: ["/settings/code-host"],
    module: "viewer/pages/settings/code-host/page.tsx",
    settings: { group: "Organisation", word: "Code host" },
    within: "profile",
    answers: () => ["/v1/code-host", "/v1/inbound-deliveries?limit=50"],
  },
  tokens: {
    paths: ["/settings/tokens"],
    module: "viewer/pages/settings/tokens/page.tsx",
    settings: { group: "You", word: "Tokens and keys" },
    answers: () => ["/api/v1/me", "/v1/api-keys?limit=200"],
  },
  "verify-agent": {
    paths: ["/settings/tokens/verify"],
    module: "viewer/pages/settings/tokens/verify.tsx",
    within: "profile",
    answers: () => ["/api/v1/me"],
  },
  audit: {
    paths: ["/settings/audit"],
    module: "viewer/pages/settings/audit/page.tsx",
    settings: { group: "Organisation", word: "Audit log" },
    answers: () => ["/v1/audit-events/verification"],
  },
  scim: {
    paths: ["/settings/scim"],
    module: "viewer/pages/settings/scim.tsx",
    settings: { group: "Organisation", word: "Directory (SCIM)" },
    within: "profile",
    answers: () => ["/v1/scim"],
  },
  agents: {
    paths: ["/settings/agents"],
    module: "viewer/pages/settings/agents/page.tsx",
    settings: { group: "You", word: "Connected agents" },
    answers: () => ["/v1/oauth/grants?limit=100"],
  },
  invitation: { paths: ["/invitation"], module: "viewer/pages/invitation.tsx" },
  docs: {
    paths: ["/docs", "/docs/:topic", "/docs/api/:topic"],
    module: "viewer/pages/docs/page.tsx",
    isAnsweredByNoun: true,
    nav: { group: "Help", word: "Docs", key: "h" },
    answers: () => [DOCS_SEARCH],
  },
  signin: {
    paths: [
      "/signin",
      "/signin/link",
      "/signin/sso",
      "/signin/sso/callback",
      "/signin/code-host",
      "/signin/code-host/callback",
    ],
    isAnsweredByNoun: true,
  },
} as const satisfies Record<string, PageRow>;

export type PageName = keyof typeof PAGES;
/** What is shown where no page is. */
export const NOT_FOUND_MODULE = "viewer/pages/not-found.tsx";
export const pageRows = Object.entries(PAGES) as [PageName, PageRow][];

const patterns = pageRows.flatMap(([name, { paths }]) =>
  paths.map((path) => ({
    name,
    exact: pattern(path, (value) => `(?<${value}>${FORMS[value]})`),
    loose: pattern(path, () => "[^/]*"),
  })),
);

function pattern(path: string, formOf: (value: string) => string): RegExp {
  const source = path.replace(/:(\w+)/g, (_, value: string) => formOf(value));
  return new RegExp(`^${source === "/" ? "" : source}/?$`);
}

/** The page at a path with the values in it; null when none is there. */
export function pageAt(path: string): { page: PageName; params: Readonly<Record<string, string>> } | null {
  for (const { name, exact } of patterns) {
    const found = exact.exec(path);
    if (found) return { page: name, params: { ...found.groups } };
  }
  return null;
}

/** Whether a path has the form of a page's, whatever values stand in it. */
export const isViewerPath = (path: string): boolean => patterns.some(({ loose }) => loose.test(path));
