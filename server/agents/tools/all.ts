import type { Tool } from "../tool.ts";
import { compareTraces } from "./compare-traces.ts";
import { debugRun } from "./debug-run.ts";
import { getCause } from "./get-cause.ts";
import { getStep } from "./get-step.ts";
import { getTestRun } from "./get-test-run.ts";
import { getTrace } from "./get-trace.ts";
import { ackIncident, listIncidents, suppressAnIncident } from "./incidents.ts";
import { listTraces } from "./list-traces.ts";
import { getMenderAttempts, menderReject } from "./mender.ts";
import { getReplay, replayTrace } from "./replays.ts";
import { getRun, rerun, runScenarios } from "./runs.ts";
import { listScenarios } from "./scenarios.ts";
import { searchTrace } from "./search-trace.ts";

/** Every tool, the one to begin with first. Those of wings that are not there yet join here. */
export const TOOLS: readonly Tool[] = [
  getCause,
  listTraces,
  getTrace,
  getStep,
  searchTrace,
  compareTraces,
  getTestRun,
  debugRun,
  replayTrace,
  getReplay,
  getRun,
  runScenarios,
  rerun,
  listScenarios,
  listIncidents,
  ackIncident,
  suppressAnIncident,
  getMenderAttempts,
  menderReject,
];
