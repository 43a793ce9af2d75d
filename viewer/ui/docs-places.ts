import type { PageName } from "../page-table.ts";

/** Where the documentation tells how what a page shows comes about: for whoever finds nothing there. */
export const DOCS_OF_PAGE: Record<PageName | "not-found", string> = {
  list: "/docs/ci",
  start: "/docs/start#watch-your-first-page",
  failures: "/docs/find#failures-and-scenarios",
  trace: "/docs/failed-test#a-panel-is-empty",
  compare: "/docs/find#compare-two-runs",
  shared: "/docs/failed-test#a-panel-is-empty",
  embedded: "/docs/failed-test#a-panel-is-empty",
  "test-runs": "/docs/playwright#see-a-whole-test-run",
  "test-run": "/docs/playwright#see-a-whole-test-run",
  runs: "/docs/scenarios#check-run-and-load-them",
  run: "/docs/scenarios#check-run-and-load-them",
  shadow: "/docs/scenarios#stand-ins-for-third-parties",
  scenarios: "/docs/scenarios#check-run-and-load-them",
  scenario: "/docs/find#failures-and-scenarios",
  incidents: "/docs/watch#incidents",
  mender: "/docs/mender",
  fix: "/docs/mender",
  incident: "/docs/watch#incidents",
  monitoring: "/docs/watch#the-grid",
  checks: "/docs/watch",
  check: "/docs/watch",
  maintenance: "/docs/watch#maintenance-windows",
  "pull-requests": "/docs/gate",
  "pull-request": "/docs/gate#what-a-gate-says",
  gate: "/docs/gate#what-a-gate-says",
  storage: "/docs/find#how-long-traces-stay",
  profile: "/docs/accounts#sign-in",
  org: "/docs/accounts#organisations",
  members: "/docs/accounts#members-and-roles",
  secrets: "/docs/accounts#secrets",
  plan: "/docs/accounts#plan-and-limits",
  invitation: "/docs/accounts#members-and-roles",
  sessions: "/docs/accounts#sessions",
  tokens: "/docs/tokens",
  "verify-agent": "/docs/tokens#agents-that-ask-by-themselves",
  agents: "/docs/agents",
  sso: "/docs/accounts#single-sign-on",
  scim: "/docs/scim",
  notifications: "/docs/notifications",
  "code-host": "/docs/code-host",
  outbox: "/docs/accounts#mail",
  audit: "/docs/audit",
  docs: "/docs",
  signin: "/docs/accounts#sign-in",
  "not-found": "/docs/errors#not_found",
};

/** Where the documentation tells what an error means. @param code as the API names it; `unreachable` for no answer */
export const docsOfError = (code: string): string => `/docs/errors#${code}`;

/** The same for why a run ended as `error`. */
export const docsOfRun = (reason: string): string => `/docs/errors#run-${reason}`;
