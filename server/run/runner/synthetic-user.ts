/** Who a run acts as: nobody real, told by the address (specification, section 2.7). */
export interface SyntheticUser {
  email: string;
  name: string;
  region: string;
  shard: string;
}

/** `<prefix>+<region>+<scenarioSlug>+<shard>@<domain>`; the shard keeps runs at the same time apart. */
export function syntheticUser(
  settings: { email_prefix: string; email_domain: string },
  { region, slug, shard }: { region: string; slug: string; shard: string },
): SyntheticUser {
  return {
    email: `${settings.email_prefix}+${region}+${slug}+${shard}@${settings.email_domain}`,
    name: `Synthetic ${shard}`,
    region,
    shard,
  };
}
