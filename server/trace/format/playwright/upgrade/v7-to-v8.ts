import type { UpgradeStep } from "./step.ts";

/** Version 8 calls what a person reads of an action its title; before, its API name stood there. */
export const v7ToV8: UpgradeStep = (event) => {
  if ((event.type !== "before" && event.type !== "action") || !event.apiName) return [event];
  const { apiName, ...rest } = event;
  return [{ ...rest, title: apiName, apiName }];
};
