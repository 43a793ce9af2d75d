/** settings.json with its defaults filled in (decisions, section 1). Sections of later capabilities join when they do. */
export interface Settings {
  plan: "free" | "team" | "business" | "enterprise";
  public_url: string | null;
  auto_pin_failed: boolean;
  cold_dir: string | null;
  retention: {
    hot_days: number | null;
    warm_days: number | null;
    blob_grace_days: number;
    runs_days: number;
    max_bytes: number | null;
  };
  upload_cap_bytes: number | null;
  signed_url_seconds: number;
  rate_limits: { reads_per_minute: number; writes_per_minute: number; ingests_per_minute: number };
  notifications: { allow_private_addresses: boolean };
  internal_service_token: string | null;
}
