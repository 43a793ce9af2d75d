import type { Deps } from "../deps.ts";
import type { EventHandlers } from "./webhooks/events.ts";

const NOTHING = "Nothing here follows this event.";
const nothing = async (): Promise<string> => NOTHING;

/** What follows the events of a code host. */
export function eventHandlers(_deps: Deps): EventHandlers {
  return {
    pull_request: nothing,
    push: nothing,
    check_run: nothing,
    check_suite: nothing,
    installation: nothing,
    installation_repositories: nothing,
    pull_request_review: nothing,
    deployment_status: nothing,
    merge_group: nothing,
  };
}
