import type { Settings } from "../../store/settings.ts";
import { PLANS } from "../config.ts";
import type { ScheduleRules } from "./language/frontmatter.ts";

/** Where the hosted workers are, those of every plan first: runs may name them without a profile in settings.json. */
export const HOSTED_REGIONS = [
  "us-east-1",
  "eu-west-1",
  "ap-south-1",
  "us-west-2",
  "ap-southeast-1",
  "sa-east-1",
] as const;

export const DEFAULT_REGION = HOSTED_REGIONS[0];

type Known = Pick<Settings, "regions" | "plan">;

/** Every region that a run may name: the plan's hosted ones, then what settings.json adds. */
export const knownRegions = ({ regions, plan }: Known): string[] => {
  const hosted: readonly string[] = HOSTED_REGIONS;
  const added = Object.keys(regions).filter((name) => !hosted.includes(name));
  return [...HOSTED_REGIONS.slice(0, PLANS[plan].regions), ...added];
};

/** What is wrong with a region, in a sentence; null for one of the plan or with a profile in settings.json. */
export function regionProblem(settings: Known, region: string): string | null {
  const known = knownRegions(settings);
  if (known.includes(region)) return null;
  return `The plan "${settings.plan}" has no region "${region}". There are ${known.join(", ")}; settings.json may add others.`;
}

/** What the schedule of a scenario file may say under these settings. */
export const scheduleRules = (settings: Known): ScheduleRules => ({
  regions: knownRegions(settings),
  leastMinutes: PLANS[settings.plan].leastMinutes,
});
