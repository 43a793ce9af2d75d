import type { Deps } from "../deps.ts";
import { gateEvents } from "./on-events.ts";
import type { EventHandlers } from "./webhooks/events.ts";

const NOTHING = "Nothing here follows this event.";
const nothing = async (): Promise<string> => NOTHING;

/** What follows the events of a code host. */
export function eventHandlers(deps: Deps): EventHandlers {
  return {
    ...gateEvents(deps),
    push: nothing,
    installation: nothing,
    installation_repositories: nothing,
    pull_request_review: nothing,
  };
}
