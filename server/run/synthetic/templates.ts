import analytics from "./files/analytics.js.txt" with { type: "text" };
import dynamodb from "./files/dynamodb.mjs.txt" with { type: "text" };
import middleware from "./files/middleware.mjs.txt" with { type: "text" };
import mongodb from "./files/mongodb.js.txt" with { type: "text" };
import mysql from "./files/mysql.sql.txt" with { type: "text" };
import objectStore from "./files/object-store.json.txt" with { type: "text" };
import postgres from "./files/postgres.sql.txt" with { type: "text" };
import redis from "./files/redis.lua.txt" with { type: "text" };

export const DATABASES = ["postgres", "mysql", "mongodb", "dynamodb", "redis"] as const;
export type SyntheticDatabase = (typeof DATABASES)[number];

const CLEAN_UP: Record<SyntheticDatabase, { name: string; text: string; how: string }> = {
  postgres: {
    name: "postgres.sql",
    text: postgres,
    how: '`psql "$DATABASE_URL" -f postgres.sql` once, then `select synthetic_cleanup(7);` every night',
  },
  mysql: {
    name: "mysql.sql",
    text: mysql,
    how: "`mysql app < mysql.sql` once, then `call synthetic_cleanup(7);` every night",
  },
  mongodb: {
    name: "mongodb.js",
    text: mongodb,
    how: '`RETENTION_DAYS=7 mongosh "$MONGODB_URL" mongodb.js` every night',
  },
  dynamodb: {
    name: "dynamodb.mjs",
    text: dynamodb,
    how: "`withSyntheticMark` where items are put; the table removes them by itself",
  },
  redis: {
    name: "redis.lua",
    text: redis,
    how: "`redis-cli --eval redis.lua , 604800` every night until it answers 0",
  },
};

/** The files that keep synthetic users apart in a product, by their names. */
export function syntheticFiles(databases: readonly SyntheticDatabase[]): Record<string, string> {
  const chosen = databases.map((database) => CLEAN_UP[database]);
  return {
    "README.md": readme(chosen),
    "middleware.mjs": middleware,
    "analytics.js": analytics,
    "object-store.json": objectStore,
    ...Object.fromEntries(chosen.map(({ name, text }) => [name, text])),
  };
}

const readme = (chosen: readonly { name: string; how: string }[]): string => `# Synthetic users

Runs of Tracedeck are marked three times, so that they cost nothing and count nowhere:

- every request carries \`X-Synthetic-Source: product-monitor\` (leave an origin that refuses it out with
  \`synthetic.exclude_origins\` in settings.json),
- every page has \`window.__PRODUCT_SYNTHETIC__ === true\` before its own code runs,
- every account has an address like \`synthetic+eu-west-1+checkout+k3f9@example.invalid\`
  (\`synthetic.email_prefix\` and \`email_domain\`).

## What is here

- \`middleware.mjs\`: tells synthetic requests and users, and gives them test-mode payments and telephony, an email sink and the
  prefix \`synthetic/\` in the object store. For Express, Fastify, Hono and handlers of \`Request\`. Mark the account when it is
  made: \`is_synthetic = parseSyntheticAddress(email) !== null\`.
- \`analytics.js\`: before your analytics.
- \`object-store.json\`: \`aws s3api put-bucket-lifecycle-configuration --bucket B --lifecycle-configuration file://object-store.json\`
  empties the prefix after 7 days.
${chosen.map(({ name, how }) => `- \`${name}\`: ${how}.`).join("\n")}

The clean-up expects a table or collection \`users\` with \`created_at\`: change the names to yours. The retention is 7 days unless
you give another.
`;
