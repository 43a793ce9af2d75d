/** What each key of settings.json is for. Type, default and limits come from its schema. */
export const SETTINGS_WORDS: Record<string, string> = {
  plan: "Sets retention, the cap of uploads, replays and scheduled runs at once, regions and the shortest schedule at once; see below. The keys for each win over it.",
  public_url: "The address under which others reach the server; `--public-url` wins over it.",
  auto_pin_failed: "Whether failed traces pin themselves, so that they do not age.",
  cold_dir: "Where cold packs go, such as another disk. Without it they stay in the data folder.",
  "retention.hot_days": "Days until a trace's loose files become one pack. Without it, the plan's.",
  "retention.warm_days": "Days until the pack moves to `cold_dir`. Without it, the plan's.",
  "retention.blob_grace_days": "Days that a file which no trace needs any more is kept.",
  "retention.runs_days": "Days that runs and test runs are kept, and traces of checks with them.",
  "retention.max_bytes":
    "How much may stay online: past it the oldest traces that are not pinned move to the cold folder, where traces of checks may take as much again before the oldest go. Without it, what the disk has.",
  upload_cap_bytes: "The largest upload. Without it, the plan's.",
  signed_url_seconds: "How long a signed link to a file works.",
  "rate_limits.reads_per_minute": "Requests that read, of one organisation.",
  "rate_limits.writes_per_minute": "Requests that change, of one organisation.",
  "rate_limits.ingests_per_minute": "Uploads, of one organisation. A large suite wants more.",
  "rate_limits.anonymous.shares_per_minute": "Reads of shared pages, of one address without a credential.",
  "rate_limits.anonymous.failed_authentications_per_minute": "Refused credentials, of one address.",
  "rate_limits.anonymous.sign_ins_per_minute": "Sign-ins, of one address, and as many sign-ups of agents.",
  "debugger.base_url":
    "Where the model is that answers questions about a trace: what stands before `/chat/completions`. Without it rules answer.",
  "debugger.model": "The model's name, as its server knows it.",
  "debugger.api_key": "The key for it.",
  "debugger.budget_cents_per_month": "What it may cost an organisation in a month.",
  "debugger.input_cents_per_mtok": "What a million tokens of questions cost; without it they count as free.",
  "debugger.output_cents_per_mtok": "What a million tokens of answers cost; without it they count as free.",
  "code_host.api_url":
    "The address of the code host's REST API. Of a GitHub Enterprise Server it ends in `/api/v3`.",
  "code_host.app_id":
    "The app that speaks to it, by its id or client id. Without it webhooks are ignored. See [the code host](/docs/code-host).",
  "code_host.private_key":
    "The app's private key, PEM: the whole text of the file that the host gave out, its line ends as `\\n`.",
  "code_host.token":
    "A token instead of an app's key: it reads, comments and opens pull requests, and may report no checks.",
  "code_host.webhook_secret": "What the host signs its webhooks with.",
  "code_host.oauth_client_id":
    "The OAuth app's id at the code host, by which people sign in with their account there.",
  "code_host.oauth_client_secret": "That app's secret.",
  "code_host.repository": "The repository, as `owner/name`.",
  "code_host.repository_path": "Where a checkout of it lies on this machine.",
  "code_host.preview_url_template": "The address of a pull request's preview, with a place for its number.",
  "sso.issuer": "The OpenID Connect issuer that people sign in with.",
  "sso.client_id": "The client's id there.",
  "sso.client_secret": "The client's secret there.",
  "sso.enforced":
    "Whether members have no other way to sign in. The one-time link of `tracedeck signin` always works. Without it, `true` once there is an issuer.",
  "sso.verified_domains":
    "Domains whose people belong here: whoever has a confirmed address of one becomes a member by signing in.",
  "sso.status_page_url": "Where people see whether the issuer works.",
  "oauth.client_metadata_documents":
    "Whether an agent may be known by the https address of its metadata document, which the server then fetches. Otherwise agents register themselves.",
  "notifications.allow_private_addresses": "Whether notifications may go to private addresses.",
  "notifications.retry_seconds": "How long to wait before each new try.",
  "notifications.smtp.host": "The mail server.",
  "notifications.smtp.port": "Its port.",
  "notifications.smtp.user": "The account there.",
  "notifications.smtp.password": "Its password.",
  "notifications.smtp.from": "Whom mail comes from.",
  "browser.executable":
    "The browser that carries runs out. It wins over `TRACEDECK_BROWSER`. Without both, the first one that is found.",
  "browser.slots": "Runs at once.",
  "browser.recycle_after_runs": "Runs after which a browser is replaced by a fresh one.",
  "browser.run_timeout_seconds":
    "How long a run may take at most. A scenario's `timeout` (five minutes without it) may be shorter.",
  "browser.allow_private_targets":
    "Whether runs may reach private and loopback addresses. A server that others use says `false`.",
  "regions.*.locale": "The browser's language, such as `de-DE`.",
  "regions.*.timezone": "An IANA name, such as `Europe/Berlin`.",
  "regions.*.geolocation.latitude": "Where the browser says that it is: degrees north.",
  "regions.*.geolocation.longitude": "Degrees east.",
  "regions.*.network.latency_ms": "How much each request is slowed, in ms.",
  "regions.*.network.download_kbps": "How fast bytes come in, in kbit/s.",
  "regions.*.network.upload_kbps": "How fast they go out, in kbit/s.",
  "regions.*.proxy":
    "The proxy that the browser goes by. It cannot stand beside `browser.allow_private_targets: false`.",
  "synthetic.email_prefix": "What the addresses of synthetic users begin with.",
  "synthetic.email_domain": "Their domain.",
  "synthetic.exclude_origins": "Origins that requests go to without the header that marks synthetic traffic.",
  "secrets.*": "The value of a secret by its name, or an object.",
  "secrets.*.value": "The value.",
  "secrets.*.origins": "Where it may go, such as `https://shop.example`. Without it, anywhere.",
  "redaction.headers": "Names of headers that are masked beside those that always are.",
  "redaction.patterns": "Regular expressions of what is masked.",
  "mender.mode": "How the mender changes scenarios: it suggests, and a person applies.",
  "mender.forbidden_paths": "Files that it does not touch.",
  "mender.token_budget": "Tokens that it may use for one change.",
  agent_signup:
    "Whether an agent that nobody knows may ask for a token by itself: for a day it may read everything of the first organisation, and then only if a person has verified it. See [tokens](/docs/tokens#agents-that-ask-by-themselves).",
  internal_service_token: "What services of your own send as `x-internal-token`.",
};
