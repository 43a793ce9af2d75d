import type { ComponentType, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { SigninPage } from "./pages/signin/page.tsx";
import { type Route, route } from "./router.ts";
import { Failed, Loading } from "./ui/message.tsx";
import { EverywhereKeys, Overlays } from "./ui/overlays.tsx";

/** Each page is a script of its own: whoever opens a trace does not wait for the list. */
const loadList = () => import("./pages/list/page.tsx").then((module) => module.ListPage);
const loadStart = () => import("./pages/start/page.tsx").then((module) => module.StartPage);
const loadFailures = () => import("./pages/failures/page.tsx").then((module) => module.FailuresPage);
const loadScenarios = () => import("./pages/scenarios/page.tsx").then((module) => module.ScenariosPage);
const loadScenario = () => import("./pages/scenarios/scenario.tsx").then((module) => module.ScenarioPage);
const loadRuns = () => import("./pages/runs/page.tsx").then((module) => module.RunsPage);
const loadRun = () => import("./pages/runs/run.tsx").then((module) => module.RunPage);
const loadTestRuns = () => import("./pages/test-runs/page.tsx").then((module) => module.TestRunsPage);
const loadTestRun = () => import("./pages/test-runs/run.tsx").then((module) => module.TestRunPage);
const loadIncidents = () => import("./pages/incidents/page.tsx").then((module) => module.IncidentsPage);
const loadIncident = () => import("./pages/incidents/incident.tsx").then((module) => module.IncidentPage);
const loadMender = () => import("./pages/mender/page.tsx").then((module) => module.MenderPage);
const loadAttempt = () => import("./pages/mender/attempt.tsx").then((module) => module.AttemptPage);
const loadMonitoring = () => import("./pages/monitoring/page.tsx").then((module) => module.MonitoringPage);
const loadChecks = () => import("./pages/checks/page.tsx").then((module) => module.ChecksPage);
const loadCheck = () => import("./pages/checks/check.tsx").then((module) => module.CheckPage);
const loadMaintenance = () =>
  import("./pages/checks/maintenance.tsx").then((module) => module.MaintenancePage);
const loadPullRequests = () => import("./pages/gates/page.tsx").then((module) => module.PullRequestsPage);
const loadGate = () => import("./pages/gates/gate.tsx").then((module) => module.GatePage);
const loadStorage = () => import("./pages/storage/page.tsx").then((module) => module.StoragePage);
const loadCodeHost = () =>
  import("./pages/settings/code-host/page.tsx").then((module) => module.CodeHostPage);
const loadNotifications = () =>
  import("./pages/settings/notifications/page.tsx").then((module) => module.NotificationsPage);
const loadScim = () => import("./pages/settings/scim.tsx").then((module) => module.ScimPage);
const loadAgents = () => import("./pages/settings/agents/page.tsx").then((module) => module.AgentsPage);
const loadProfile = () => import("./pages/settings/profile.tsx").then((module) => module.ProfilePage);
const loadTokens = () => import("./pages/settings/tokens/page.tsx").then((module) => module.TokensPage);
const loadVerifyAgent = () =>
  import("./pages/settings/tokens/verify.tsx").then((module) => module.VerifyAgentPage);
const loadAudit = () => import("./pages/settings/audit/page.tsx").then((module) => module.AuditLogPage);
const loadOrg = () => import("./pages/settings/org.tsx").then((module) => module.OrgPage);
const loadMembers = () => import("./pages/settings/members.tsx").then((module) => module.MembersPage);
const loadSecrets = () => import("./pages/settings/secrets.tsx").then((module) => module.SecretsPage);
const loadPlan = () => import("./pages/settings/plan.tsx").then((module) => module.PlanPage);
const loadInvitation = () => import("./pages/invitation.tsx").then((module) => module.InvitationPage);
const loadSessions = () => import("./pages/settings/sessions.tsx").then((module) => module.SessionsPage);
const loadSso = () => import("./pages/settings/sso.tsx").then((module) => module.SsoPage);
const loadOutbox = () => import("./pages/settings/outbox.tsx").then((module) => module.OutboxPage);
const loadShadow = () => import("./pages/shadow/page.tsx").then((module) => module.ShadowPage);
const loadTrace = () => import("./pages/trace.tsx").then((module) => module.TracePage);
const loadNotFound = () => import("./pages/not-found.tsx").then((module) => module.NotFoundPage);
const loadDocs = () => import("./pages/docs/page.tsx").then((module) => module.DocsPage);
const loadCompare = () => import("./pages/compare/page.tsx").then((module) => module.ComparePage);

/** Pages that are there from the first render on. */
const loaded = new Map<unknown, unknown>();

/** Loads what shows a page that came drawn, so that it takes the place of its own picture at once. */
export async function loadDrawnPage(page: "trace" | "docs"): Promise<void> {
  const load = page === "trace" ? loadTrace : loadDocs;
  loaded.set(load, await load());
}

function Lazy<P extends object>({
  load,
  props,
}: {
  load: () => Promise<ComponentType<P>>;
  props: P;
}): JSX.Element {
  const here = loaded.get(load) as ComponentType<P> | undefined;
  const [page, setPage] = useState(here ? { Page: here } : null);
  const [error, setError] = useState<unknown>(null);
  // Not in an effect, which would wait for the first frame.
  useMemo(() => {
    if (!here) load().then((Page) => setPage({ Page }), setError);
  }, [load]);
  if (error)
    return <Failed error={new Error("This page's script could not be loaded. Reload to try again.")} />;
  if (!page) return <Loading />;
  return <page.Page {...props} />;
}

const NotFound = (): JSX.Element => <Lazy load={loadNotFound} props={{}} />;

/** What shows each page. The key says which changes of the address keep the page's state. */
const shownBy: Record<Route["page"], (params: Route["params"]) => JSX.Element> = {
  list: () => <Lazy key="list" load={loadList} props={{}} />,
  start: () => <Lazy key="start" load={loadStart} props={{}} />,
  failures: () => <Lazy key="failures" load={loadFailures} props={{}} />,
  trace: ({ id = "" }) => (
    <Lazy key={id} load={loadTrace} props={{ id, sharing: "none" as const, gone: <NotFound /> }} />
  ),
  compare: () => <Lazy key="compare" load={loadCompare} props={{}} />,
  shared: ({ shortId = "" }) => (
    <Lazy key={shortId} load={loadTrace} props={{ id: shortId, sharing: "page" as const }} />
  ),
  embedded: ({ shortId = "" }) => (
    <Lazy key={shortId} load={loadTrace} props={{ id: shortId, sharing: "embed" as const }} />
  ),
  "test-runs": () => <Lazy key="test-runs" load={loadTestRuns} props={{}} />,
  "test-run": ({ testRun = "" }) => (
    <Lazy key={`test run ${testRun}`} load={loadTestRun} props={{ shortId: testRun }} />
  ),
  runs: () => <Lazy key="runs" load={loadRuns} props={{}} />,
  run: ({ id = "" }) => <Lazy key={`run ${id}`} load={loadRun} props={{ id }} />,
  shadow: ({ id = "" }) => <Lazy key={`shadow ${id}`} load={loadShadow} props={{ id }} />,
  scenarios: () => <Lazy key="scenarios" load={loadScenarios} props={{}} />,
  scenario: ({ slug = "" }) => <Lazy key={`scenario ${slug}`} load={loadScenario} props={{ slug }} />,
  "code-host": () => <Lazy key="code-host" load={loadCodeHost} props={{}} />,
  notifications: () => <Lazy key="notifications" load={loadNotifications} props={{}} />,
  agents: () => <Lazy key="agents" load={loadAgents} props={{}} />,
  profile: () => <Lazy key="profile" load={loadProfile} props={{}} />,
  incidents: () => <Lazy key="incidents" load={loadIncidents} props={{}} />,
  incident: ({ id = "" }) => (
    <Lazy key={`incident ${id}`} load={loadIncident} props={{ id: id.toLowerCase() }} />
  ),
  mender: () => <Lazy key="mender" load={loadMender} props={{}} />,
  fix: ({ id = "" }) => <Lazy key={`fix ${id}`} load={loadAttempt} props={{ id: id.toLowerCase() }} />,
  tokens: () => <Lazy key="tokens" load={loadTokens} props={{}} />,
  "verify-agent": () => <Lazy key="verify-agent" load={loadVerifyAgent} props={{}} />,
  audit: () => <Lazy key="audit" load={loadAudit} props={{}} />,
  scim: () => <Lazy key="scim" load={loadScim} props={{}} />,
  monitoring: () => <Lazy key="monitoring" load={loadMonitoring} props={{}} />,
  checks: () => <Lazy key="checks" load={loadChecks} props={{}} />,
  check: ({ id = "" }) => <Lazy key={`check ${id}`} load={loadCheck} props={{ id }} />,
  maintenance: () => <Lazy key="maintenance" load={loadMaintenance} props={{}} />,
  "pull-requests": () => <Lazy key="pull-requests" load={loadPullRequests} props={{}} />,
  "pull-request": ({ id = "" }) => (
    <Lazy key={`pull request ${id}`} load={loadGate} props={{ pullRequestId: id.toLowerCase() }} />
  ),
  gate: ({ id = "" }) => <Lazy key={`gate ${id}`} load={loadGate} props={{ gateId: id.toLowerCase() }} />,
  org: () => <Lazy key="org" load={loadOrg} props={{}} />,
  members: () => <Lazy key="members" load={loadMembers} props={{}} />,
  secrets: () => <Lazy key="secrets" load={loadSecrets} props={{}} />,
  plan: () => <Lazy key="plan" load={loadPlan} props={{}} />,
  invitation: () => <Lazy key="invitation" load={loadInvitation} props={{}} />,
  sessions: () => <Lazy key="sessions" load={loadSessions} props={{}} />,
  sso: () => <Lazy key="sso" load={loadSso} props={{}} />,
  outbox: () => <Lazy key="outbox" load={loadOutbox} props={{}} />,
  storage: () => <Lazy key="storage" load={loadStorage} props={{}} />,
  docs: () => <Lazy key="docs" load={loadDocs} props={{}} />,
  signin: () => <SigninPage />,
  "not-found": () => <NotFound />,
};

function Page(): JSX.Element {
  const { page, params } = route.value;
  return shownBy[page](params);
}

export function App(): JSX.Element {
  return (
    <>
      <EverywhereKeys />
      <Page />
      <Overlays />
    </>
  );
}
