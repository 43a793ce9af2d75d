import { type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";

/** An object that takes no other keys, with every key that has a default filled in. */
function section<T extends TProperties>(properties: T): TObject<T> {
  return Type.Object(properties, { additionalProperties: false, default: {} });
}

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()], { default: null });
const oneOf = <const T extends string>(values: readonly T[], options: { default?: T } = {}) =>
  Type.Unsafe<T>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      options,
    ),
  );
const text = (options = {}) => Type.String({ minLength: 1, ...options });
const optionalText = () => orNull(text());
const wholeFrom = (minimum: number, options = {}) => Type.Integer({ minimum, ...options });
const days = (options = {}) => Type.Number({ exclusiveMinimum: 0, maximum: 36_500, ...options });
const list = <T extends TSchema>(items: T) => Type.Array(items, { default: [] });
const httpUrl = (options = {}) => Type.String({ pattern: "^https?://[^/\\s]+", ...options });

const network = section({
  latency_ms: orNull(wholeFrom(0)),
  download_kbps: orNull(wholeFrom(1)),
  upload_kbps: orNull(wholeFrom(1)),
});

export const REGION_NAME = "^[a-z0-9-]{1,40}$";
export const SECRET_NAME = "^[A-Za-z_][A-Za-z0-9_]{0,63}$";
/** What the origins of a secret may be: so many, of so many characters each. */
export const MAX_ORIGINS = 50;
export const MAX_ORIGIN_LENGTH = 300;

const region = section({
  locale: optionalText(),
  timezone: optionalText(),
  geolocation: orNull(
    Type.Object(
      {
        latitude: Type.Number({ minimum: -90, maximum: 90 }),
        longitude: Type.Number({ minimum: -180, maximum: 180 }),
      },
      { additionalProperties: false },
    ),
  ),
  network,
  proxy: optionalText(),
});

/** settings.json (decisions, section 1): every key optional, none but these. */
export const SettingsSchema = section({
  plan: oneOf(["free", "team", "business", "enterprise"], { default: "team" }),
  public_url: orNull(Type.String({ pattern: "^https?://[^/\\s@?#]+/?$" })),
  auto_pin_failed: Type.Boolean({ default: true }),
  cold_dir: optionalText(),
  retention: section({
    hot_days: orNull(days()),
    warm_days: orNull(days()),
    blob_grace_days: days({ default: 7 }),
    runs_days: days({ default: 90 }),
    max_bytes: orNull(wholeFrom(1)),
  }),
  upload_cap_bytes: orNull(wholeFrom(1)),
  signed_url_seconds: wholeFrom(1, { default: 3600 }),
  rate_limits: section({
    reads_per_minute: wholeFrom(1, { default: 600 }),
    writes_per_minute: wholeFrom(1, { default: 120 }),
    ingests_per_minute: wholeFrom(1, { default: 30 }),
    anonymous: section({
      shares_per_minute: wholeFrom(1, { default: 300 }),
      failed_authentications_per_minute: wholeFrom(1, { default: 30 }),
      sign_ins_per_minute: wholeFrom(1, { default: 10 }),
    }),
  }),
  debugger: section({
    base_url: orNull(httpUrl()),
    model: optionalText(),
    api_key: optionalText(),
    budget_cents_per_month: Type.Number({ minimum: 0, default: 500 }),
    input_cents_per_mtok: orNull(Type.Number({ minimum: 0 })),
    output_cents_per_mtok: orNull(Type.Number({ minimum: 0 })),
  }),
  code_host: section({
    api_url: httpUrl({ default: "https://api.github.com" }),
    app_id: orNull(Type.Union([text(), wholeFrom(1)])),
    private_key: optionalText(),
    token: optionalText(),
    webhook_secret: optionalText(),
    oauth_client_id: optionalText(),
    oauth_client_secret: optionalText(),
    repository: orNull(Type.String({ pattern: "^[^/\\s]+/[^/\\s]+$" })),
    repository_path: optionalText(),
    preview_url_template: optionalText(),
  }),
  sso: section({
    issuer: orNull(httpUrl()),
    client_id: optionalText(),
    client_secret: optionalText(),
    enforced: orNull(Type.Boolean()),
    verified_domains: list(text()),
    status_page_url: orNull(httpUrl()),
  }),
  oauth: section({ client_metadata_documents: Type.Boolean({ default: false }) }),
  notifications: section({
    allow_private_addresses: Type.Boolean({ default: false }),
    retry_seconds: Type.Array(wholeFrom(1), { default: [5, 30, 120, 600, 1800, 7200, 18000, 36000] }),
    smtp: orNull(
      Type.Object(
        {
          host: text(),
          port: Type.Integer({ minimum: 1, maximum: 65_535, default: 587 }),
          user: optionalText(),
          password: optionalText(),
          from: text(),
        },
        { additionalProperties: false },
      ),
    ),
  }),
  browser: section({
    executable: optionalText(),
    slots: wholeFrom(1, { default: 2 }),
    recycle_after_runs: wholeFrom(1, { default: 50 }),
    run_timeout_seconds: wholeFrom(1, { default: 300 }),
    allow_private_targets: Type.Boolean({ default: true }),
  }),
  regions: Type.Record(Type.String({ pattern: REGION_NAME }), region, {
    default: {},
    additionalProperties: false,
  }),
  synthetic: section({
    email_prefix: text({ default: "synthetic" }),
    email_domain: text({ default: "example.invalid" }),
    exclude_origins: list(text()),
  }),
  secrets: Type.Record(
    Type.String({ pattern: SECRET_NAME }),
    Type.Union([
      Type.String(),
      Type.Object(
        {
          value: Type.String(),
          origins: Type.Optional(
            Type.Array(Type.String({ maxLength: MAX_ORIGIN_LENGTH }), { minItems: 1, maxItems: MAX_ORIGINS }),
          ),
        },
        { additionalProperties: false },
      ),
    ]),
    { default: {}, additionalProperties: false },
  ),
  redaction: section({ headers: list(text()), patterns: list(text()) }),
  mender: section({
    mode: oneOf(["suggestive"], { default: "suggestive" }),
    forbidden_paths: list(text()),
    token_budget: wholeFrom(0, { default: 100_000 }),
  }),
  internal_service_token: optionalText(),
  agent_signup: Type.Boolean({ default: false }),
});
