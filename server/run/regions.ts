import type { Settings } from "../../store/settings.ts";

/** Where the hosted workers are: runs may name them without a profile in settings.json. */
export const HOSTED_REGIONS = [
  "us-east-1",
  "eu-west-1",
  "ap-south-1",
  "us-west-2",
  "ap-southeast-1",
  "sa-east-1",
] as const;

export const DEFAULT_REGION = HOSTED_REGIONS[0];

/** Every region that a run may name: the hosted ones, then what settings.json adds. */
export const knownRegions = ({ regions }: Pick<Settings, "regions">): string[] => [
  ...new Set<string>([...HOSTED_REGIONS, ...Object.keys(regions)]),
];

/** What is wrong with a region, in a sentence; null for one that is hosted or has a profile in settings.json. */
export function regionProblem(settings: Pick<Settings, "regions">, region: string): string | null {
  const known = knownRegions(settings);
  if (known.includes(region)) return null;
  return `There is no region "${region}". There are ${known.join(", ")}; settings.json may add others.`;
}
