import { comparison, environment, history, report, source } from "./around.ts";
import { cause } from "./cause.ts";
import { consoleLines, events, search } from "./events.ts";
import { request, requests } from "./requests.ts";
import { page, step, steps } from "./steps.ts";
import type { ChatTool } from "./tool.ts";

/** Every way in which a chat may look at its trace, the one to begin with first. */
export const CHAT_TOOLS: readonly ChatTool[] = [
  cause,
  steps,
  step,
  page,
  requests,
  request,
  consoleLines,
  events,
  search,
  comparison,
  history,
  source,
  environment,
  report,
];
