import { ERROR_STATUS, type ErrorCode } from "../http/errors.ts";

/** What an error code means, and what whoever meets it does. */
interface Told {
  means: string;
  help: string;
}

export const ERROR_WORDS: Record<ErrorCode, Told> = {
  invalid_request: {
    means: "A parameter, a header or the body is not as the operation wants it.",
    help: "The message names the field and what would be right. [The API](/docs/api) shows each operation with a request to copy.",
  },
  validation_failed: {
    means: "The same as `invalid_request`, from the operations of runs and scenarios.",
    help: "The message names the field, for a scenario file also line and column. `tracedeck scenarios check` tells all of them at once.",
  },
  unauthorized: {
    means:
      "The request has no credential, or one that is not good: it is unknown, was revoked, or has expired.",
    help: "In a browser, sign in with the link that `tracedeck signin` prints. Programs send `Authorization: Bearer` and a key that `tracedeck keys create` made.",
  },
  forbidden: {
    means: "The credential is good, and this is not allowed to it.",
    help: "The message says why. A change by cookie that comes from another origin is refused this way too: send a key instead.",
  },
  insufficient_scope: {
    means: "The key lacks a scope that the operation needs.",
    help: "The message names the scope. Make a key that has it: `tracedeck keys create --scopes`.",
  },
  wrong_org: {
    means: "The request names another organisation than its credential belongs to.",
    help: "Leave the organisation out, or use a credential of that one.",
  },
  signature_invalid: {
    means:
      "A signed link was altered, is not complete, has expired, or has ended with the share that it came from. Of a webhook (401): its signature is missing, or is not of this body under the secret of settings.json.",
    help: "Load the page or ask the API again: each answer has fresh links. Of a webhook, compare the secret at the code host with code_host.webhook_secret; a proxy must hand the body on unchanged.",
  },
  delivery_stale: {
    means:
      "What a code host's webhook tells of happened more than 10 minutes ago, or lies more than 5 minutes ahead.",
    help: "Compare this machine's clock with the real time. An old delivery that is meant can be replayed under Settings, Code host.",
  },
  not_found: {
    means: "Nothing has this address or this id, or it belongs to another organisation.",
    help: "Look in the list: a trace may have been removed, by a person or by its age. Short ids may be used wherever a trace is opened.",
  },
  method_not_allowed: {
    means: "There is something at this address, and it does not take this method.",
    help: "The header `Allow` names the methods that it takes.",
  },
  conflict: {
    means:
      "The request does not fit what is there: the same was sent before with other content, or the thing is not in a state for it.",
    help: "The message says what stands against it. Read the thing anew, then decide.",
  },
  precondition_failed: {
    means:
      "What the directory wanted to change has been changed by somebody else since it was read (`If-Match`).",
    help: "Read it again and send the change with the new `ETag`. Directories do this by themselves.",
  },
  invalid_transition: {
    means: "A thing cannot come into this state from the one that it is in.",
    help: "Read its present state: it may be there already.",
  },
  url_not_allowed: {
    means: "The server does not go to this address: it is private, or none that can be reached by http(s).",
    help: "For runs, `browser.allow_private_targets` decides; for notifications, `notifications.allow_private_addresses`. See [settings](/docs/settings).",
  },
  not_hot: {
    means: "The trace was moved to cold storage, and this needs its files.",
    help: "Bring it back with its button _Restore_ or `POST /v1/traces/{id}/restore`, then ask again.",
  },
  bundle_unreadable: {
    means: "An uploaded file is not a Playwright archive or a bundle, or is damaged beyond what can be read.",
    help: "The message names the part. Open the file with `tracedeck open` on the machine that made it; a file that was cut short is read as far as it goes. See [bundles](/docs/ci#bundles).",
  },
  blob_mismatch: {
    means: "A part of an upload does not have the SHA-256 that it was announced with.",
    help: "It was damaged on its way or is named wrongly. Upload it again.",
  },
  bundle_bomb: {
    means: "An archive would become far larger than it is, or has too many parts.",
    help: "Only archives that were made to do harm are like this. If yours was not, split it.",
  },
  bundle_too_large: {
    means: "An upload is larger than the plan lets it be.",
    help: "Set `upload_cap_bytes` or a larger `plan` in [settings](/docs/settings), or record less: fewer screenshots, shorter tests.",
  },
  body_too_large: {
    means: "A JSON body has more than 1 MiB.",
    help: "Send less at once. Files go by the operations that take files.",
  },
  unsupported_media_type: {
    means: "The body has another type than the operation reads.",
    help: "Send `Content-Type: application/json`, or what [the API](/docs/api) names for the operation.",
  },
  range_not_satisfiable: {
    means: "A header `Range` asks for bytes that the file does not have.",
    help: "The header `Content-Range` of the answer tells the size of the file.",
  },
  misdirected_request: {
    means: "The header `Host` names another server than this one.",
    help: "Whoever reaches the server by a name of its own says so: `tracedeck serve --public-url`. See [host it for others](/docs/host).",
  },
  rate_limited: {
    means:
      "More requests came in a minute than [settings](/docs/settings) allow to an organisation or an address.",
    help: "Wait for as many seconds as the header `Retry-After` says. A large suite wants `rate_limits.ingests_per_minute` raised.",
  },
  budget_exhausted: {
    means: "The month's budget for the model is spent.",
    help: "Raise `debugger.budget_cents_per_month` in [settings](/docs/settings), or wait for the next month.",
  },
  quota_exceeded: {
    means: "The plan does not have more of what was asked for.",
    help: "Remove what is no longer needed, or set a larger `plan` in [settings](/docs/settings).",
  },
  unavailable: {
    means:
      "The server's disk or database refuses: it is full, read-only or fails. Or a part that it needs is not there yet.",
    help: "The message says which. Make room, then run `tracedeck doctor`. See [keep it whole](/docs/host#keep-it-whole).",
  },
  sso_unavailable: {
    means: "The service that people sign in with does not answer.",
    help: "Try again later; `tracedeck signin` on the server's machine works without it.",
  },
  cron_invalid: {
    means: "A cron expression cannot be read, or comes less than once in 60 minutes.",
    help: 'Five fields, such as `*/5 * * * *`, or `@hourly`. `tracedeck cron next "EXPRESSION"` shows when it comes.',
  },
  cron_too_frequent: {
    means: "A cron expression comes more often than the plan allows.",
    help: "The message names the shortest time between two runs. [Settings](/docs/settings) has the table of plans.",
  },
  preflight_required: {
    means: "A scenario is to run on a schedule before its target was seen to know synthetic users.",
    help: "Run `POST /v1/scenarios/{id}/preflight`, or press **Run the preflight** on the scenario's page. [Watch](/docs/watch) tells what it looks at.",
  },
  internal: {
    means: "The server failed in a way that nobody foresaw.",
    help: "The server's log tells why, under the id in the header `x-request-id`. Please report it: [security](/docs/security) says how if it is one of those.",
  },
};

/** Why a run or a replay ended as `error`: what its record calls `reason`. */
export const RUN_REASONS: Record<string, Told> = {
  address_missing: {
    means: "A step names no whole address, and the scenario has no `base_url` that it could start from.",
    help: "Add `base_url` to the scenario, or run it with `--base-url`.",
  },
  aborted: { means: "Somebody cancelled it.", help: "Nothing needs to be done." },
  browser_crashed: {
    means: "The browser ended in the middle of the run.",
    help: "Look for the machine's memory: fewer `browser.slots` at once need less of it.",
  },
  browser_missing: {
    means: "No Chromium, Chrome or Edge was found on the machine.",
    help: "Install one, or name it by `TRACEDECK_BROWSER` or `browser.executable` in [settings](/docs/settings).",
  },
  browser_unavailable: {
    means: "A browser is there and does not start.",
    help: "The message has its own words. `tracedeck doctor` starts it once and tells more.",
  },
  clone_unavailable: {
    means: "A stand-in for a third party could not be started.",
    help: "The message names it. Look at `clones` of the scenario.",
  },
  file_missing: {
    means: "A file that a step uploads is not beside the scenario.",
    help: "Put it there; paths lead from the folder of the scenario file.",
  },
  offline: {
    means: "This machine is cut off from the network, so that nothing can be said of the target.",
    help: "Connect it. Runs against loopback addresses need no network.",
  },
  page_crashed: {
    means: "The page's process in the browser ended.",
    help: "Look for the machine's memory, then for what the page does.",
  },
  recording_lost: {
    means: "The recording could not be kept.",
    help: "The message says why, mostly a full disk. See [storage](/docs/pages#storage).",
  },
  replay_broken: {
    means: "An answer of the source trace could not be served to the replay.",
    help: "`tracedeck doctor` looks whether files of the trace are damaged.",
  },
  runner_failed: {
    means: "The program that carries runs out failed.",
    help: "The log of the server tells why. Please report it.",
  },
  runner_lost: {
    means: "The process that carried the run out has ended, mostly with the server that was stopped.",
    help: "Start the run again.",
  },
  runner_unavailable: {
    means: "The process that carries runs out could not be started.",
    help: "The message has the words of the system.",
  },
  secret_not_allowed: {
    means: "A step would have brought a secret to an origin that the secret does not name. Nothing left.",
    help: "Add the origin with `tracedeck secrets set --origin`, if it is right. See [secrets](/docs/scenarios#secrets).",
  },
  secret_unreadable: {
    means: "A kept secret cannot be decrypted: `signing.key` of the data folder is another one.",
    help: "Put the right `signing.key` back from a backup, or set the secret anew.",
  },
  source_diff_refused: {
    means: "The edits of a replay do not fit the scenario.",
    help: "The message names the place.",
  },
  source_not_hot: {
    means: "The source trace went to cold storage before the replay began.",
    help: "Restore it, then replay again.",
  },
  source_not_served: {
    means: "What a replay is to change did not come from the recording.",
    help: "The message names it. Replay from an earlier step.",
  },
  source_unreadable: {
    means: "The events of the source trace cannot be read.",
    help: "`tracedeck doctor` tells which file is damaged.",
  },
  timeout: {
    means: "The run took longer than it may.",
    help: "Set `timeout` of the scenario or `browser.run_timeout_seconds` in [settings](/docs/settings).",
  },
  url_not_allowed: {
    means: "A step leads to a private address, which this server does not go to.",
    help: "See `browser.allow_private_targets` in [what runs may reach](/docs/scenarios#what-runs-may-reach).",
  },
  value_missing: {
    means:
      "A step uses a value that the run does not have: a secret that is not set, a variable that was not read before.",
    help: "`tracedeck secrets list` shows what there is.",
  },
};

/** The topic of error codes, as Markdown. */
export function errorsTopic(): string {
  const codes = Object.entries(ERROR_STATUS).flatMap(([code, status]) => [
    `### ${code}`,
    `Usual status: ${status}. ${ERROR_WORDS[code as ErrorCode].means}`,
    ERROR_WORDS[code as ErrorCode].help,
  ]);
  const reasons = Object.entries(RUN_REASONS).flatMap(([reason, { means, help }]) => [
    `### ${reason} {#run-${reason}}`,
    means,
    help,
  ]);
  return [
    "# Error codes",
    "Every error that the API answers has the same form. `error` is one of the codes below; `message` is for people: it says what is wrong, where, and what would be right. The header `Link` of the answer leads to the code's place on this page. Programs decide by the code and the status, never by the message.",
    '```json\n{ "error": "not_found", "message": "This trace does not exist." }\n```',
    "The command line prints the same with `--json`, and ends with 1; when it was used wrongly, with 2.",
    "## Codes of the API",
    ...codes,
    "## The server cannot be reached {#unreachable}",
    "The viewer says so when a request gets no answer at all. The server may have been stopped, or the network between is down. Start it with `tracedeck serve`. What is shown stays, and lists go on by themselves when the server is back.",
    "## Why a run ended as error",
    "A run that did not pass is `failed` when the target did something wrong, and `error` when something on this side did. Its record then has one of these as `error.reason`; the run's page shows it with a message.",
    ...reasons,
  ].join("\n\n");
}
