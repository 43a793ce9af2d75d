import type { Settings } from "../store/settings.ts";

/** Everything that flags, environment and settings.json decide, read once and frozen. */
export interface Config {
  version: string;
  dataDir: string;
  host: string;
  /** 0 takes a free port. */
  port: number;
  publicUrl: string | null;
  trustOrgHeader: boolean;
  logLevel: "debug" | "info" | "warn" | "error";
  settings: Settings;
  limits: PlanLimits;
}

export interface PlanLimits {
  hotDays: number;
  warmDays: number;
  uploadCapBytes: number;
}
