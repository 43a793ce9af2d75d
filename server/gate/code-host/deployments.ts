import { DeploymentStatuses, Deployments } from "./answers.ts";
import type { Connection } from "./connection.ts";
import type { CodeHost } from "./types.ts";

/** Deployments of one commit that are asked for their address. */
const LOOKED_AT = 10;

/** Whether an environment is production by its name: the host marks it only where somebody said so. */
export const isProduction = (environment: string): boolean => /^production$/i.test(environment);

/** Where a commit was deployed for a look: https://docs.github.com/rest/deployments */
export function deploymentReads(host: Connection): Pick<CodeHost, "previewUrl"> {
  return {
    async previewUrl(sha) {
      const { data: deployments } = await host.call(
        "GET /repos/{owner}/{repo}/deployments",
        { sha, per_page: LOOKED_AT },
        Deployments,
      );
      for (const { id, environment = "", production_environment: isMarked } of deployments) {
        if (isMarked || isProduction(environment)) continue;
        const { data: statuses } = await host.call(
          "GET /repos/{owner}/{repo}/deployments/{deployment_id}/statuses",
          { deployment_id: id, per_page: 1 },
          DeploymentStatuses,
        );
        const [newest] = statuses;
        if (newest?.state === "success" && newest.environment_url) return newest.environment_url;
      }
      return null;
    },
  };
}
