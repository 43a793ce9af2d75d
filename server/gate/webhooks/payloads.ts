import { type TProperties, type TSchema, Type } from "@sinclair/typebox";

/** What is read of the payloads (https://docs.github.com/webhooks/webhook-events-and-payloads), and how long it may be. */
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const maybe = <T extends TSchema>(schema: T) => Type.Optional(orNull(schema));
const text = (maxLength = 1000) => Type.String({ maxLength });
const sha = () => Type.String({ pattern: "^[0-9a-f]{40}([0-9a-f]{24})?$" });
const number = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const person = Type.Object({ login: text(200) });
const named = Type.Object({ full_name: text(300) });

/** An event of a repository. */
const ofRepository = <T extends TProperties>(properties: T) =>
  Type.Object({ ...properties, repository: named });

export const PullRequestPayload = ofRepository({
  number: number(),
  before: maybe(sha()),
  pull_request: Type.Object({
    title: Type.String(),
    html_url: text(2000),
    user: orNull(person),
    draft: maybe(Type.Boolean()),
    merged: maybe(Type.Boolean()),
    head: Type.Object({ sha: sha(), ref: text(), repo: orNull(named) }),
    base: Type.Object({ sha: sha(), ref: text(), repo: named }),
  }),
});

export const PushPayload = Type.Object({
  ref: text(),
  before: sha(),
  after: sha(),
  deleted: Type.Boolean(),
  repository: Type.Object({ full_name: text(300), default_branch: text() }),
});

const app = Type.Object({ id: number(), client_id: maybe(text(200)) });
const linked = Type.Array(Type.Object({ number: number() }));

export const CheckRunPayload = ofRepository({
  check_run: Type.Object({
    id: number(),
    external_id: maybe(text()),
    head_sha: sha(),
    app: orNull(app),
    pull_requests: maybe(linked),
  }),
  requested_action: maybe(Type.Object({ identifier: maybe(text(200)) })),
  sender: maybe(Type.Object({ login: text(200) })),
});

export const CheckSuitePayload = ofRepository({
  check_suite: Type.Object({
    id: number(),
    head_sha: sha(),
    head_branch: maybe(text()),
    app: orNull(app),
    pull_requests: maybe(linked),
  }),
});

export const InstallationPayload = Type.Object({
  action: text(60),
  installation: Type.Object({
    id: number(),
    account: maybe(Type.Object({ login: maybe(text(200)) })),
  }),
  repositories: maybe(Type.Array(named)),
  repositories_added: maybe(Type.Array(named)),
  repositories_removed: maybe(Type.Array(named)),
});

export const ReviewPayload = ofRepository({
  review: Type.Object({ user: orNull(person), state: text(60), commit_id: maybe(sha()) }),
  pull_request: Type.Object({
    number: number(),
    head: Type.Object({ sha: sha(), ref: text() }),
  }),
});

export const DeploymentStatusPayload = ofRepository({
  deployment_status: Type.Object({
    state: text(60),
    environment: maybe(text()),
    environment_url: maybe(text(2000)),
  }),
  deployment: Type.Object({
    sha: sha(),
    environment: maybe(text()),
    production_environment: maybe(Type.Boolean()),
  }),
});

export const MergeGroupPayload = ofRepository({
  merge_group: Type.Object({ head_sha: sha(), head_ref: text(), base_sha: sha(), base_ref: text() }),
});
