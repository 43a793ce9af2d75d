import { type Static, Type } from "@sinclair/typebox";
import type { DeploymentRow } from "../../../store/records/deployments.ts";
import { toIso } from "../../platform/clock.ts";

/** Addresses of one org. */
export const MAX_ORIGINS = 1000;

export const NewDeployment = Type.Object(
  {
    base_url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: "Where it runs; its origin counts.",
    }),
    commit_sha: Type.String({ pattern: "^[0-9a-f]{7,64}$", description: "In small letters." }),
  },
  {
    additionalProperties: false,
    examples: [{ base_url: "https://shop.example", commit_sha: "2f1c0de9a3b74c55e8d1f6a7b8c9d0e1f2a3b4c5" }],
  },
);
export type NewDeployment = Static<typeof NewDeployment>;

export const Deployment = Type.Object({
  origin: Type.String(),
  commit_sha: Type.String(),
  deployed_at: Type.String({ description: "ISO 8601: when it was said." }),
});
export type Deployment = Static<typeof Deployment>;

export const DeploymentList = Type.Object({ items: Type.Array(Deployment) });

export const toDeployment = ({ origin, commit_sha, deployed_at }: DeploymentRow): Deployment => ({
  ...{ origin, commit_sha },
  deployed_at: toIso(deployed_at),
});
