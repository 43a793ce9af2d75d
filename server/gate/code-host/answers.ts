import { type TSchema, Type } from "@sinclair/typebox";

/** What we read of the host's answers (https://docs.github.com/rest); whatever else they hold is left. */
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const optional = <T extends TSchema>(schema: T) => Type.Optional(orNull(schema));

export const Installation = Type.Object({ id: Type.Integer() });
export const AccessToken = Type.Object({ token: Type.String(), expires_at: Type.String() });
/** The app itself; its comments are written by `<slug>[bot]`. */
export const HostApp = Type.Object({ id: Type.Integer(), slug: Type.Optional(Type.String()) });
export const HostUser = Type.Object({ id: Type.Integer(), login: Type.String() });

const Repository = Type.Object({ full_name: Type.String() });
export const HostPullRequest = Type.Object({
  number: Type.Integer(),
  title: Type.String(),
  html_url: Type.String(),
  user: orNull(Type.Object({ login: Type.String() })),
  state: Type.String(),
  merged_at: optional(Type.String()),
  draft: Type.Optional(Type.Boolean()),
  head: Type.Object({ sha: Type.String(), ref: Type.String(), repo: orNull(Repository) }),
  base: Type.Object({ sha: Type.String(), ref: Type.String(), repo: Repository }),
  updated_at: Type.String(),
});
export const HostPullRequests = Type.Array(HostPullRequest);

export const Comparison = Type.Object({
  merge_base_commit: Type.Optional(Type.Object({ sha: Type.String() })),
  files: Type.Optional(
    Type.Array(Type.Object({ filename: Type.String(), previous_filename: Type.Optional(Type.String()) })),
  ),
});

export const Tree = Type.Object({
  sha: Type.String(),
  truncated: Type.Optional(Type.Boolean()),
  tree: Type.Array(
    Type.Object({
      path: Type.String(),
      mode: Type.String(),
      type: Type.String(),
      sha: optional(Type.String()),
      size: optional(Type.Integer()),
    }),
  ),
});
export const Blob = Type.Object({ content: Type.String(), encoding: Type.String() });
export const Commit = Type.Object({ sha: Type.String(), tree: Type.Object({ sha: Type.String() }) });
export const Ref = Type.Object({ object: Type.Object({ sha: Type.String() }) });
export const RepositoryOf = Type.Object({ default_branch: Type.String() });
export const Made = Type.Object({ sha: Type.String() });

export const Deployments = Type.Array(
  Type.Object({
    id: Type.Integer(),
    environment: Type.Optional(Type.String()),
    production_environment: Type.Optional(Type.Boolean()),
  }),
);
export const DeploymentStatuses = Type.Array(
  Type.Object({ state: Type.String(), environment_url: optional(Type.String()) }),
);

export const HostCheckRun = Type.Object({ id: Type.Integer() });
export const HostCheckRuns = Type.Object({
  check_runs: Type.Array(
    Type.Object({
      id: Type.Integer(),
      external_id: optional(Type.String()),
      output: Type.Object({ annotations_count: Type.Integer() }),
    }),
  ),
});
export const Comment = Type.Object({
  id: Type.Integer(),
  body: optional(Type.String()),
  user: orNull(Type.Object({ login: Type.String() })),
});
export const Comments = Type.Array(Comment);

export const HookDeliveries = Type.Array(
  Type.Object({
    id: Type.Union([Type.Integer(), Type.String()]),
    guid: Type.String(),
    event: Type.String(),
    delivered_at: Type.String(),
    redelivery: Type.Boolean(),
    status_code: Type.Integer(),
    repository_id: optional(Type.Integer()),
  }),
);
export const Anything = Type.Unknown();
