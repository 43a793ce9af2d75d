import type { Deps } from "../deps.ts";
import { codeHostOf } from "./code-host/code-host-of.ts";
import type { CodeHost, PullRequest } from "./code-host/types.ts";
import { decideAtHost } from "./decisions/service.ts";
import {
  followDeployment,
  followMergeGroup,
  followPullRequest,
  followRerequest,
} from "./flow/follow-host.ts";
import type { CheckRunEvent, EventContext, EventHandlers, PullRequestEvent } from "./webhooks/events.ts";

const NOTHING = "Nothing follows from it.";

/** What follows from news of the code host, for gates. Each may be told again, and in another order. */
export function gateEvents(
  deps: Deps,
): Pick<EventHandlers, "pull_request" | "merge_group" | "deployment_status" | "check_run" | "check_suite"> {
  const place = ({ orgId }: EventContext) => ({
    orgId,
    repository: deps.config.settings.code_host.repository ?? "",
  });
  return {
    async pull_request(event, context) {
      const host = await codeHostOf(deps, context.orgId);
      await followPullRequest(deps, place(context), event.number, () => asItIs(deps, host, event));
      return `Pull request ${event.number}: its head is judged if it was not.`;
    },
    async merge_group(event, context) {
      await followMergeGroup(deps, place(context), event, event.action);
      return event.action === "destroyed"
        ? "The merge group is judged no more."
        : "The merge group is judged.";
    },
    async deployment_status(event, context) {
      await followDeployment(deps, place(context), event.sha);
      return "Gates that wait for this commit's address look for it.";
    },
    async check_run(event, context) {
      if (event.action === "requested_action") return decideBy(deps, event, context);
      await followRerequest(deps, place(context), { headSha: event.headSha, gateId: event.externalId });
      return "The commit is judged again, unless it is being judged.";
    },
    async check_suite(event, context) {
      if (event.action !== "rerequested") return NOTHING;
      await followRerequest(deps, place(context), { headSha: event.headSha, gateId: null });
      return "The commit is judged again, unless it is being judged.";
    },
  };
}

/** Somebody pressed a button of a check run. */
async function decideBy(
  deps: Deps,
  { externalId: gateId, requestedAction: act, sender: login }: CheckRunEvent,
  { orgId }: EventContext,
): Promise<string> {
  if (gateId === null || login === null || (act !== "approve" && act !== "reject")) return NOTHING;
  return (await decideAtHost(deps, { orgId, gateId, act, login }))
    ? "The gate is decided."
    : "It was decided before, or the commit is not judged any more.";
}

/** Events come late and in any order: what counts is how the pull request is now. Without a way to ask, the event is taken at its word. */
async function asItIs(deps: Deps, host: CodeHost | null, event: PullRequestEvent): Promise<PullRequest> {
  if (host) return host.pullRequest(event.number);
  const { action: _, beforeSha: __, ...pull } = event;
  const state = event.action === "closed" ? "closed" : "open";
  return { ...pull, state, updatedAt: deps.clock.now() };
}
