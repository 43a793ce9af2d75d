import { type Static, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false } as const;

/** The frontmatter of a scenario file: also the JSON Schema (draft 2020-12) that editors check it with. */
export const Frontmatter = Type.Object(
  {
    slug: Type.String({
      pattern: "^[a-z0-9][a-z0-9-]{0,63}$",
      description: "lower case letters, digits and hyphens, at most 64: the scenario's name in addresses",
    }),
    title: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "what it shows, for people, in at most 200 characters",
    }),
    base_url: Type.Optional(
      Type.String({ pattern: "^https?://", description: 'an http(s) address, which "go to" starts from' }),
    ),
    covers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, description: 'a glob such as "src/checkout/**"' }), {
        description: "a list of globs of the source files whose change concerns it",
      }),
    ),
    schedule: Type.Optional(
      Type.Object(
        {
          cron: Type.Optional(
            Type.String({
              pattern: "^(@\\w+|\\S+( +\\S+){4})$",
              description: 'five cron fields, such as "*/5 * * * *", or a name, such as "@hourly"',
            }),
          ),
          timezone: Type.Optional(Type.String({ description: "an IANA time zone, such as Europe/Berlin" })),
          regions: Type.Optional(
            Type.Array(
              Type.String({
                pattern: "^[a-z0-9-]{1,40}$",
                description: "lower case letters, digits and hyphens, such as eu-west-1",
              }),
              {
                minItems: 1,
                description: "a list of regions, such as [us-east-1, eu-west-1]",
              },
            ),
          ),
          shadow_prod: Type.Optional(
            Type.Boolean({ description: "true or false: whether drift from the clones is looked for" }),
          ),
        },
        { ...closed, description: "a block with cron, timezone, regions and shadow_prod" },
      ),
    ),
    mender: Type.Optional(
      Type.Object(
        {
          mode: Type.Optional(Type.Literal("suggestive", { description: "suggestive" })),
          cache: Type.Optional(
            Type.Union([Type.Literal("auto"), Type.Literal("never")], {
              description: "auto or never: whether what earlier passes found may heal a locator",
            }),
          ),
        },
        { ...closed, description: "a block with mode and cache" },
      ),
    ),
    clones: Type.Optional(
      Type.Array(
        Type.Object(
          {
            service: Type.Union([Type.Literal("email"), Type.Literal("payments"), Type.Literal("record")], {
              description: "email, payments or record",
            }),
            match: Type.String({ minLength: 1, description: "a glob of the addresses it answers" }),
            har: Type.Optional(
              Type.String({ minLength: 1, description: "the file with the answers of a record clone" }),
            ),
          },
          { ...closed, description: "a block with service, match and, for record, har" },
        ),
        { maxItems: 20, description: "a list of blocks with service and match" },
      ),
    ),
    timeout: Type.Optional(
      Type.String({
        pattern: "^(\\d+(\\.\\d+)?(ms|s|m|h))+$",
        description: "a duration such as 90s or 5m: the whole run may take that long",
      }),
    ),
    idempotent: Type.Optional(
      Type.Boolean({ description: "true or false: whether it may run twice without harm" }),
    ),
  },
  {
    ...closed,
    $id: "tracedeck:scenario-frontmatter",
    title: "Frontmatter of a Tracedeck scenario",
    description: "a block of keys and values between two lines of ---",
  },
);
export type Frontmatter = Static<typeof Frontmatter>;
